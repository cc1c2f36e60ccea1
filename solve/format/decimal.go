package format

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"ipusolve/solve"
)

// decimal is the number m·10^e, exactly as written. m ends in no zero, unless it
// is zero; then e is zero as well.
type decimal struct {
	m int64
	e int
}

// maxExponent bounds |e|; what is larger is no number of a model.
const maxExponent = 400

// infiniteDigits: numbers of 1e20 and beyond mean infinity, as in CPLEX and GLPK.
const infiniteDigits = 20

var errDigits = errors.New("too many digits")

// parseDecimal reads [+-]digits[.digits][(e|E|d|D)[+-]digits].
func parseDecimal(s string) (decimal, error) {
	bad := errors.New("no number")
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s[:min(1, len(s))], "+-") + s[min(1, len(s)):]
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eEdD"); i >= 0 {
		mantissa = s[:i]
		digits := s[i+1:]
		if strings.Trim(strings.TrimLeft(digits[:min(1, len(digits))], "+-")+digits[min(1, len(digits)):], "0123456789") != "" {
			return decimal{}, bad
		}
		x, err := strconv.Atoi(digits)
		if errors.Is(err, strconv.ErrRange) || x > maxExponent || x < -maxExponent {
			return decimal{}, errDigits
		}
		if err != nil {
			return decimal{}, bad
		}
		exponent = x
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	digits := whole + part
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, bad
	}
	exponent -= len(part)
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	trimmed = strings.TrimLeft(trimmed, "0")
	if trimmed == "" {
		return decimal{}, nil
	}
	m, err := strconv.ParseInt(trimmed, 10, 64)
	if err != nil {
		if len(trimmed)+exponent > infiniteDigits { // the digits do not matter
			m, exponent = 1, infiniteDigits
		} else {
			return decimal{}, errDigits
		}
	}
	if exponent > 2*maxExponent || exponent < -2*maxExponent {
		return decimal{}, errDigits
	}
	if negative {
		m = -m
	}
	return decimal{m, exponent}, nil
}

func (d decimal) infinite() bool {
	digits := len(strconv.FormatInt(max(d.m, -d.m), 10))
	return d.m != 0 && digits+d.e > infiniteDigits
}

func (d decimal) neg() decimal { return decimal{-d.m, d.e} }

func (d decimal) sign() int {
	switch {
	case d.m < 0:
		return -1
	case d.m > 0:
		return 1
	}
	return 0
}

// plus is the exact sum; false if it does not fit.
func (d decimal) plus(o decimal) (decimal, bool) {
	if d.m == 0 {
		return o, true
	}
	if o.m == 0 {
		return d, true
	}
	e := min(d.e, o.e)
	if d.e-e > 18 || o.e-e > 18 {
		return decimal{}, false
	}
	sum := new(big.Int).Add(d.times(-e), o.times(-e))
	for ten, rest := big.NewInt(10), new(big.Int); sum.Sign() != 0; e++ {
		q, _ := new(big.Int).QuoRem(sum, ten, rest)
		if rest.Sign() != 0 {
			break
		}
		sum = q
	}
	if !sum.IsInt64() || sum.Int64() == math.MinInt64 {
		return decimal{}, false
	}
	if sum.Sign() == 0 {
		e = 0
	}
	return decimal{sum.Int64(), e}, true
}

// times is d·10^k, for d.e+k ≥ 0.
func (d decimal) times(k int) *big.Int {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.e+k)), nil)
	return p.Mul(p, big.NewInt(d.m))
}

// floor is the largest integer that is not above d.
func (d decimal) floor() (int64, bool) { return d.round(false) }

// ceil is the least integer that is not below d.
func (d decimal) ceil() (int64, bool) { return d.round(true) }

func (d decimal) round(up bool) (int64, bool) {
	if d.e >= 0 {
		if d.infinite() {
			return 0, false
		}
		x := d.times(0)
		return x.Int64(), x.IsInt64()
	}
	if d.e < -19 { // |m| < 10^19
		switch {
		case up && d.m > 0:
			return 1, true
		case !up && d.m < 0:
			return -1, true
		}
		return 0, true
	}
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d.e)), nil)
	q, rest := new(big.Int).DivMod(big.NewInt(d.m), p, new(big.Int))
	if up && rest.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64(), true
}

// below reports d < o.
func (d decimal) below(o decimal) bool {
	switch {
	case d.sign() != o.sign():
		return d.sign() < o.sign()
	case d.e-o.e > 19: // |m| < 10^19, so that d is the larger one
		return d.sign() < 0
	case o.e-d.e > 19:
		return d.sign() > 0
	}
	e := min(d.e, o.e)
	return d.times(-e).Cmp(o.times(-e)) < 0
}

func (d decimal) integer() bool { return d.e >= 0 }

// scaled brings numbers to integers by their least common power of ten, less
// what it shares with all of them; scale is the factor. Integers keep their
// values. False if a number exceeds 2^53.
func scaled(list []decimal) (numbers []int64, scale int64, ok bool) {
	k := 0
	for _, d := range list {
		k = max(k, -d.e)
		if d.infinite() {
			return nil, 0, false
		}
	}
	numbers = make([]int64, len(list))
	if k > 3*infiniteDigits {
		return nil, 0, false
	}
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
	shared := new(big.Int).Set(factor)
	values := make([]*big.Int, 0)
	if k > 0 {
		values = make([]*big.Int, len(list))
		for i, d := range list {
			values[i] = d.times(k)
			shared.GCD(nil, nil, shared, new(big.Int).Abs(values[i]))
		}
	}
	for i, d := range list {
		x := new(big.Int)
		if k > 0 {
			x.Quo(values[i], shared)
		} else {
			x = d.times(0)
		}
		if !x.IsInt64() || x.Int64() > solve.MaxMagnitude || x.Int64() < -solve.MaxMagnitude {
			return nil, 0, false
		}
		numbers[i] = x.Int64()
	}
	factor.Quo(factor, shared)
	return numbers, factor.Int64(), factor.IsInt64()
}
