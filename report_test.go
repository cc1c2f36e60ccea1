package ipusolve_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"ipusolve"
)

// TestReportRoundTrip writes a report, reads it, and writes it again.
func TestReportRoundTrip(t *testing.T) {
	var first, second bytes.Buffer
	if err := compileSmall(t).Report.Write(&first); err != nil {
		t.Fatal(err)
	}
	r, err := ipusolve.ReadReport(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("another report comes back (%v)", err)
	}
}

// TestReadersAreStrict: wrong reports and schedules are refused with the path.
func TestReadersAreStrict(t *testing.T) {
	report := func(r io.Reader) error { _, err := ipusolve.ReadReport(r); return err }
	schedule := func(r io.Reader) error { _, err := ipusolve.ReadSchedule(r); return err }
	for _, c := range []struct {
		read       func(io.Reader) error
		text, want string
	}{
		{report, `{"schema":"x"}`, `schema: want "ipusolve.report/1", found "x"`},
		{report, `{"Schema":"ipusolve.report/1"}`, "Schema: unknown field"},
		{report, `{"planning":{"gap":"0"}}`, "planning.gap: want a number, found 0"},
		{report, `{"exchange":[{"witness":{"Messages":[-1, null]}}]}`, "exchange[0].witness.Messages[1]: want an integer, found null"},
		{report, `{"planning":{"certificate":{"proof":{"nodes":[{"Dual":1}]}}}}`, "planning.certificate.proof.nodes[0].Dual: unknown field"},
		{report, `{"cycles":{"total":1,"total":2}}`, "cycles.total: field given twice"},
		{report, `{} {}`, "want nothing after the first value"},
		{schedule, `{"schema":"x"}`, `schema: want "ipusolve.schedule/1", found "x"`},
		{schedule, `{"phases":[{"rows":[null, [4294967296]]}]}`, "phases[0].rows[1][0]: want an integer, found 4294967296"},
		{schedule, `{"phases":[{"horizon":null}]}`, "phases[0].horizon: want an integer, found null"},
		{schedule, `{"phases":[{"method":"` + "\xc3" + `"}]}`, "want UTF-8, found byte 0xc3"},
		{schedule, `{"phases":[{"phasereport":{}}]}`, "phases[0].phasereport: unknown field"},
	} {
		if err := c.read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
