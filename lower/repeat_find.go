package lower

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ipusolve/model"
)

// cycle is a part of a plan that could be a repeat: count times period steps from
// the first on.
type cycle struct{ first, period, count int }

// iteration is that of a plan step; −1 outside.
func (s cycle) iteration(step int32) int {
	if i := int(step) - s.first; i >= 0 && i < s.period*s.count {
		return i / s.period
	}
	return -1
}

// cycles lists what looks like a repeat, the best first: steps of the same kind between
// values of the same shape and layout. Most steps saved are best; but of rotations,
// whose counts differ by one, the one that starts where least is alive: what an
// iteration leaves to the next has its memory throughout.
func cycles(prog *Program) []cycle {
	p := prog.Plan
	n := len(p.Steps)
	looks := make([]string, n)
	value := func(i int) string {
		v := &p.Values[i]
		return fmt.Sprintf("%d×%d %v %+v", v.Rows, v.Cols, v.Role == model.RoleWeight, v.Layout)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		looks[i] = fmt.Sprint(s.Kind, s.InPlace, s.Phase == model.NoPhase, value(s.Out))
		if s.Gemm != nil {
			looks[i] += fmt.Sprintf(" %+v", *s.Gemm)
		}
		for _, v := range s.In {
			looks[i] += " " + value(v)
		}
	}
	var list []cycle
	for period := 1; 2*period <= n; period++ {
		equal := 0 // steps from here on that look like those a period later
		for first := n - period - 1; first >= 0; first-- {
			if looks[first] == looks[first+period] {
				equal++
			} else {
				equal = 0
			}
			if count := 1 + equal/period; count > 1 {
				list = append(list, cycle{first, period, count})
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	saved := func(c cycle) int { return c.period * (c.count - 1) }
	best := slices.MaxFunc(list, func(a, b cycle) int {
		return cmp.Or(cmp.Compare(saved(a), saved(b)), cmp.Compare(b.period, a.period))
	})
	alive := aliveBefore(prog)
	given := func(c cycle) int64 { // to the first iteration; of shorter repeats it is no matter
		if saved(c) < saved(best)-best.period {
			return math.MaxInt64
		}
		return alive[c.first]
	}
	slices.SortFunc(list, func(a, b cycle) int {
		return cmp.Or(cmp.Compare(given(a), given(b)), cmp.Compare(saved(b), saved(a)), cmp.Compare(a.period, b.period), cmp.Compare(a.first, b.first))
	})
	return list
}

// aliveBefore is, per plan step, the bytes a tile at which values are alive that are made
// before the step and read by it or later. Weights, which stay, are left out.
func aliveBefore(p *Program) []int64 {
	bytes, made := make([]int64, len(p.Plan.Values)), make([]int, len(p.Plan.Values))
	for i := range p.Items {
		if it := &p.Items[i]; it.Kind == ItemValue {
			bytes[it.Value] = max(bytes[it.Value], int64(it.Bytes))
		}
	}
	last := slices.Repeat([]int{-1}, len(made))
	for i := range p.Plan.Steps {
		s := &p.Plan.Steps[i]
		made[s.Out] = i + 1
		for _, v := range s.In {
			last[v] = i
		}
	}
	alive := make([]int64, len(p.Plan.Steps))
	for v := range made {
		if p.Plan.Values[v].Role == model.RoleWeight && made[v] == 0 {
			continue
		}
		for i := made[v]; i <= last[v]; i++ {
			alive[i] += bytes[v]
		}
	}
	return alive
}
