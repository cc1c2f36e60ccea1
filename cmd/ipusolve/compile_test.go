package main

import (
	"strings"
	"testing"

	"ipusolve"
)

// TestDemandMet: exit code 4 says why the demanded gap is not proven.
func TestDemandMet(t *testing.T) {
	gap := 0.0191
	plan := &ipusolve.Planning{Gap: &gap}
	tightened := &ipusolve.Planning{Gap: &gap, Tightened: []ipusolve.Tightening{{Limit: "memory/total/x"}}}
	for _, c := range []struct {
		plan             *ipusolve.Planning
		demanded         float64
		limited, stopped bool
		want             string
	}{
		{&ipusolve.Planning{}, 0, true, false, ""},
		{plan, 0.02, true, true, ""},
		{plan, 0, true, false, "a limit was reached; gap 1.91 %, 0.00 % was demanded"},
		{plan, 0.01, false, false, "the search ended without the proof; gap 1.91 %, 1.00 % was demanded"},
		{plan, 0, true, true, "the search was stopped; gap 1.91 %"},
		{tightened, 0, true, false, "placement ruled out cheaper plans; gap 1.91 %"},
	} {
		err := demandMet(c.plan, c.demanded, c.limited, c.stopped)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (exitCode(err) != exitLimit || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
