package mip

import (
	"math"
	"math/big"

	"ipusolve/solve"
)

// maxReduced bounds scaled reduced costs, maxTotal the sum of their products
// with bounds, so that the arithmetic of evaluate cannot overflow.
const (
	maxReduced = 1 << 62
	maxTotal   = 1 << 125
)

// prover turns dual vectors into exact bounds. It owns scratch memory.
type prover struct {
	in *instance
	y  []int64 // dense numerators of the vector last evaluated
	rc []int64 // its reduced costs times its denominator
}

func newProver(in *instance) *prover {
	return &prover{in: in, y: make([]int64, len(in.rhs)), rc: make([]int64, len(in.cost))}
}

// evaluate returns den·(y·b + Σ_j min over the box of r_j·x_j), with the
// constant; for a Farkas vector the costs and the constant count as 0. It is
// false when the numbers are too large. The reduced costs stay in p.rc.
func (p *prover) evaluate(d *solve.Dual, b box, farkas bool) (int128, bool) {
	in := p.in
	clear(p.y)
	var sum int128
	var total float64
	for k, i := range d.Rows {
		p.y[i] = d.Num[k]
		sum = sum.add(mul128(d.Num[k], in.rhs[i]))
		total += math.Abs(float64(d.Num[k]) * float64(in.rhs[i]))
	}
	if !farkas {
		sum = sum.add(mul128(in.m.Constant, d.Den))
		total += math.Abs(float64(in.m.Constant) * float64(d.Den))
	}
	for j := range in.cost {
		var r int64
		var size float64
		if !farkas {
			size = math.Abs(float64(in.cost[j]) * float64(d.Den))
			r = in.cost[j] * d.Den
		}
		for k := in.start[j]; k < in.start[j+1]; k++ {
			if y := p.y[in.row[k]]; y != 0 {
				size += math.Abs(float64(y) * float64(in.coef[k]))
				r -= y * in.coef[k] // meaningless if size overflows, refused below
			}
		}
		if size > maxReduced {
			return int128{}, false
		}
		p.rc[j] = r
		x := b.lo[j]
		if r < 0 {
			x = b.hi[j]
		}
		if r != 0 && x != 0 {
			sum = sum.add(mul128(r, x))
			total += math.Abs(float64(r) * float64(x))
		}
	}
	return sum, total <= maxTotal
}

// roundUp is the least value ≥ x that an objective can have.
func (in *instance) roundUp(x *big.Rat) *big.Rat {
	if in.gran == 0 {
		return x
	}
	c := new(big.Rat).SetInt64(in.m.Constant)
	q := new(big.Rat).Sub(x, c)
	q.Quo(q, new(big.Rat).SetInt64(in.gran))
	n := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(q.Num()), q.Denom())) // ceiling: Denom > 0, Div floors
	return c.Add(c, new(big.Rat).SetInt(n.Mul(n, big.NewInt(in.gran))))
}

// need is the least numerator over den that proves "no better than best".
func (in *instance) need(best *big.Rat, den int64) (int128, bool) {
	x := new(big.Rat).Mul(best, new(big.Rat).SetInt64(den))
	if in.gran != 0 { // strictly above best − gran rounds up to best
		g := new(big.Int).Mul(big.NewInt(in.gran), big.NewInt(den))
		x.Sub(x, new(big.Rat).SetInt(g))
		z := new(big.Int).Div(x.Num(), x.Denom())
		return fromBig(z.Add(z, big.NewInt(1)))
	}
	return fromBig(new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(x.Num()), x.Denom())))
}

// proof is a dual vector with the bound it proves in some box.
type proof struct {
	dual  *solve.Dual
	bound *big.Rat // rounded up
}

// prove finds the best bound among roundings of y: denominators as small as y
// suggests, then the largest that fits. enough stops the search for more.
func (p *prover) prove(y []float64, b box, enough func(*big.Rat) bool) (proof, bool) {
	var best proof
	for _, d := range [...]*solve.Dual{p.in.simple(y), p.in.dyadic(y)} {
		if d == nil {
			continue
		}
		if q, ok := p.proof(d, b); ok && (best.bound == nil || q.bound.Cmp(best.bound) > 0) {
			best = q
		}
		if best.bound != nil && enough(best.bound) {
			break
		}
	}
	return best, best.bound != nil
}

func (p *prover) proof(d *solve.Dual, b box) (proof, bool) {
	num, ok := p.evaluate(d, b, false)
	if !ok {
		return proof{}, false
	}
	return proof{d, p.in.roundUp(new(big.Rat).SetFrac(num.big(), big.NewInt(d.Den)))}, true
}

// excludes reports whether y or −y, rounded, is a Farkas vector of the box.
func (p *prover) excludes(y []float64, b box) *solve.Dual {
	neg := make([]float64, len(y))
	for i := range y {
		neg[i] = -y[i]
	}
	for _, v := range [...][]float64{y, neg} {
		for _, d := range [...]*solve.Dual{p.in.simple(v), p.in.dyadic(v)} {
			if d == nil {
				continue
			}
			if num, ok := p.evaluate(d, b, true); ok && num.sign() > 0 {
				return d
			}
		}
	}
	return nil
}

// usable is y_i with wrong signs and noise removed.
func (in *instance) usable(i int, y float64) float64 {
	switch {
	case math.Abs(y) < 1e-11 || math.IsNaN(y) || math.IsInf(y, 0):
		return 0
	case in.sense[i] == solve.LE && y > 0, in.sense[i] == solve.GE && y < 0:
		return 0
	}
	return y
}

const (
	largestDenominator = 1000    // of a single multiplier
	largestCommon      = 1000000 // of the vector
)

// simple rounds y to fractions of small denominators; nil if y is not like that.
func (in *instance) simple(y []float64) *solve.Dual {
	d := &solve.Dual{Den: 1}
	for i := range y {
		v := in.usable(i, y[i])
		if v == 0 {
			continue
		}
		q, ok := denominator(v)
		if !ok {
			return nil
		}
		if d.Den = d.Den / gcd(d.Den, q) * q; d.Den > largestCommon {
			return nil
		}
	}
	return in.scaled(d, y)
}

// dyadic rounds y to multiples of the smallest 2^-k for which reduced costs
// still fit; nil if even k = 0 is too fine.
func (in *instance) dyadic(y []float64) *solve.Dual {
	size := make([]float64, len(y))
	for i := range y {
		size[i] = math.Abs(in.usable(i, y[i]))
	}
	largest := 1.0
	for j := range in.cost {
		s := math.Abs(float64(in.cost[j]))
		for k := in.start[j]; k < in.start[j+1]; k++ {
			s += size[in.row[k]] * math.Abs(float64(in.coef[k]))
		}
		largest = max(largest, s)
	}
	k := 60 - math.Ilogb(largest)
	if k < 0 {
		return nil
	}
	return in.scaled(&solve.Dual{Den: 1 << min(k, 60)}, y)
}

// scaled fills in the multipliers round(y·den); nil if one does not fit.
func (in *instance) scaled(d *solve.Dual, y []float64) *solve.Dual {
	for i := range y {
		v := math.Round(in.usable(i, y[i]) * float64(d.Den))
		if v == 0 {
			continue
		}
		if math.Abs(v) > maxReduced {
			return nil
		}
		d.Rows, d.Num = append(d.Rows, i), append(d.Num, int64(v))
	}
	return d
}

// denominator is that of the first continued-fraction convergent near v.
func denominator(v float64) (int64, bool) {
	tol := 1e-8 * max(1, math.Abs(v))
	if math.Abs(v) > 1<<50 {
		return 1, true
	}
	q0, q1, x := int64(0), int64(1), v
	for {
		if math.Abs(math.Round(v*float64(q1))/float64(q1)-v) <= tol {
			return q1, true
		}
		f := x - math.Floor(x)
		if f < 1e-9 {
			return 0, false
		}
		x = 1 / f
		if x > largestDenominator {
			return 0, false
		}
		q0, q1 = q1, int64(math.Floor(x))*q1+q0
		if q1 > largestDenominator {
			return 0, false
		}
	}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
