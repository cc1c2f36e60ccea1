package lower

import (
	"cmp"
	"fmt"
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

// cycles lists what looks like a repeat, by the steps saved: steps of the same
// kind between values of the same shape and layout.
func cycles(p *model.Plan) []cycle {
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
	slices.SortFunc(list, func(a, b cycle) int {
		return cmp.Or(cmp.Compare(b.period*(b.count-1), a.period*(a.count-1)), cmp.Compare(a.period, b.period), cmp.Compare(a.first, b.first))
	})
	return list
}
