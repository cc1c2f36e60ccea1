package planning

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/solve"
)

// Coverage says why a planning model over few candidates bounds all plans.
type Coverage struct {
	Candidates int // of the problem
	Oversized  int // break a memory limit whatever else is chosen
	Bounded    int // in no plan below the bound
	Dominated  int // replaceable by a candidate that is no worse beside any other
	Modelled   int // in the model
}

func (c Coverage) String() string {
	return fmt.Sprintf("%d candidates: %d exceed a limit, %d are in no plan below the bound, %d are dominated, %d in the model",
		c.Candidates, c.Oversized, c.Bounded, c.Dominated, c.Modelled)
}

// Recheck derives again, without the reductions of package encode, that a
// planning model bounds every plan of a problem: every variable is a candidate
// or a pair of candidates at no more than its price, every row is one that the
// problem's choices obey, and every candidate and pair left out is in no plan
// that costs less than bound. prices are the multipliers of the memory limits
// that the bounds may use, in 1/2^20 cycles a byte.
func Recheck(p *model.Problem, m *solve.Model, bound int64, prices map[string]int64) (Coverage, error) {
	if p.Family == model.FamilySeed {
		return recheckSeed(p, m, bound, prices)
	}
	b, err := newBuilder(p, nil)
	if err != nil {
		return Coverage{}, err
	}
	return checkCoverage(b.sel, m, bound, prices)
}

// checkCoverage is Recheck for a selection of all candidates.
func checkCoverage(sel *encode.Selection, m *solve.Model, bound int64, prices map[string]int64) (Coverage, error) {
	r := &recheck{sel: sel, bound: bound, steps: map[string][]int64{}, exact: map[pairOf]int64{}}
	r.count()
	if err := r.read(m); err != nil {
		return Coverage{}, fmt.Errorf("planning: model: %w", err)
	}
	r.prepare(prices)
	if err := r.cover(); err != nil {
		return r.seen, fmt.Errorf("planning: %w", err)
	}
	return r.seen, nil
}

type recheck struct {
	sel         *encode.Selection
	bound       int64
	inside      []map[int]int            // per node: candidates of the model → variable
	pairs       []map[[2]int32]solve.Var // per edge: pairs of the model; nil without pair variables
	value       [][]int64                // candidate cost plus separable bounds of its edges
	price       []int64                  // per limit
	entry       [][]int64                // price per node and entry of Candidate.Use
	front, back []map[int32]int64        // see unreachable
	total       int64
	steps       map[string][]int64
	exact       map[pairOf]int64
	open        [][]int   // candidates not yet ruled out
	parts       [][][]int // entries of Candidate.Use, by node and limit
	seen        Coverage
}

// read checks every variable and row of the model against the selection.
func (r *recheck) read(m *solve.Model) error {
	r.values()
	if m.Constant != 0 {
		return fmt.Errorf("constant %d", m.Constant)
	}
	known := make([]bool, len(m.Vars))
	r.inside = make([]map[int]int, len(r.sel.Nodes))
	paired := false
	for j := range r.sel.Edges {
		paired = paired || slices.ContainsFunc(m.Vars, func(v solve.Var) bool { return strings.HasPrefix(v.Name, r.sel.Edges[j].Name+"/") })
	}
	at := map[string]int{}
	for n := range r.sel.Nodes {
		at[r.sel.Nodes[n].Name] = n
		r.inside[n] = map[int]int{}
	}
	list := newCatalogue(r.sel)
	for j, v := range m.Vars {
		name, text, _ := strings.Cut(v.Name, "=")
		n, ok := at[name]
		if !ok {
			continue // a pair, or unknown
		}
		i, ok := list.candidate(n, text)
		if !ok {
			continue
		}
		most := r.sel.Nodes[n].Candidates[i].Cost
		if !paired {
			most = r.value[n][i]
		}
		if _, twice := r.inside[n][i]; twice || v.Kind != solve.Binary || v.Lower != 0 || v.Upper != 1 || v.Cost > most {
			return fmt.Errorf("variable %s costs %d, the candidate %d", v.Name, v.Cost, most)
		}
		r.inside[n][i], known[j] = j, true
	}
	if paired {
		if err := r.readPairs(m, known); err != nil {
			return err
		}
	}
	if j := slices.Index(known, false); j >= 0 {
		return fmt.Errorf("variable %s is no candidate", m.Vars[j].Name)
	}
	return r.readRows(m)
}

func (r *recheck) readPairs(m *solve.Model, known []bool) error {
	r.pairs = make([]map[[2]int32]solve.Var, len(r.sel.Edges))
	for e := range r.sel.Edges {
		edge := &r.sel.Edges[e]
		r.pairs[e] = map[[2]int32]solve.Var{}
		from, to := r.classes(edge.From, r.inside[edge.From]), r.classes(edge.To, r.inside[edge.To])
		for j, v := range m.Vars {
			if known[j] || !strings.HasPrefix(v.Name, edge.Name+"/") {
				continue
			}
			var k [2]int32
			if _, err := fmt.Sscanf(v.Name[len(edge.Name):], "/%d-%d", &k[0], &k[1]); err != nil || !from[k[0]] || !to[k[1]] {
				return fmt.Errorf("variable %s is no pair of classes", v.Name)
			}
			if exact := edge.Pair.Exact(k[0], k[1]); v.Kind != solve.Binary || v.Lower != 0 || v.Upper != 1 || v.Cost > exact {
				return fmt.Errorf("variable %s costs %d, the pair %d", v.Name, v.Cost, exact)
			}
			r.pairs[e][k], known[j] = v, true
		}
	}
	return nil
}

// readRows checks that every row holds for each choice within the model.
func (r *recheck) readRows(m *solve.Model) error {
	type row struct {
		sense solve.Sense
		rhs   int64
		coef  map[string]int64
	}
	want := map[string]row{}
	for n := range r.sel.Nodes {
		choose := row{solve.EQ, 1, map[string]int64{}}
		for _, j := range r.inside[n] {
			choose.coef[m.Vars[j].Name] = 1
		}
		want["choose/"+r.sel.Nodes[n].Name] = choose
	}
	for l := range r.sel.Limits {
		limit := row{solve.LE, r.sel.Limits[l].Amount, map[string]int64{}}
		for n := range r.sel.Nodes {
			for i, j := range r.inside[n] {
				if u := r.use(n, i, l); u > 0 {
					limit.coef[m.Vars[j].Name] = u
				}
			}
		}
		want[r.sel.Limits[l].Name] = limit
	}
	for e := range r.pairs {
		edge := &r.sel.Edges[e]
		for side, n := range []int{edge.From, edge.To} {
			name := [2]string{"/from", "/to"}[side]
			for class := range r.classes(n, r.inside[n]) {
				tie := row{solve.EQ, 0, map[string]int64{}}
				for k, v := range r.pairs[e] {
					if k[side] == class {
						tie.coef[v.Name] = 1
					}
				}
				for i, j := range r.inside[n] {
					if r.sel.Nodes[n].Candidates[i].Class == class {
						tie.coef[m.Vars[j].Name] = -1
					}
				}
				want[fmt.Sprintf("%s%s%d", edge.Name, name, class)] = tie
			}
		}
	}
	for _, got := range m.Rows {
		w, ok := want[got.Name]
		if !ok || got.Sense != w.sense || got.RHS != w.rhs || len(got.Terms) != len(w.coef) {
			return fmt.Errorf("row %s is not the problem's", got.Name)
		}
		for _, t := range got.Terms {
			if w.coef[m.Vars[t.Var].Name] != t.Coef {
				return fmt.Errorf("row %s: coefficient of %s", got.Name, m.Vars[t.Var].Name)
			}
		}
	}
	return nil
}

// classes is the set of classes of some candidates of a node.
func (r *recheck) classes(n int, only map[int]int) map[int32]bool {
	set := map[int32]bool{}
	for i := range only {
		set[r.sel.Nodes[n].Candidates[i].Class] = true
	}
	return set
}

// use is what a candidate takes of a limit.
func (r *recheck) use(n, i, limit int) int64 {
	var u int64
	amounts := r.sel.Nodes[n].Candidates[i].Use
	for _, j := range r.parts[n][limit] {
		u += amounts[j]
	}
	return u
}

// count lists, per node and limit, the entries of Candidate.Use that count there.
func (r *recheck) count() {
	r.parts = make([][][]int, len(r.sel.Nodes))
	for n := range r.sel.Nodes {
		r.parts[n] = make([][]int, len(r.sel.Limits))
		for j, counts := range r.sel.Nodes[n].Counts {
			for _, l := range counts {
				r.parts[n][l] = append(r.parts[n][l], j)
			}
		}
	}
}

// values adds the separable bounds of the edges to every candidate. Stages that
// share candidates and pair costs share the values.
func (r *recheck) values() {
	type kind struct {
		candidates *encode.Candidate
		in, out    encode.Pair
	}
	known := map[kind][]int64{}
	for n := range r.sel.Nodes {
		cands := r.sel.Nodes[n].Candidates
		k := kind{candidates: &cands[0]}
		if n > 0 && n <= len(r.sel.Edges) {
			k.in = r.sel.Edges[n-1].Pair
		}
		if n < len(r.sel.Edges) {
			k.out = r.sel.Edges[n].Pair
		}
		if known[k] == nil {
			values := make([]int64, len(cands))
			for i, c := range cands {
				values[i] = c.Cost
				if k.in != nil {
					values[i] += k.in.Right(c.Class)
				}
				if k.out != nil {
					values[i] += k.out.Left(c.Class)
				}
			}
			known[k] = values
		}
		r.value = append(r.value, known[k])
	}
}

func (r *recheck) prepare(prices map[string]int64) {
	r.price = make([]int64, len(r.sel.Limits))
	// Sums of priced amounts must not overflow.
	most := int64(1)
	for l := range r.sel.Limits {
		most += max(r.sel.Limits[l].Amount, -r.sel.Limits[l].Amount)
	}
	most = 1 << 60 / most
	for l := range r.sel.Limits {
		if v := prices[r.sel.Limits[l].Name]; v > 0 && v <= most {
			r.price[l] = v
		}
	}
	r.priceEntries()
	r.open = make([][]int, len(r.sel.Nodes))
	all := map[*encode.Candidate][]int{}
	for n := range r.sel.Nodes {
		first := &r.sel.Nodes[n].Candidates[0]
		if all[first] == nil {
			all[first] = make([]int, len(r.sel.Nodes[n].Candidates))
			for i := range all[first] {
				all[first][i] = i
			}
		}
		r.open[n] = all[first]
		r.seen.Candidates += len(r.open[n])
		r.seen.Modelled += len(r.inside[n])
	}
}

// priceEntries sums up the prices of the limits by entry of Candidate.Use.
func (r *recheck) priceEntries() {
	r.entry = make([][]int64, len(r.sel.Nodes))
	for n := range r.sel.Nodes {
		r.entry[n] = make([]int64, len(r.sel.Nodes[n].Counts))
		for j, counts := range r.sel.Nodes[n].Counts {
			for _, l := range counts {
				r.entry[n][j] += r.price[l]
			}
		}
	}
}

// lowered rules out what lower prices of the limits do: a candidate that leaves limits
// slack is bounded best where they cost nothing. Any prices give valid bounds.
func (r *recheck) lowered() {
	given := r.price
	for _, factor := range [...]int64{0, 1, 2, 3} { // quarters
		if r.covered() || r.nothing() {
			break
		}
		r.price = make([]int64, len(given))
		for l, p := range given {
			r.price[l] = p / 4 * factor
		}
		r.priceEntries()
		r.seen.Bounded += r.bounded() + r.unreachable(true)
	}
	r.price = given
	r.priceEntries()
}

// drop rules candidates of a node out, except those of the model.
func (r *recheck) drop(n int, out func(i int) bool) int {
	var left []int // not in place: stages alike start with one list
	for _, i := range r.open[n] {
		if _, modelled := r.inside[n][i]; modelled || !out(i) {
			left = append(left, i)
		}
	}
	before := len(r.open[n])
	r.open[n] = left
	return before - len(left)
}

// cover rules out what is not in the model, by rules that hold one after the
// other.
func (r *recheck) cover() error {
	r.seen.Oversized = r.oversized()
	if r.nothing() {
		return nil // no plan at all
	}
	r.seen.Bounded = r.bounded()
	for _, exact := range []bool{false, true} {
		if r.covered() || r.nothing() {
			break
		}
		r.seen.Bounded += r.unreachable(exact)
	}
	r.lowered()
	for changed := true; changed && !r.covered() && !r.nothing(); {
		r.seen.Dominated += r.dominated()
		n := r.unreachable(true)
		r.seen.Bounded += n
		changed = n > 0
	}
	if !r.covered() && !r.nothing() && r.tried() {
		for n := range r.open {
			r.seen.Bounded += r.drop(n, func(int) bool { return true })
		}
		return nil
	}
	for n := range r.open {
		for _, i := range r.open[n] {
			if _, ok := r.inside[n][i]; !ok {
				return fmt.Errorf("candidate %s of %s is left out of the model, but may be part of a plan below %d", r.sel.Nodes[n].Describe(i), r.sel.Nodes[n].Name, r.bound)
			}
		}
	}
	if r.nothing() {
		return nil
	}
	if err := r.missingPairs(); err != nil && !r.tried() {
		return err
	}
	return nil
}

// nothing tells whether some node has no candidate left, in the model or outside.
func (r *recheck) nothing() bool {
	return slices.ContainsFunc(r.open, func(list []int) bool { return len(list) == 0 })
}

// covered tells whether all candidates outside the model are ruled out.
func (r *recheck) covered() bool {
	for n := range r.open {
		if len(r.open[n]) > len(r.inside[n]) {
			return false
		}
	}
	return true
}

// oversized rules out candidates that exceed a limit beside the smallest others.
func (r *recheck) oversized() int {
	total := 0
	for removed := 1; removed > 0; total += removed {
		removed = 0
		sum := make([]int64, len(r.sel.Limits))
		least := make([]map[string]int64, len(r.open)) // by the entries that a limit counts
		for n := range r.open {
			least[n] = map[string]int64{}
			for l := range r.sel.Limits {
				name := fmt.Sprint(r.parts[n][l])
				if _, ok := least[n][name]; !ok {
					v := int64(math.MaxInt64)
					for _, i := range r.open[n] {
						v = min(v, r.use(n, i, l))
					}
					least[n][name] = v
				}
				sum[l] += least[n][name]
			}
		}
		for n := range r.open {
			type cap struct {
				limit int
				most  int64
			}
			caps := map[string]cap{}
			for l := range r.sel.Limits {
				name := fmt.Sprint(r.parts[n][l])
				most := r.sel.Limits[l].Amount - sum[l] + least[n][name]
				if c, ok := caps[name]; !ok || most < c.most {
					caps[name] = cap{l, most}
				}
			}
			list := slices.Collect(maps.Values(caps))
			removed += r.drop(n, func(i int) bool {
				return slices.ContainsFunc(list, func(c cap) bool { return r.use(n, i, c.limit) > c.most })
			})
		}
	}
	return total
}

const priceUnit = 1 << 20

// scaled is a candidate's value with its uses priced, in 1/priceUnit.
func (r *recheck) scaled(n, i int) int64 {
	v := r.value[n][i] * priceUnit
	for j, amount := range r.sel.Nodes[n].Candidates[i].Use {
		v += r.entry[n][j] * amount
	}
	return v
}

// base is the bound on all choices of open candidates, and every node's share.
func (r *recheck) base() (int64, []int64) {
	var total int64
	least := make([]int64, len(r.open))
	for n := range r.open {
		least[n] = math.MaxInt64
		for _, i := range r.open[n] {
			least[n] = min(least[n], r.scaled(n, i))
		}
		total += least[n]
	}
	for l, p := range r.price {
		total -= p * r.sel.Limits[l].Amount
	}
	return total, least
}

// reaches tells whether a scaled bound, rounded up to whole cycles, is at least
// the bound.
func (r *recheck) reaches(scaled int64) bool { return scaled > (r.bound-1)*priceUnit }

func (r *recheck) bounded() int {
	total, least := r.base()
	removed := 0
	for n := range r.open {
		removed += r.drop(n, func(i int) bool { return r.reaches(total - least[n] + r.scaled(n, i)) })
	}
	return removed
}

// dominated rules out candidates beside a cheaper one that uses no more and whose
// pair costs, at their worst, do not make up for it.
func (r *recheck) dominated() int {
	removed := 0
	for n := range r.open {
		if len(r.open[n]) == len(r.inside[n]) {
			continue
		}
		cands := r.sel.Nodes[n].Candidates
		margin := func(i int) int64 {
			var m int64
			for _, e := range r.sel.Edges {
				switch n {
				case e.From:
					m += e.Pair.Spread(cands[i].Class)
				case e.To:
					var most int64
					for a := range r.openClasses(e.From) {
						most = max(most, e.Pair.Spread(a))
					}
					m += most
				}
			}
			return m
		}
		ceilings := map[int]int64{}
		for _, d := range r.open[n] {
			ceilings[d] = r.value[n][d] + margin(d)
		}
		dominators := slices.Clone(r.open[n])
		removed += r.drop(n, func(i int) bool {
			return slices.ContainsFunc(dominators, func(d int) bool {
				if d == i || ceilings[d] > r.value[n][i] || ceilings[d] == r.value[n][i] && d > i {
					return false
				}
				for j, u := range cands[d].Use {
					if u > cands[i].Use[j] {
						return false
					}
				}
				return true
			})
		})
	}
	return removed
}

func (r *recheck) openClasses(n int) map[int32]int64 {
	m := map[int32]int64{}
	for _, i := range r.open[n] {
		class, v := r.sel.Nodes[n].Candidates[i].Class, r.scaled(n, i)
		if old, ok := m[class]; !ok || v < old {
			m[class] = v
		}
	}
	return m
}
