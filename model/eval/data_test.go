package eval

import (
	"errors"
	"math"
	"slices"
	"testing"
)

var shapes = []struct {
	name  string
	chain Chain
}{
	{"64x128x256", MLP(64, 128, 256, 1)},
	{"7x48x80", MLP(7, 48, 80, 1)},
	{"1x48x80", MLP(1, 48, 80, 1)},
	{"64x128x256, 3 blocks", MLP(64, 128, 256, 3)},
	{"7x48x80, 3 blocks", MLP(7, 48, 80, 3)},
	{"1x48x80, 3 blocks", MLP(1, 48, 80, 3)},
}

// tiny are chains whose first data would show nothing: zeros, or values that
// stray far from 1.
var tiny = []Chain{
	MLP(1, 1, 1, 1), MLP(1, 1, 2, 1), MLP(1, 2, 1, 1), MLP(2, 1, 3, 1), MLP(1, 3, 2, 4), MLP(3, 5, 2, 2), MLP(1, 1, 1, 9), MLP(2, 2, 2, 27), MLP(1, 16, 16, 27),
	{1, []Op{{Gemm, 1, 1}}}, {1, []Op{{Gemm, 1, 1}, {Gelu, 1, 1}}}, {2, []Op{{Gemm, 3, 2}, {Gelu, 2, 2}, {Gelu, 2, 2}, {Gelu, 2, 2}, {Gelu, 2, 2}}},
	{1, []Op{{Gemm, 1, 1}, {Gelu, 1, 1}, {Gelu, 1, 1}, {Gemm, 1, 1}, {Gemm, 1, 3}}},
}

// TestTinyChains: the tests' guards are met however small or deep a chain is,
// zeros fail, and the reference is that of the data.
func TestTinyChains(t *testing.T) {
	for _, c := range tiny {
		d := generate(t, c, ExactData)
		want, err := ExactReference(c, d)
		if err != nil {
			t.Fatal(err)
		}
		if !CheckExact(want, want).Pass || CheckExact(zeros(want), want).Pass {
			t.Errorf("%v: the exact test shows nothing", c)
		}
		d, want, err = ScaledData(c)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if r := CheckScaled(want, want, c.Blocks()); !r.Pass || CheckScaled(zeros(want), want, c.Blocks()).Pass {
			t.Errorf("%v: the scaled test shows nothing: %v", c, r)
		}
		again, err := Reference(c, d)
		if err != nil || !slices.Equal(again.Data, want.Data) {
			t.Errorf("%v: the reference differs from that of the data (%v)", c, err)
		}
	}
	// So many GELUs leave nothing of values near 1, whatever the weights.
	c := Chain{1, []Op{{Gemm, 1, 1}}}
	for range 3000 {
		c.Ops = append(c.Ops, Op{Gelu, 1, 1})
	}
	if _, _, err := ScaledData(c); !errors.Is(err, ErrDegenerate) {
		t.Error(err)
	}
}

func generate(t testing.TB, c Chain, make func(Chain) (Data, error)) Data {
	t.Helper()
	d, err := make(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// scaledOnly is ScaledData without the reference.
func scaledOnly(c Chain) (Data, error) {
	d, _, err := ScaledData(c)
	return d, err
}

// TestSplitMix holds the published outputs of SplitMix64 from state 1234567.
func TestSplitMix(t *testing.T) {
	s := splitMix(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := s.next(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}

func moments(x []float32) (mean, sigma float64) {
	for _, y := range x {
		mean += float64(y)
	}
	mean /= float64(len(x))
	for _, y := range x {
		sigma += (float64(y) - mean) * (float64(y) - mean)
	}
	return mean, math.Sqrt(sigma / float64(len(x)))
}

func TestGaussianData(t *testing.T) {
	c := MLP(300, 128, 256, 2)
	seed, scaled := generate(t, c, SeedData), generate(t, c, scaledOnly)
	check := func(name string, x Tensor, want float64) {
		mean, sigma := moments(x.Float32())
		if math.Abs(sigma-want) > 0.02*want || math.Abs(mean) > 0.02*want {
			t.Errorf("%s: mean %g, sigma %g, want 0, %g", name, mean, sigma, want)
		}
	}
	check("seed input", seed.Input, 0.25)
	check("scaled input", scaled.Input, 1)
	for j := range 4 {
		check("seed weights", seed.Weights[j], 0.0625)
	}
	for j, want := range []float64{1 / math.Sqrt(128), 1.534 / 16, 1 / math.Sqrt(128), 1.534 / 16} {
		check("scaled weights", scaled.Weights[j], want)
	}
	if !slices.Equal(seed.Input.Shape, []int{300, 128}) || !slices.Equal(seed.Weights[1].Shape, []int{256, 128}) {
		t.Errorf("shapes %v, %v", seed.Input.Shape, seed.Weights[1].Shape)
	}
	again := generate(t, c, scaledOnly)
	if !slices.Equal(scaled.Weights[3].Data, again.Weights[3].Data) {
		t.Error("not deterministic")
	}
	if slices.Equal(scaled.Weights[0].Data, scaled.Weights[2].Data) {
		t.Error("two layers have equal weights")
	}
}

// TestExactData checks the value sets, densities and sums of simulator.md §8.2 and
// that outputs stay alive at any depth.
func TestExactData(t *testing.T) {
	count := func(w Tensor) (nonzero int) {
		for i := range w.Data {
			switch w.At(i) {
			case 1, -1:
				nonzero++
			case 0:
			default:
				t.Fatalf("weight %g", w.At(i))
			}
		}
		return nonzero
	}
	cases := append(slices.Clone(shapes), struct {
		name  string
		chain Chain
	}{"27 blocks", MLP(1, 32, 48, 27)}, struct {
		name  string
		chain Chain
	}{"GEMMs only", Chain{Rows: 5, Ops: []Op{{Gemm, 32, 16}, {Gemm, 16, 64}, {Gemm, 64, 16}}}})
	for _, c := range cases {
		d := generate(t, c.chain, ExactData)
		for i := range d.Input.Data {
			if x := d.Input.At(i); x != 0 && x != 4 && x != -4 {
				t.Fatalf("%s: input %g", c.name, x)
			}
		}
		for v, w := range d.Weights {
			n, size, cols := count(w), len(w.Data), w.Shape[1]
			switch {
			case v == 0 && (n < size/2 || n > size*3/4):
				t.Errorf("%s: %d of %d first weights are not 0", c.name, n, size)
			case v == 1 && (n < size/100 || n > size/32+cols+w.Shape[0]):
				t.Errorf("%s: %d of %d second weights are not 0", c.name, n, size)
			case v > 1 && n != cols:
				t.Errorf("%s: %d weights for %d columns", c.name, n, cols)
			}
		}
		want, err := ExactReference(c.chain, d)
		if err != nil {
			t.Fatal(err)
		}
		alive := 0
		for i := range want.Data {
			if want.At(i) != 0 {
				alive++
			}
		}
		if alive*5 < len(want.Data) {
			t.Errorf("%s: only %d of %d outputs are not 0", c.name, alive, len(want.Data))
		}
	}
}

// TestExactDataLowersDensity: a wide inner extent would exceed the bound at the
// usual densities.
func TestExactDataLowersDensity(t *testing.T) {
	c := MLP(2, 8192, 48, 1)
	d := generate(t, c, ExactData)
	nonzero := 0
	for i := range d.Weights[0].Data {
		if d.Weights[0].At(i) != 0 {
			nonzero++
		}
	}
	if share := float64(nonzero) / float64(len(d.Weights[0].Data)); math.Abs(share-1./3) > 0.01 {
		t.Errorf("share of nonzero weights %g, want half of 2/3", share)
	}
	if _, err := ExactReference(c, d); err != nil {
		t.Error(err)
	}
	// Each of 20000 hidden rows covered would put 1250 entries in a column.
	c = MLP(3, 16, 20000, 1)
	if _, err := ExactReference(c, generate(t, c, ExactData)); err != nil {
		t.Error(err)
	}
}

// TestExactReference compares with a plain evaluation in integers.
func TestExactReference(t *testing.T) {
	for _, s := range shapes {
		d := generate(t, s.chain, ExactData)
		x := make([]int, len(d.Input.Data))
		for i := range x {
			x[i] = int(d.Input.At(i))
		}
		w := d.Weights
		for _, op := range s.chain.Ops {
			if op.Kind == Gelu {
				for i := range x {
					x[i] = max(x[i], 0)
				}
				continue
			}
			y := make([]int, s.chain.Rows*op.N)
			for i := range y {
				magnitude := 0
				for k := range op.K {
					term := x[i/op.N*op.K+k] * int(w[0].At(k*op.N+i%op.N))
					y[i] += term
					magnitude += max(term, -term)
				}
				if magnitude > 8192 {
					t.Fatalf("%s: sum of magnitudes %d", s.name, magnitude)
				}
			}
			x, w = y, w[1:]
		}
		got, err := ExactReference(s.chain, d)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range x {
			if got.At(i) != float64(y) {
				t.Fatalf("%s: element %d is %g, want %d", s.name, i, got.At(i), y)
			}
		}
	}
}

func TestReferenceRefuses(t *testing.T) {
	c := MLP(7, 48, 80, 1)
	seed := generate(t, c, SeedData)
	if _, err := ExactReference(c, seed); !errors.Is(err, ErrInexact) {
		t.Errorf("seed data: %v", err)
	}
	dense := generate(t, MLP(1, 4096, 16, 1), ExactData)
	for i := range dense.Input.Data {
		dense.Input.Data[i] = toHalf(4)
	}
	for i := range dense.Weights[0].Data {
		dense.Weights[0].Data[i] = toHalf(1)
	}
	if _, err := ExactReference(MLP(1, 4096, 16, 1), dense); !errors.Is(err, ErrInexact) {
		t.Errorf("dense data: %v", err)
	}
	odd := generate(t, c, ExactData)
	odd.Input.Data[0] = toHalf(1)
	if _, err := ExactReference(c, odd); !errors.Is(err, ErrInexact) {
		t.Errorf("input of 1: %v", err)
	}
	for name, bad := range map[string]Chain{
		"no rows": MLP(0, 16, 16, 1), "no operators": {Rows: 1}, "no columns": MLP(1, 16, 0, 1),
		"mismatch": {Rows: 1, Ops: []Op{{Gemm, 16, 32}, {Gemm, 16, 16}}},
		"kind":     {Rows: 1, Ops: []Op{{0, 16, 16}}}, "gelu": {Rows: 1, Ops: []Op{{Gelu, 16, 32}}},
		"other shape": MLP(7, 48, 96, 1), "other rows": MLP(8, 48, 80, 1), "more blocks": MLP(7, 48, 80, 2),
	} {
		if _, err := Reference(bad, seed); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ExactReference(bad, seed); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, make := range []func(Chain) (Data, error){SeedData, scaledOnly, ExactData} {
		if _, err := make(MLP(1, 0, 1, 1)); !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
}

// TestReference compares with a plain float64 evaluation: the float32 sums leave at
// most one F16 step of difference.
func TestReference(t *testing.T) {
	c := MLP(7, 48, 80, 1)
	d := generate(t, c, scaledOnly)
	got, err := Reference(c, d)
	if err != nil {
		t.Fatal(err)
	}
	x, w := d.Input.Float32(), d.Weights
	for _, op := range c.Ops {
		y := make([]float32, c.Rows*op.N)
		for i := range y {
			if op.Kind == Gelu {
				z := float64(x[i])
				y[i] = float32(0.5 * z * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(z+0.044715*z*z*z))))
			} else {
				sum := 0.0
				for k := range op.K {
					sum += float64(x[i/op.N*op.K+k]) * w[0].At(k*op.N+i%op.N)
				}
				y[i] = float32(sum)
			}
			y[i] = fromHalf(toHalf(y[i]))
		}
		if op.Kind == Gemm {
			w = w[1:]
		}
		x = y
	}
	for i, y := range x {
		if math.Abs(got.At(i)-float64(y)) > 0x1p-9*max(0.5, math.Abs(float64(y))) {
			t.Errorf("element %d is %g, want %g", i, got.At(i), y)
		}
	}
}

func TestRounding(t *testing.T) {
	got := FromFloat32([]int{8}, []float32{65504, 65519, 65520, 1e9, float32(math.Inf(-1)), float32(math.NaN()), 0x1p-25, 2049})
	want := []uint16{0x7bff, 0x7bff, 0x7bff, 0x7bff, 0xfbff, 0x7e00, 0, 0x6800}
	if !slices.Equal(got.Data, want) {
		t.Errorf("%#04x, want %#04x", got.Data, want)
	}
}

func TestChain(t *testing.T) {
	if got := MLP(1, 2, 3, 5).Blocks(); got != 5 {
		t.Errorf("%d blocks", got)
	}
	if got := (Chain{Rows: 1, Ops: []Op{{Gelu, 2, 2}}}).Blocks(); got != 1 {
		t.Errorf("%d blocks of GELU alone", got)
	}
}
