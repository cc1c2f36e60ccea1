package exchange

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reference: exchange.md §11.
const sample = `{ "schema_version": 4, "tile_count": 1472,
  "phases": [ { "phase": 0, "transfers": [
    { "source": 5, "source_addresses": [393216], "destinations": [[100, 425984]],
      "words": 64, "width": "Word32" } ] } ] }`

func TestReadSnapshot(t *testing.T) {
	s, err := ReadSnapshot(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := &Snapshot{Tiles: 1472, Phases: []*Problem{{Tiles: 1472, Messages: []Message{
		{Source: 5, SourceAddrs: []uint32{393216}, Dests: []Dest{{100, 425984}}, Words: 64},
	}}}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestReadSnapshotErrors(t *testing.T) {
	at := "phases[0].transfers[0]."
	for _, c := range []struct{ old, new, want string }{
		{`"words": 64`, `"words": 5000`, at + "words: want 1..4148, found 5000"},
		{`"words": 64`, `"words": 0`, at + "words: want 1..4148, found 0"},
		{`"words": 64`, `"words": 1.5`, at + "words: want an integer in -2147483648..2147483647, found 1.5"},
		{`"words": 64`, `"words": "64"`, at + `words: want an integer, found "64"`},
		{`"words": 64`, `"words": 64, "words": 64`, at + "words: want the field once, found it repeated"},
		{`"words": 64`, `"word": 64`, at + "word: want a known field, found an unknown one"},
		{`"words": 64, `, ``, `phases[0].transfers[0]: want field "words", found none`},
		{`"Word32"`, `"Word16"`, at + `width: want "Word32" or "Paired64", found "Word16"`},
		{`"Word32"`, `"Paired64"`, at + "words: want even and ≥ 128 for Paired64, found 64"},
		{`"source": 5`, `"source": 1472`, at + "source: want 0..1471, found 1472"},
		{`"source": 5`, `"source": 100`, at + "destinations[0][0]: want a tile other than the source, found 100"},
		{`[393216]`, `[]`, at + "source_addresses: want at least one address, found none"},
		{`[393216]`, `[393216, 393218]`, at + "source_addresses[1]: want a multiple of 4, found 393218"},
		{`[393216]`, `[950268]`, at + "source_addresses[0]: want 311296..950016 (inside SRAM), found 950268"},
		{`[[100, 425984]]`, `[]`, at + "destinations: want at least one destination, found none"},
		{`[[100, 425984]]`, `[[100, 425984], [100, 0]]`, at + "destinations[1][0]: want distinct tiles, found 100"},
		{`[[100, 425984]]`, `[[100, 64]]`, at + "destinations[0][1]: want 311296..950016 (inside SRAM), found 64"},
		{`[[100, 425984]]`, `[[100]]`, at + "destinations[0]: want 2 numbers: tile, address, found 1"},
		{`[[100, 425984]]`, `[[100, 425984, 1]]`, at + "destinations[0][2]: want 2 numbers: tile, address, found more"},
		{`[[100, 425984]]`, `[[2000, 425984]]`, at + "destinations[0][0]: want 0..1471, found 2000"},
		{`"tile_count": 1472`, `"tile_count": 0`, "tile_count: want 1..1472, found 0"},
		{`"schema_version": 4`, `"schema_version": 3`, "schema_version: want 4, found 3"},
		{`"phases": [ {`, `"phases": [ {"phase": 0, "transfers": []}, {`, "phases[1].phase: want an id other than that of phases[0], found 0"},
		{`"transfers": [`, `"transfers": [7, `, "phases[0].transfers[0]: want an object, found 7"},
		{`} ] }`, `} ] } x`, "phases[1]: want JSON"},
		{sample, sample + "{}", "(end): want nothing behind the snapshot, found more data"},
		{sample, `[]`, "(root): want an object, found ["},
		{sample, `null`, "(root): want an object, found null"},
		{`"words": 64`, `"words": null`, at + "words: want an integer, found null"},
		{sample, sample[:60], "phases"},
		{sample, ``, "(root): want JSON"},
	} {
		text := strings.Replace(sample, c.old, c.new, 1)
		if text == sample {
			t.Fatalf("%q does not occur", c.old)
		}
		_, err := ReadSnapshot(strings.NewReader(text))
		if err == nil || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s → %s: %v, want %s", c.old, c.new, err, c.want)
		}
	}
}

func TestPairedConditions(t *testing.T) {
	good := Message{Source: 0, SourceAddrs: []uint32{sourceBase}, Words: 128, Paired: true, Dests: []Dest{{2, destBase}, {3, destBase}}}
	for _, c := range []struct {
		change func(m *Message)
		want   string
	}{
		{func(*Message) {}, ""},
		{func(m *Message) { m.Dests = m.Dests[:1] }, "both tiles of a pair"},
		{func(m *Message) { m.Dests[1].Addr += 8 }, "same address"},
		{func(m *Message) { m.Dests[1].Addr += 4 }, "multiple of 8"},
		{func(m *Message) { m.Dests = append(m.Dests, Dest{1, destBase}) }, "partner"},
		// Tile 20 lies in row 10: L = 72, so 71 and 73 items are excluded (R11).
		{func(m *Message) { m.Dests, m.Words = []Dest{{20, destBase}, {21, destBase}}, 142 }, "R11"},
		{func(m *Message) { m.Dests, m.Words = []Dest{{20, destBase}, {21, destBase}}, 144 }, ""},
		{func(m *Message) { m.Dests, m.Words = []Dest{{20, destBase}, {21, destBase}}, 146 }, "R11"},
	} {
		m := good
		m.Dests = append([]Dest{}, good.Dests...)
		c.change(&m)
		err := (&Problem{Tiles: 64, Messages: []Message{m}}).Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", m, err, c.want)
		}
	}
}

func TestSnapshotRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 50 {
		s := &Snapshot{Tiles: tileCount}
		for k := range rng.IntN(4) {
			p := tangled(rng, 1+rng.IntN(6), 5, []int32{1, 4148})
			p.Phase = 3 - k
			s.Phases = append(s.Phases, p)
		}
		checkRoundTripSnapshot(t, s)
	}
}

func checkRoundTripSnapshot(t *testing.T, s *Snapshot) {
	t.Helper()
	var text bytes.Buffer
	if err := s.Write(&text); err != nil {
		t.Fatal(err)
	}
	again, err := ReadSnapshot(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again); diff != "" {
		t.Fatal(diff)
	}
}

func FuzzReadSnapshot(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(strings.Replace(strings.Replace(sample, "Word32", "Paired64", 1), "64,", "128,", 1)))
	f.Add([]byte(`{"schema_version":4,"tile_count":1,"phases":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSnapshot(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("unclassified error: %v", err)
			}
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("read but invalid: %v", err)
		}
		// An empty list of phases or transfers reads back as none.
		checkRoundTripSnapshot(t, s)
	})
}
