package eval

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func zeros(like Tensor) Tensor {
	return Tensor{Shape: like.Shape, Data: make([]uint16, len(like.Data))}
}

// TestZeroOutputFails: an all-zero output passes no exact and no scaled test.
func TestZeroOutputFails(t *testing.T) {
	for _, s := range shapes {
		want, err := ExactReference(s.chain, generate(t, s.chain, ExactData))
		if err != nil {
			t.Fatal(err)
		}
		_, scaled, err := ScaledData(s.chain)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Report{CheckExact(zeros(want), want), CheckScaled(zeros(scaled), scaled, s.chain.Blocks())} {
			if r.Pass || r.MaxAbsError == 0 || !strings.Contains(r.Detail, "is 0, want") {
				t.Errorf("%s: %+v", s.name, r)
			}
		}
		for _, r := range []Report{CheckExact(want, want), CheckScaled(scaled, scaled, s.chain.Blocks())} {
			if !r.Pass || r.MaxAbsError != 0 || r.Detail != "" {
				t.Errorf("%s: reference against itself: %+v", s.name, r)
			}
		}
	}
}

func TestFullSizeZeroOutputFails(t *testing.T) {
	if testing.Short() {
		t.Skip("evaluates the full-size MLP twice")
	}
	c := MLP(729, 1152, 4304, 1)
	want, err := ExactReference(c, generate(t, c, ExactData))
	if err != nil {
		t.Fatal(err)
	}
	if r := CheckExact(zeros(want), want); r.Pass {
		t.Errorf("%+v", r)
	}
	want, err = Reference(c, generate(t, c, SeedData))
	if err != nil {
		t.Fatal(err)
	}
	if r := CheckSeed(zeros(want), want); r.Pass {
		t.Errorf("%+v", r)
	}
	if r := CheckSeed(want, want); !r.Pass {
		t.Errorf("%+v", r)
	}
}

func TestTolerances(t *testing.T) {
	tensor := func(x ...float32) Tensor { return FromFloat32([]int{1, len(x)}, x) }
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	infinite := Tensor{Shape: []int{1, 1}, Data: []uint16{0x7c00}}
	negative := Tensor{Shape: []int{1, 2}, Data: []uint16{0x8000, 0x3c00}}
	for _, c := range []struct {
		name string
		r    Report
		pass bool
		err  float64
	}{
		{"seed, inside", CheckSeed(tensor(1.0791), tensor(1)), true, 0.0791015625},
		{"seed, outside", CheckSeed(tensor(1.0811), tensor(1)), false, 0.0810546875},
		{"seed, small", CheckSeed(tensor(0.0299), tensor(0)), true, 0.0299072265625},
		{"seed, NaN", CheckSeed(tensor(nan), tensor(1)), false, 0},
		{"seed, infinite", CheckSeed(infinite, tensor(65504)), false, 0},
		{"seed, saturated", CheckSeed(tensor(inf), tensor(65504)), true, 0},
		{"seed, shape", CheckSeed(tensor(1, 1), tensor(1)), false, 0},
		{"exact, one step", CheckExact(tensor(1.0009765625), tensor(1)), false, 0.0009765625},
		{"exact, negative zero", CheckExact(negative, tensor(0, 1)), true, 0},
		{"exact, nothing but zeros", CheckExact(tensor(0), tensor(0)), false, 0},
		{"scaled, inside", CheckScaled(tensor(1.0390625), tensor(1), 1), true, 0.0390625},
		{"scaled, outside", CheckScaled(tensor(1.041015625), tensor(1), 1), false, 0.041015625},
		{"scaled, four blocks", CheckScaled(tensor(1.078125), tensor(1), 4), true, 0.078125},
		{"scaled, reference too small", CheckScaled(tensor(0.1), tensor(0.1), 1), false, 0},
		{"scaled, reference too large", CheckScaled(tensor(21), tensor(21), 1), false, 0},
	} {
		if c.r.Pass != c.pass || c.r.Pass != (c.r.Detail == "") || c.r.MaxAbsError != c.err {
			t.Errorf("%s: %+v", c.name, c.r)
		}
	}
	r := CheckExact(FromFloat32([]int{2, 2}, []float32{1, 2, 5, 7}), FromFloat32([]int{2, 2}, []float32{1, 2, 3, 4}))
	if r.Detail != "element [1 0] is 5, want 3" || r.MaxAbsError != 3 {
		t.Errorf("%+v", r)
	}
}

// TestLostTermIsSeen: taking any single input element away changes the exact
// test's output, so a lost word of the input cannot pass.
func TestLostTermIsSeen(t *testing.T) {
	c := MLP(7, 48, 80, 1)
	d := generate(t, c, ExactData)
	want, err := ExactReference(c, d)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range d.Input.Data {
		if d.Input.At(i) == 0 {
			continue
		}
		lost := Data{Input: Tensor{Shape: d.Input.Shape, Data: slices.Clone(d.Input.Data)}, Weights: d.Weights}
		lost.Input.Data[i] = 0
		got, err := ExactReference(c, lost)
		if err != nil {
			t.Fatal(err)
		}
		if r := CheckExact(got, want); r.Pass {
			t.Errorf("input element %d = %#04x may be lost", i, h)
		}
	}
}

func BenchmarkFullSize(b *testing.B) {
	c := MLP(729, 1152, 4304, 1)
	seed, exact := generate(b, c, SeedData), generate(b, c, ExactData)
	b.Run("SeedData", func(b *testing.B) {
		for b.Loop() {
			generate(b, c, SeedData)
		}
	})
	b.Run("Reference", func(b *testing.B) {
		for b.Loop() {
			if _, err := Reference(c, seed); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ExactData", func(b *testing.B) {
		for b.Loop() {
			generate(b, c, ExactData)
		}
	})
	b.Run("ExactReference", func(b *testing.B) {
		for b.Loop() {
			if _, err := ExactReference(c, exact); err != nil {
				b.Fatal(err)
			}
		}
	})
}
