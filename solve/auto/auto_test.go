package auto_test

import (
	"context"
	"strings"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/auto"
	"ipusolve/solve/format"
	"ipusolve/solve/mip"
)

func answer(t testing.TB, lp string, effort int64) *auto.Answer {
	t.Helper()
	p, err := format.ReadLP(strings.NewReader(lp))
	if err != nil {
		t.Fatalf("%v\n%s", err, lp)
	}
	a, err := auto.Solve(context.Background(), p, mip.Solver{}, solve.Options{Effort: effort})
	if err != nil {
		t.Fatalf("%v\n%s", err, lp)
	}
	return a
}

// Degenerate, empty, infeasible, unbounded and large: each gets its true status.
func TestStatus(t *testing.T) {
	rat := func(a *auto.Answer) string {
		if a.Objective == nil {
			return "-"
		}
		return a.Objective.RatString()
	}
	for _, c := range []struct{ name, lp, status, objective string }{
		{"empty", "min\nst\nend", "optimal", "0"},
		{"constant", "max 3\nst\nend", "optimal", "3"},
		{"no rows", "min x - y\nst\nbounds\n 1 <= x <= 4\n y <= 2.5\nend", "optimal", "-3/2"},
		{"row without terms", "min x\nst\n x - x >= 1\nend", "infeasible", "-"},
		{"degenerate", "max x + y\nst\n x <= 1\n y <= 1\n x + y <= 2\n x + 2 y <= 3\n 2 x + y <= 3\nend", "optimal", "2"},
		{"infeasible", "min x\nst\n x >= 3\n x <= 2\nend", "infeasible", "-"},
		{"infeasible without bounds", "min x\nst\n x - y >= 1\n y - x >= 0\nend", "infeasible", "-"},
		{"bounds that cross", "min x\nst\n x + y >= 0\nbounds\n 3 <= x <= 2\n y <= 1\nend", "infeasible", "-"},
		{"no integer between", "min x\nst\n y <= 1\nbounds\n 0.2 <= x <= 0.8\ngeneral\n x\nend", "infeasible", "-"},
		{"unbounded", "min -x\nst\n x - y <= 1\nend", "unbounded", "-"},
		{"unbounded, maximised", "max x + y\nst\n x - y = 0\ngeneral\n x y\nend", "unbounded", "-"},
		{"unbounded below", "min x\nst\n x + y >= 0\nbounds\n x free\n y <= 3\n y >= 0\nend", "optimal", "-3"},
		{"free, bounded by rows", "min x\nst\n x >= -7.5\n x - y = 0\nbounds\n x free\n y free\nend", "optimal", "-15/2"},
		{"unbounded rows, bounded objective", "min x + y\nst\n x + y >= 2.5\n x - z >= -1\nend", "optimal", "5/2"},
		{"unbounded ray, infeasible", "min -x\nst\n x >= 1\n y + z = 5\n y <= 2\n z <= 2\nend", "infeasible", "-"},
		{"large coefficients", "max 900000000000000 x + y\nst\n 4503599627370496 x + y <= 4503599627370497\nbounds\n x <= 1\n y <= 1000\ngeneral\n x y\nend", "optimal", "900000000000001"},
	} {
		a := answer(t, c.lp, 0)
		if a.Status != c.status || rat(a) != c.objective || a.Within {
			t.Errorf("%s: %s %s (within: %v), want %s %s", c.name, a.Status, rat(a), a.Within, c.status, c.objective)
		}
	}
}

// Where only assumed bounds end the search, nothing is claimed beyond them.
func TestWithin(t *testing.T) {
	// x is even and odd at once; a branching tree ends at assumed bounds only.
	a := answer(t, "min x\nst\n 2 y - 2 x = 1\nbounds\n x free\n y free\ngeneral\n x y\nend", 500)
	if a.Status == solve.Optimal.String() || a.Status == auto.Unbounded || a.Objective != nil {
		t.Errorf("%+v", a)
	}
}

func TestGap(t *testing.T) {
	a := answer(t, "max x\nst\n x <= 4\nend", 0)
	if a.Gap() != 0 || a.Objective.Cmp(a.Bound) != 0 {
		t.Errorf("%v", a)
	}
	if (&auto.Answer{}).Gap() != 1 {
		t.Error("a gap without a solution")
	}
}
