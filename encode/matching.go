package encode

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ipusolve/solve"
)

// Matching asks for rounds of transfers between senders and receivers: in a round
// each sender sends to one receiver at most, and each receiver receives from one
// sender at most. The sum of the rounds' durations is to be least.
//
// Split, a demand may be sent in pieces over several rounds, each of the round's
// whole duration: preemptive open shop. The least sum is the load of the busiest
// sender or receiver (Birkhoff and von Neumann; Gonzalez and Sahni).
//
// Whole, a demand is sent in one round, which lasts as long as its longest demand:
// edge colouring with weights, NP-hard.
type Matching struct {
	Name               string
	Senders, Receivers int
	Demands            []Demand
	Whole              bool
}

// Demand is what one sender has for one receiver; several demands may have the
// same ends.
type Demand struct {
	From, To int   // sender, receiver
	Words    int64 // > 0
}

// Round is a matching and how long it lasts, in words. Pairs are indices into
// Matching.Demands, ascending. Of a split matching each pair sends Duration words.
type Round struct {
	Duration int64
	Pairs    []int
}

// Component is a connected component, a part in short: parts share neither senders
// nor receivers and may run side by side.
type Component struct {
	Demands []int // ascending
	Rounds  []Round
	Total   int64 // sum of durations
	Bound   int64 // no rounds take less
	Busiest int   // sender, or Senders + receiver, with the largest load
	Load    int64 // its load, which is a bound
	// Proof shows a Bound above Load: of Columns' problem of this part.
	Proof *solve.ColumnProof
	Stats solve.ColumnStats
}

// Rounds is the answer to a matching. Total and Bound are those of the longest
// part; parts that do not decide them are not improved.
type Rounds struct {
	Status       solve.Status // Optimal or Feasible
	Components   []Component
	Total, Bound int64
}

// Validate checks indices and sizes.
func (m *Matching) Validate() error {
	var sum int64
	for k, d := range m.Demands {
		if d.From < 0 || d.From >= m.Senders || d.To < 0 || d.To >= m.Receivers {
			return fmt.Errorf("encode: %s: demand %d is from %d of %d to %d of %d", m.Name, k, d.From, m.Senders, d.To, m.Receivers)
		}
		if d.Words <= 0 || d.Words > mostWords-sum {
			return fmt.Errorf("encode: %s: demand %d has %d words", m.Name, k, d.Words)
		}
		sum += d.Words
	}
	return nil
}

// mostWords bounds the sum of all demands, so that scaled costs fit an int64.
const mostWords = 1 << 36

// SolveMatching finds rounds. Split ones come from repeated matchings, are always
// optimal, and need no solver. Whole ones start from the longest demands first, and
// column generation improves the parts that decide the total.
func SolveMatching(ctx context.Context, m *Matching, solver solve.ColumnSolver, opt solve.Options) (*Rounds, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	out := &Rounds{Components: m.parts()}
	for k := range out.Components {
		p := &out.Components[k]
		if m.Whole {
			p.Rounds = m.longestFirst(p.Demands)
		} else {
			p.Rounds = m.peel(p)
		}
		p.Total = total(p.Rounds)
		out.Bound = max(out.Bound, p.Bound)
	}
	if m.Whole {
		if err := m.improve(ctx, out, solver, opt); err != nil {
			return nil, err
		}
	}
	for k := range out.Components {
		out.Total, out.Bound = max(out.Total, out.Components[k].Total), max(out.Bound, out.Components[k].Bound)
	}
	out.Status = solve.Feasible
	if out.Total == out.Bound {
		out.Status = solve.Optimal
	}
	return out, nil
}

func total(rounds []Round) (sum int64) {
	for _, r := range rounds {
		sum += r.Duration
	}
	return sum
}

// improve solves the parts longer than the bound as column problems, longest
// first.
func (m *Matching) improve(ctx context.Context, out *Rounds, solver solve.ColumnSolver, opt solve.Options) error {
	order := make([]int, len(out.Components))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(out.Components[a].Total, out.Components[b].Total) })
	left := opt.Effort
	for _, k := range order {
		p := &out.Components[k]
		if p.Total <= out.Bound || ctx.Err() != nil || opt.Effort > 0 && left <= 0 {
			continue
		}
		o := opt
		o.Effort = left
		r, err := solver.SolveColumns(ctx, m.columns(p), o)
		if err != nil {
			return fmt.Errorf("encode: %s: %w", m.Name, err)
		}
		left -= r.Stats.LPIterations
		p.Stats = r.Stats
		if r.Bound != nil {
			if b := ratCeil(r.Bound); b > p.Bound {
				p.Bound, p.Proof = b, r.Proof
			}
		}
		if r.Objective != nil && ratCeil(r.Objective) < p.Total {
			p.Rounds = m.roundsOf(p, r)
			p.Total = total(p.Rounds)
		}
		out.Bound = max(out.Bound, p.Bound)
	}
	return nil
}

// Check reports the first rule that rounds break: no matching, a wrong duration,
// words missing or too many, sums that are not sums.
func (m *Matching) Check(r *Rounds) error {
	sent := make([]int64, len(m.Demands))
	var longest int64
	for k := range r.Components {
		p := &r.Components[k]
		if p.Total != total(p.Rounds) || p.Bound > p.Total {
			return fmt.Errorf("encode: %s: part %d: total %d, bound %d", m.Name, k, p.Total, p.Bound)
		}
		longest = max(longest, p.Total)
		for _, round := range p.Rounds {
			used := map[int]bool{}
			var most int64
			for _, e := range round.Pairs {
				if e < 0 || e >= len(m.Demands) {
					return fmt.Errorf("encode: %s: part %d: demand %d of %d", m.Name, k, e, len(m.Demands))
				}
				d := &m.Demands[e]
				if used[d.From] || used[m.Senders+d.To] {
					return fmt.Errorf("encode: %s: part %d: two demands of one end in a round", m.Name, k)
				}
				used[d.From], used[m.Senders+d.To] = true, true
				most = max(most, d.Words)
				if m.Whole {
					sent[e] += d.Words
				} else {
					sent[e] += round.Duration
				}
			}
			if round.Duration <= 0 || m.Whole && round.Duration != most {
				return fmt.Errorf("encode: %s: part %d: a round of %d", m.Name, k, round.Duration)
			}
		}
	}
	for e, words := range sent {
		if words != m.Demands[e].Words {
			return fmt.Errorf("encode: %s: demand %d: %d of %d words", m.Name, e, words, m.Demands[e].Words)
		}
	}
	if r.Total != longest {
		return fmt.Errorf("encode: %s: total %d, the longest part takes %d", m.Name, r.Total, longest)
	}
	return nil
}

// parts are the connected components, in the order of their first demands, with
// their loads.
func (m *Matching) parts() []Component {
	root := make([]int, m.Senders+m.Receivers)
	for v := range root {
		root[v] = v
	}
	find := func(v int) int {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	load := make([]int64, len(root))
	for _, d := range m.Demands {
		root[find(d.From)] = find(m.Senders + d.To)
		load[d.From] += d.Words
		load[m.Senders+d.To] += d.Words
	}
	at := map[int]int{}
	var parts []Component
	for e, d := range m.Demands {
		r := find(d.From)
		k, ok := at[r]
		if !ok {
			k = len(parts)
			at[r] = k
			parts = append(parts, Component{})
		}
		p := &parts[k]
		p.Demands = append(p.Demands, e)
		for _, v := range [...]int{d.From, m.Senders + d.To} {
			if load[v] > p.Load {
				p.Load, p.Busiest = load[v], v
			}
		}
		p.Bound = p.Load
	}
	return parts
}

// longestFirst puts demands, from the longest on, into the first round where both
// ends are free.
func (m *Matching) longestFirst(demands []int) []Round {
	order := slices.Clone(demands)
	slices.SortStableFunc(order, func(a, b int) int { return -cmp.Compare(m.Demands[a].Words, m.Demands[b].Words) })
	var rounds []Round
	used := map[int][]bool{} // by end: in which rounds
	for _, e := range order {
		d := &m.Demands[e]
		a, b := used[d.From], used[m.Senders+d.To]
		k := 0
		for k < len(a) && a[k] || k < len(b) && b[k] {
			k++
		}
		if k == len(rounds) {
			rounds = append(rounds, Round{Duration: d.Words})
		}
		rounds[k].Pairs = append(rounds[k].Pairs, e)
		used[d.From], used[m.Senders+d.To] = mark(a, k), mark(b, k)
	}
	for k := range rounds {
		slices.Sort(rounds[k].Pairs)
	}
	return rounds
}

func mark(rounds []bool, k int) []bool {
	for len(rounds) <= k {
		rounds = append(rounds, false)
	}
	rounds[k] = true
	return rounds
}

// local numbers the ends of a part from 0.
type local struct {
	senders, receivers int
	from, to           []int32 // of the part's demands
}

func (m *Matching) local(demands []int) *local {
	l := &local{}
	from, to := map[int]int32{}, map[int]int32{}
	number := func(at map[int]int32, v int, n *int) int32 {
		k, ok := at[v]
		if !ok {
			k = int32(*n)
			at[v] = k
			*n++
		}
		return k
	}
	for _, e := range demands {
		l.from = append(l.from, number(from, m.Demands[e].From, &l.senders))
		l.to = append(l.to, number(to, m.Demands[e].To, &l.receivers))
	}
	return l
}

const noEdge = math.MaxInt32
