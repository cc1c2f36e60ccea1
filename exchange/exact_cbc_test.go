package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ipusolve/exchange"
	"ipusolve/solve"
	"ipusolve/solve/format"
)

// TestExactAgainstCBC holds exact search on problems of 6 to 12 messages against
// a time-indexed model that CBC solves: a variable for every message and start.
// No receive continues an address run here, so all rules but R12 are about two
// messages; a solution of CBC's that R12 forbids is excluded and CBC asked again.
func TestExactAgainstCBC(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const want = 15 // 500 have been compared, in a quarter of an hour
	if _, err := exec.LookPath("cbc"); err != nil {
		t.Skip(err)
	}
	rng := rand.New(rand.NewPCG(78, 1))
	dir := t.TempDir()
	compared, above, closed, unsettled := 0, 0, 0, 0
	for compared < want {
		p := separate(small(rng, 6+rng.IntN(7)))
		starts, optimum, err := exchange.Exact(context.Background(), p, exchange.Best(p).Horizon, 1<<20, 20000)
		if err != nil {
			t.Fatal(err)
		}
		if starts == nil || horizonOf(p, starts) != optimum {
			compared++ // not proven: nothing is claimed
			continue
		}
		if !legal(p, starts, optimum) {
			t.Fatalf("illegal: %v\n%+v", starts, p.Messages)
		}
		if variables(p, optimum) > 400 {
			continue // too much for CBC
		}
		got, ok := timeIndexed(t, p, optimum, filepath.Join(dir, "m.mps"))
		if !ok {
			unsettled++
			continue
		}
		compared++
		closed++
		if optimum > exchange.Best(p).Horizon {
			above++
		}
		if got != optimum {
			t.Fatalf("problem %d: CBC says %d, exact search %d\n%+v", compared, got, optimum, p.Messages)
		}
	}
	t.Logf("%d of %d proven optimal, %d optima above the bound; %d that CBC did not settle", closed, compared, above, unsettled)
	if closed < want*9/10 {
		t.Error("too few")
	}
}

// separate gives every receive a place that continues no other.
func separate(p *exchange.Problem) *exchange.Problem {
	for i := range p.Messages {
		for d := range p.Messages[i].Dests {
			a := &p.Messages[i].Dests[d].Addr
			*a = *a&^0x7ff + uint32(0x7ff&(512*(*a>>2)+96*uint32(i)))&^3
		}
	}
	ends := map[[2]int64]bool{}
	for i := range p.Messages {
		for _, d := range p.Messages[i].Dests {
			ends[[2]int64{int64(d.Tile), int64(d.Addr) + 4*int64(p.Messages[i].Words)}] = true
		}
	}
	kept := p.Messages[:0]
	for _, m := range p.Messages {
		run := false
		for _, d := range m.Dests {
			run = run || ends[[2]int64{int64(d.Tile), int64(d.Addr)}]
		}
		if !run {
			kept = append(kept, m)
		}
	}
	p.Messages = kept
	return p
}

func horizonOf(p *exchange.Problem, start []int32) int32 {
	h := int32(0)
	for i := range p.Messages {
		for _, w := range windowsOf(&p.Messages[i]) {
			h = max(h, start[i]+w.completes)
		}
	}
	return h
}

// span is the first and the last start of a message within a horizon.
func span(w []window, h int32) (first, last int32) {
	last = h
	for _, v := range w {
		if !v.send {
			first = max(first, 1-v.at)
		}
		last = min(last, h-v.completes)
	}
	return first, last
}

func variables(p *exchange.Problem, h int32) int {
	sum := 0
	for i := range p.Messages {
		first, last := span(windowsOf(&p.Messages[i]), h)
		sum += int(last - first + 1)
	}
	return sum
}

// points tells whether the pointer of one message falls on the first event of the
// other's send, or the other way round (R5).
func points(a, b []window, x, y int32) bool {
	one := func(send window, receives []window, x, y int32) bool {
		for _, r := range receives {
			if r.tile == send.tile && y+r.memory == x+1 {
				return true
			}
		}
		return false
	}
	return one(a[0], b[1:], x, y) || one(b[0], a[1:], y, x)
}

// timeIndexed is the least horizon up to h that CBC finds; not ok: it takes too
// long.
func timeIndexed(t *testing.T, p *exchange.Problem, h int32, file string) (horizon int32, ok bool) {
	t.Helper()
	n := len(p.Messages)
	all := make([][]window, n)
	index := make([]map[int32]int, n)
	b := solve.NewBuilder("phase")
	end := b.Integer("H", 0, int64(h), 1)
	row := 0
	add := func(sense solve.Sense, rhs int64, terms ...solve.Term) {
		row++
		b.Row(fmt.Sprintf("r%d", row), sense, rhs, terms...)
	}
	type place struct{ tile, event int32 }
	sending, hearing := map[place][]solve.Term{}, map[place][]solve.Term{}
	var order []place
	type named struct {
		message int
		x       int32
	}
	names := map[string]named{}
	for i := range all {
		all[i] = windowsOf(&p.Messages[i])
		index[i] = map[int32]int{}
		first, last := span(all[i], h)
		length := h - last
		var once, late []solve.Term
		for x := first; x <= last; x++ {
			name := fmt.Sprintf("x%d_%d", i, x)
			v := b.Binary(name, 0)
			names[name] = named{i, x}
			index[i][x] = v
			once = append(once, solve.Term{Var: v, Coef: 1})
			late = append(late, solve.Term{Var: v, Coef: int64(x + length)})
			for _, w := range all[i] {
				lane := hearing
				if w.send {
					lane = sending
				}
				for e := x + w.at; e < x+w.at+w.n; e++ {
					at := place{w.tile, e}
					if len(sending[at])+len(hearing[at]) == 0 {
						order = append(order, at)
					}
					lane[at] = append(lane[at], solve.Term{Var: v, Coef: 1})
				}
			}
		}
		add(solve.EQ, 1, once...)
		add(solve.LE, 0, append(late, solve.Term{Var: end, Coef: -1})...)
	}
	for _, at := range order {
		for _, terms := range [][]solve.Term{sending[at], hearing[at]} {
			if len(terms) > 1 {
				add(solve.LE, 1, terms...)
			}
		}
	}
	for i := range all {
		for j := i + 1; j < n; j++ {
			first, last := span(all[i], h)
			firstJ, lastJ := span(all[j], h)
			for x := first; x <= last; x++ {
				var terms []solve.Term
				for y := firstJ; y <= lastJ; y++ {
					if !apart(all[i], all[j], x, y) || meets(all[i], all[j], x, y) || points(all[i], all[j], x, y) {
						terms = append(terms, solve.Term{Var: index[j][y], Coef: 1})
					}
				}
				if len(terms) > 0 {
					add(solve.LE, int64(len(terms)), append(terms, solve.Term{Var: index[i][x], Coef: int64(len(terms))})...)
				}
			}
		}
	}
	for cut := 0; ; cut++ {
		m, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		start := make([]int32, n)
		ones := askCBC(t, m, file)
		if ones == nil {
			return 0, false
		}
		for name := range ones {
			if v, ok := names[name]; ok {
				start[v.message] = v.x
			}
		}
		if legal(p, start, h) {
			return horizonOf(p, start), true
		}
		s := make([]solve.Term, n)
		for i := range s {
			s[i] = solve.Term{Var: index[i][start[i]], Coef: 1}
		}
		if cut > 50 {
			t.Fatalf("CBC keeps finding illegal starts: %v\n%+v", start, p.Messages)
		}
		add(solve.LE, int64(n-1), s...)
	}
}

// askCBC gives the names of the variables that are 1 in CBC's optimum, nil if CBC
// does not prove one in two seconds.
func askCBC(t *testing.T, m *solve.Model, file string) map[string]bool {
	t.Helper()
	f, err := os.Create(file)
	if err == nil {
		err = errors.Join(format.WriteMPS(f, m), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("cbc", file, "-sec", "2", "-ratioGap", "0", "-allowableGap", "0", "-solve", "-solution", file+".sol").CombinedOutput()
	if err != nil {
		t.Fatalf("cbc: %v\n%s", err, out)
	}
	text, err := os.ReadFile(file + ".sol")
	if err == nil && strings.HasPrefix(string(text), "Stopped") {
		return nil
	}
	if err != nil || !strings.HasPrefix(string(text), "Optimal") {
		t.Fatalf("cbc: %v\n%.200s", err, text)
	}
	ones := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "**"))
		if len(fields) >= 3 && strings.HasPrefix(fields[1], "x") {
			if v, err := strconv.ParseFloat(fields[2], 64); err == nil && v > 0.5 {
				ones[fields[1]] = true
			}
		}
	}
	return ones
}
