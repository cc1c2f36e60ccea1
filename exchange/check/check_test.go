package check

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Reference: exchange.md §4.4, both tables.
func TestReceiveOf(t *testing.T) {
	for _, c := range []struct {
		s, d, words, x              int32
		source, end, pointer, write int32
		horizon                     int32
	}{
		{5, 100, 64, 32, 1, 65, 61, 125, 130},
		{5, 100, 64, 144, 113, 177, 173, 237, 242},
		{0, 1471, 1, 28, 1, 2, 53, 54, 59},
		{0, 274, 3, 23, 1, 4, 53, 56, 61},
		{0, 1286, 3, 23, 1, 4, 53, 56, 61},
		{736, 100, 52, 0, 50, 102, 110, 162, 167},
		{1286, 1471, 65, 14, 1, 66, 53, 118, 123},
		{32, 0, 4148, 0, 4, 4152, 56, 4204, 4209},
		{780, 0, 1000, 0, 113, 1113, 165, 1165, 1170},
		{0, 1, 16, 69, 42, 58, 94, 110, 115},
		{0, 2, 16, 69, 39, 55, 93, 109, 114},
		{0, 46, 16, 69, 1, 17, 97, 113, 118},
		{0, 736, 16, 69, 66, 82, 118, 134, 139},
	} {
		p := chip(msg(c.s, c.words, 0x60000, to(c.d, 0x68000)))
		r := receiveOf(p, 0, p.Messages[0].Dests[0], c.x)
		got := []int32{r.source, r.source + r.n, r.pointer, r.writeEnd(), r.writeEnd() + guard}
		if want := []int32{c.source, c.end, c.pointer, c.write, c.horizon}; !slices.Equal(got, want) {
			t.Errorf("%d→%d: %v, want %v", c.s, c.d, got, want)
		}
	}
	for _, c := range []struct {
		s, d, x                      int32
		late                         bool
		source, value                int32
		formatOn, pointer, formatOff int32
		horizon                      int32
	}{
		{0, 2, 31, false, 1, 0, 54, 56, 118, 125},
		{0, 3, 31, true, 1, 0, 54, 56, 118, 125},
		{2, 0, 27, false, 1, 64, 52, 54, 116, 123},
		{2, 1, 27, true, 1, 0, 52, 54, 116, 123},
		{0, 47, 70, false, 1, 2, 96, 98, 160, 167},
		{0, 46, 70, true, 1, 0, 96, 98, 160, 167},
	} {
		p := chip(paired(msg(c.s, 128, 0x60000, pair(c.d, 0x68000)...)))
		r := receiveOf(p, 0, to(c.d, 0x68000), c.x)
		if r.late != c.late || r.source != c.source || !c.late && r.value != c.value {
			t.Errorf("%d→%d: late %v, source %d at %d; want %v, %d at %d", c.s, c.d, r.late, r.value, r.source, c.late, c.value, c.source)
		}
		got := []int32{r.pointer - 2, r.pointer, r.pointer - 2 + r.n, r.writeEnd() + guard}
		if want := []int32{c.formatOn, c.pointer, c.formatOff, c.horizon}; !slices.Equal(got, want) {
			t.Errorf("%d→%d: %v, want %v", c.s, c.d, got, want)
		}
	}
}

// The replay problems with their optimal starts and horizons (reference:
// exchange.md §10.7), and the paired and shared rows of §8.4.
func TestCheckAcceptsWorkedSchedules(t *testing.T) {
	const a, b = 0x60000, 0x68000
	var p6 []exchange.Message
	for i := range int32(6) {
		p6 = append(p6, msg(10+i, 1, a, to(100, b+8*uint32(i))))
	}
	for name, c := range map[string]struct {
		p       *exchange.Problem
		starts  []int32
		horizon int32
	}{
		"P1": {chip(msg(5, 64, a, to(100, b))), []int32{32}, 130},
		"P2": {chip(msg(5, 64, a, to(100, b)), msg(6, 64, a, to(100, b+0x100))), []int32{32, 94}, 194},
		"P3": {chip(msg(5, 64, a, to(100, b)), msg(5, 64, a+0x1000, to(101, b))), []int32{95, 31}, 193},
		"P4": {chip(msg(10, 64, a, to(100, b), to(200, b)), msg(500, 64, a, to(200, b+0x400), to(300, b)),
			msg(900, 64, a, to(100, b+0x800), to(300, b+0x400))), []int32{33, 90, 21}, 254},
		"P5":          {chip(msg(0, 64, a, to(1, b)), msg(1, 64, a, to(2, b)), msg(2, 64, a, to(0, b))), []int32{28, 31, 27}, 124},
		"P6":          {chip(p6...), []int32{26, 27, 26, 27, 26, 27}, 72},
		"paired":      {chip(paired(msg(0, 128, a, pair(2, b)...))), []int32{31}, 125},
		"full duplex": {chip(msg(5, 60, a, to(100, b)), msg(100, 100, a, to(200, b))), []int32{32, 36}, 174},
		"nothing":     {chip(), []int32{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := schedule(c.p, c.starts...)
			rows := encode(t, c.p, s)
			addrs := make([]uint32, c.p.Tiles)
			for i := range addrs {
				addrs[i] = 0x70000
			}
			r, err := Check(c.p, rows, addrs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&Result{c.horizon, s.TileHorizon, c.starts}, r); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if r, err = CheckSchedule(c.p, s); err != nil || r.Horizon != c.horizon {
				t.Errorf("schedule: %v", err)
			}
			p, got, err := Reconstruct(rows, c.p.Tiles, exchange.Standard)
			if err != nil {
				t.Fatal(err)
			}
			sameMessages(t, c.p, s, p, got)
		})
	}
}

// sameMessages compares scheduled messages as sets, without repeat addresses.
func sameMessages(t *testing.T, p *exchange.Problem, s *exchange.Schedule, q *exchange.Problem, r *exchange.Schedule) {
	t.Helper()
	type scheduled struct {
		Source, Start, Words int32
		Addr                 uint32
		Paired               bool
		Dests                []exchange.Dest
	}
	list := func(p *exchange.Problem, s *exchange.Schedule) []scheduled {
		var out []scheduled
		for j, m := range p.Messages {
			dests := slices.SortedFunc(slices.Values(m.Dests), func(a, b exchange.Dest) int { return int(a.Tile - b.Tile) })
			out = append(out, scheduled{m.Source, s.Start[j], m.Words, m.SourceAddrs[0], m.Paired, dests})
		}
		slices.SortFunc(out, func(a, b scheduled) int {
			if a.Source != b.Source {
				return int(a.Source - b.Source)
			}
			return int(a.Start - b.Start)
		})
		return out
	}
	if diff := cmp.Diff(list(p, s), list(q, r)); diff != "" {
		t.Errorf("messages (-want +got)\n%s", diff)
	}
	if r.Horizon != s.Horizon || !slices.Equal(r.TileHorizon, s.TileHorizon) {
		t.Errorf("horizon %d, want %d", r.Horizon, s.Horizon)
	}
}

// Random legal schedules of overlapping data pass, give their starts back, and
// leave in memory what program order leaves.
func TestCheckRandomSchedules(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	replayed, conflicts := 0, 0
	for range 120 {
		p := randomProblem(rng, 4+2*rng.IntN(2), 2+rng.IntN(9))
		s := place(t, rng, p)
		rows := encode(t, p, s)
		r, err := Check(p, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, &exchange.Schedule{Start: r.Starts, Horizon: r.Horizon, TileHorizon: r.TileHorizon}); diff != "" {
			t.Fatalf("schedule (-want +got)\n%s", diff)
		}
		q, got, err := Reconstruct(rows, p.Tiles, exchange.Standard)
		if err != nil {
			t.Fatal(err)
		}
		sameMessages(t, p, s, q, got)
		if slices.ContainsFunc(p.Messages, func(m exchange.Message) bool { return m.Paired }) {
			continue
		}
		replayed++
		want := inProgramOrder(p)
		if !maps.Equal(want, replay(t, rows)) {
			t.Fatalf("the rows leave other data than program order")
		}
		if !maps.Equal(want, inProgramOrder(q)) {
			t.Fatalf("the reconstructed order leaves other data")
		}
		slices.Reverse(p.Messages)
		if !maps.Equal(want, inProgramOrder(p)) {
			conflicts++
		}
	}
	if replayed < 20 || conflicts < 10 {
		t.Errorf("only %d replays, %d of them with an order that matters", replayed, conflicts)
	}
}

// Messages that look alike at the sender are told apart by their receivers.
func TestCheckTellsAlikeSendsApart(t *testing.T) {
	const a, b = 0x60000, 0x68000
	p := chip(
		msg(0, 8, a, to(2, b)), msg(0, 8, a, to(4, b)), msg(0, 8, a, to(6, b)),
		msg(0, 8, a, to(2, b+0x100)), msg(0, 8, a, to(2, b+0x120)),
		msg(0, 8, a, to(8, b)), msg(0, 8, a, to(8, b)),
	)
	for _, starts := range [][]int32{
		{90, 50, 130, 250, 200, 300, 350},
		{50, 90, 130, 200, 212, 350, 365},
		{250, 170, 130, 50, 90, 300, 330},
	} {
		r, err := Check(p, encode(t, p, schedule(p, starts...)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Starts, starts) {
			t.Errorf("starts %v, want %v", r.Starts, starts)
		}
	}
	all := chip()
	for d := range int32(120) {
		for range 1 + d%3 { // some of them more than once
			all.Messages = append(all.Messages, msg(0, 2, a, to(1+d, b)))
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	starts := make([]int32, len(all.Messages))
	for i, k := range rng.Perm(len(starts)) {
		starts[i] = 80 + 5*int32(k)
		for j := i; j > 0 && all.Messages[j-1].Dests[0] == all.Messages[j].Dests[0] && starts[j-1] > starts[j]; j-- {
			starts[j-1], starts[j] = starts[j], starts[j-1]
		}
	}
	r, err := Check(all, encode(t, all, schedule(all, starts...)), nil)
	if err != nil || !slices.Equal(r.Starts, starts) {
		t.Errorf("scatter: %v", err)
	}
}

// A matching is found where the first choice has to give way.
func TestMatching(t *testing.T) {
	for _, c := range []struct {
		choices [][]int
		want    []int
	}{
		{[][]int{{0, 1}, {0}}, []int{1, 0}},
		{[][]int{{0, 1}, {1, 2}, {0}}, []int{2, 0, 1}},
		{[][]int{{0}, {0}}, []int{0, 1}},
		{[][]int{nil, {0, 1}}, []int{1, 0}},
	} {
		if got := matching(c.choices, len(c.choices)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.choices, got, c.want)
		}
	}
}

// mutate changes the row of one tile through its streams.
func mutate(t *testing.T, p *exchange.Problem, s *exchange.Schedule, rows [][]uint32, tile int, change func(*exchange.TileStream)) [][]uint32 {
	t.Helper()
	var st exchange.TileStream
	if err := exchange.NewRoles(p).Tile(tile, s.Start, &st); err != nil {
		t.Fatal(err)
	}
	change(&st)
	row, err := exchange.EncodeTile(st.Sends, st.Controls, st.Horizon)
	if err != nil {
		t.Fatal(err)
	}
	rows = slices.Clone(rows)
	rows[tile] = row
	return rows
}

func TestCheckReportsMutations(t *testing.T) {
	const a, b = 0x60000, 0x68000
	p := chip(
		msg(5, 64, a, to(100, b)),
		msg(6, 64, a, to(100, b+0x100)),
		msg(100, 30, a, to(200, b), to(7, b)),
		msg(8, 10, a, to(100, b+0x1000)),
	)
	s := schedule(p, 32, 94, 200, 300)
	rows := encode(t, p, s)
	if _, err := Check(p, rows, nil); err != nil {
		t.Fatal(err)
	}
	nth := func(st *exchange.TileStream, stream exchange.Stream, n int) int {
		for i, c := range st.Controls {
			if c.Stream == stream {
				if n == 0 {
					return i
				}
				n--
			}
		}
		t.Fatal("no such control")
		return -1
	}
	drop := func(stream exchange.Stream, n int) func(*exchange.TileStream) {
		return func(st *exchange.TileStream) {
			i := nth(st, stream, n)
			st.Controls = slices.Delete(st.Controls, i, i+1)
		}
	}
	for _, c := range []struct {
		name    string
		tile    int
		change  func(*exchange.TileStream)
		rule    Rule
		at      int // tile of the violation
		message int
	}{
		{"send one event later", 5, func(st *exchange.TileStream) { st.Sends[0].Start++; st.Horizon++ }, Select, 100, 0},
		{"send one event earlier", 8, func(st *exchange.TileStream) { st.Sends[0].Start--; st.Horizon-- }, Select, 100, 3},
		{"multicast one event later", 100, func(st *exchange.TileStream) { st.Sends[0].Start++ }, Select, 7, 2},
		{"trailing delay", 5, func(st *exchange.TileStream) { st.Horizon++ }, R14, 5, -1},
		{"other source address", 6, func(st *exchange.TileStream) { st.Sends[0].ItemAddr++ }, Send, 6, 1},
		{"one word fewer", 6, func(st *exchange.TileStream) { st.Sends[0].Items-- }, Send, 6, -1},
		{"other direction", 5, func(st *exchange.TileStream) { st.Sends[0].Ctl ^= 3 }, Send, 5, 0},
		{"message sent twice", 8, func(st *exchange.TileStream) {
			st.Sends = append([]exchange.RowSend{st.Sends[0]}, st.Sends...)
			st.Sends[0].Start -= 20
		}, Send, 8, -1},
		{"no send", 8, func(st *exchange.TileStream) { st.Sends = nil }, Send, 8, 3},
		{"pointer", 100, func(st *exchange.TileStream) { st.Controls[nth(st, exchange.PointerStream, 0)].Value++ }, Pointer, 100, 0},
		{"pointer late", 100, func(st *exchange.TileStream) { st.Controls[nth(st, exchange.PointerStream, 1)].Event++ }, Pointer, 100, 3},
		{"no pointer", 100, drop(exchange.PointerStream, 1), Pointer, 100, 3},
		{"pointer where the run continues", 100, func(st *exchange.TileStream) {
			i := nth(st, exchange.PointerStream, 0)
			extra := st.Controls[i]
			extra.Event += 64
			extra.Value += 64
			st.Controls = append(st.Controls, extra)
			slices.SortStableFunc(st.Controls, func(a, b exchange.RowControl) int { return int(a.Event - b.Event) })
		}, R8, 100, 1},
		{"final neutral dropped", 100, drop(exchange.SourceStream, 4), R6, 100, 3},
		{"neutral dropped", 100, drop(exchange.SourceStream, 2), R6, 100, 1},
		{"neutral at the cutover", 100, func(st *exchange.TileStream) {
			st.Controls[nth(st, exchange.SourceStream, 1)].Value = device.NeutralSource
		}, Select, 100, 1},
		{"no select", 7, drop(exchange.SourceStream, 0), Select, 7, 2},
		{"source", 100, func(st *exchange.TileStream) { st.Controls[0].Value = uint32(device.Physical(6)) }, Select, 100, 0},
		{"lane", 200, func(st *exchange.TileStream) { st.Controls[0].Sel = 1 }, Select, 200, 2},
		{"format", 200, func(st *exchange.TileStream) {
			st.Controls = slices.Insert(st.Controls, 0, exchange.RowControl{Event: 9, Stream: exchange.PointerStream, Sel: 1, Value: 1})
		}, Format, 200, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Check(p, mutate(t, p, s, rows, c.tile, c.change), nil)
			v := wantRule(t, err, c.rule)
			if v.Phase != p.Phase || v.Tile != c.at || v.Message != c.message {
				t.Errorf("%v; want tile %d, message %d", v, c.at, c.message)
			}
		})
	}

	raw := func(tile int, change func([]uint32) []uint32) error {
		changed := slices.Clone(rows)
		changed[tile] = change(slices.Clone(rows[tile]))
		_, err := Check(p, changed, nil)
		return err
	}
	for cut := range rows[100] {
		if cut > 0 {
			wantRule(t, raw(100, func(w []uint32) []uint32 { return w[:cut] }), Row)
		}
	}
	wantRule(t, raw(100, func(w []uint32) []uint32 { return append(w, w...) }), Row)
	wantRule(t, raw(100, func(w []uint32) []uint32 { w[0] = 0; return w }), Row)
	wantRule(t, raw(100, func(w []uint32) []uint32 { w[0] = 0x41800003; return w }), Row) // sync
	wantRule(t, raw(100, func([]uint32) []uint32 { return nil }), Send)
	wantRule(t, raw(200, func([]uint32) []uint32 { return nil }), R14)
	wantRule(t, raw(300, func([]uint32) []uint32 { return rows[5][1:] }), Send)
	wantRule(t, raw(300, func([]uint32) []uint32 { return []uint32{0x40a00000, 0x43a00000} }), R14)
	// The row of an inactive tile is a bare return (reference: device.md §6.4).
	if err := raw(300, func([]uint32) []uint32 { return []uint32{0x43a00000} }); err != nil {
		t.Error(err)
	}
}
