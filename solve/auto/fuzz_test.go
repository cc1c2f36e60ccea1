package auto_test

import (
	"context"
	"strings"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/auto"
	"ipusolve/solve/cert"
	"ipusolve/solve/format"
)

// Nothing that can be written in a model file ends the process, and every answer
// has a certificate that is accepted.
func FuzzSolve(f *testing.F) {
	f.Add("max 9007199254740991 x + y\nst\n 0.5 x - y <= 1\n -3 <= x + 4503599627370496 y <= 1e15\nbounds\n x <= 1e6\n y <= 3.7\ngeneral\n x\nend")
	f.Add("min x - 1e-9 y\nst\n x + y >= -1e9\n 2 x - 2 y = 1\nbounds\n x free\n y free\ngeneral\n x y\nend")
	f.Add("min x\nst\n 0 x >= 0\n 0 y <= -1\nbounds\n 3 <= x <= 2\nbinary\n y\nend")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := format.ReadLP(strings.NewReader(text))
		if err != nil || len(p.Model.Vars) > 12 || len(p.Model.Rows) > 12 {
			return
		}
		a, err := auto.Solve(context.Background(), p, auto.Solver{}, solve.Options{Effort: 100})
		if err != nil {
			t.Fatal(err)
		}
		if a.Uncertified {
			return
		}
		if _, err := cert.Check(p.Model, a.Result.Certificate); err != nil {
			t.Fatal(err)
		}
	})
}
