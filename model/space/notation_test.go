package space

import (
	"errors"
	"strings"
	"testing"

	"ipusolve/model"
)

// TestNotation: every candidate's name is a pattern that matches it and no other.
func TestNotation(t *testing.T) {
	s := Shape{M: 40, K: 64, N: 48, Tiles: 12}
	for _, o := range []Options{{MatrixSums: true}, {Swapped: true, Replicas: true, MatrixSums: true}, {WeightsOnce: true, InPlace: true, Swapped: true}} {
		names := map[string]bool{}
		s.Each(o, func(c Gemm) {
			text := c.String()
			if names[text] {
				t.Errorf("two candidates %s", text)
			}
			names[text] = true
			p, err := ParsePattern(text)
			if err != nil || !p.Matches(c) {
				t.Fatalf("%s: %+v, %v", text, p, err)
			}
			other := c
			other.Interleaved = !c.Interleaved
			if p.Matches(other) || s.Refusal(p, o) != "" {
				t.Errorf("%s matches %s, or is refused", text, other)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	c := Gemm{R: 3, Q: 54, K: 9, Rho: 9, Kappa: 1, Interleaved: true, Gathered: true, Slices: 3}
	for text, want := range map[string]bool{
		"N": true, "S": false, "N(3,54,9)": true, "N(*,54,*)": true, "N(3,54,8)": false, "N(3,54,9)/9x1": true, "N/1x9": false,
		"N/interleaved-gathered-3": true, "N/interleaved": false, "N/kernel": true, "*": true, "*(*,54,9)/9x1": true, "*/matrix": false, "N/matrix": false,
	} {
		p, err := ParsePattern(text)
		if err != nil || p.Matches(c) != want {
			t.Errorf("%s: %v, %v", text, p.Matches(c), err)
		}
	}
	for _, text := range []string{"", "X", "n(1,2,3)", "N(", "N(1,2)", "N(1,2,3", "N(0,2,3)", "N(-1,2,3)", "N(1,2,3)x", "N/", "N/2x", "N/0x2", "N/2x2/2x2", "N/matrix/kernel", "N/blue", "N(1,2,99999999999)"} {
		if _, err := ParsePattern(text); !errors.Is(err, model.ErrUsage) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRefusals names the rule that rules a pattern out.
func TestRefusals(t *testing.T) {
	s := Shape{M: 5, K: 64, N: 48, Tiles: 12}
	for _, x := range []struct {
		text, want string
		o          Options
	}{
		{"S(1,1,1)", "swapped", Options{}},
		{"N(6,1,1)", "6 parts of the streamed rows: there are 5", Options{}},
		{"N(1,4,1)", "4 parts of the loaded columns: there are 3 blocks", Options{}},
		{"N(1,1,5)", "5 inner parts: there are 4 blocks", Options{}},
		{"N(5,3,1)", "needs 15 tiles, there are 12", Options{}},
		{"S(4,1,1)", "4 parts of the streamed rows: there are 3, in units of 16", Options{Swapped: true}},
		{"N(1,1,4)/2x1", "want 4 in all", Options{}},
		{"N(5,1,2)/2x1", "empty", Options{}},
		{"N(5,1,1)/matrix", "no partials", Options{MatrixSums: true}},
		{"N(2,1,2)/matrix", "without matrix-sums", Options{}},
		{"*/matrix", "without matrix-sums", Options{Swapped: true}},
		{"*(5,1,1)", "", Options{Swapped: true}},
		{"*(99,1,1)", "99 parts", Options{Swapped: true}},
		{"N(1,1,2)/standard-gathered", "nothing is gathered", Options{}},
		{"N(2,1,2)/standard", "stored once", Options{WeightsOnce: true}},
		{"N(2,1,2)/standard-gathered-in-place", "in place only", Options{}},
		{"N(4,1,2)/standard-gathered-3", "4 tiles need a block", Options{Replicas: true}},
		{"N(4,1,2)/standard-gathered-2", "", Options{Replicas: true}},
	} {
		p, err := ParsePattern(x.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Refusal(p, x.o); (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%s: %q, want %q", x.text, got, x.want)
		}
	}
}

func FuzzParsePattern(f *testing.F) {
	for _, text := range []string{"N(3,54,9)/9x1/interleaved-gathered-3/matrix", "S", "N(*,1,1)/kernel"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ParsePattern(text); err != nil && !errors.Is(err, model.ErrUsage) {
			t.Error(err)
		}
	})
}
