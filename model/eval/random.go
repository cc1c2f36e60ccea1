package eval

import "math"

// splitMix is the SplitMix64 generator; its value is the state.
type splitMix uint64

// seedBase is the reference's seed (reference: kernels.md §13).
const seedBase = 0x444941474E4F5354

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is a number of [0, 1).
func (s *splitMix) uniform() float64 { return float64(s.next()>>11) * 0x1p-53 }

// normal is a standard normal number, by Box and Muller.
func (s *splitMix) normal() float64 {
	radius := math.Sqrt(-2 * math.Log(1-s.uniform()))
	return radius * math.Cos(2*math.Pi*s.uniform())
}

// below is a number of 0..n-1.
func (s *splitMix) below(n int) int { return int(s.uniform() * float64(n)) }

// seedStream is the generator of element i of value v as the reference has it:
// values that differ only in v share numbers at different elements.
func seedStream(v, i int) splitMix { return splitMix(seedBase ^ uint64(v) ^ uint64(i)) }

// ownStream is a generator whose values are unrelated: the scaled and the exact
// test stack many layers, which repeated numbers would correlate. Every salt
// gives other data.
func ownStream(v, salt, i int) splitMix {
	s := splitMix(seedBase ^ uint64(v) ^ uint64(salt)<<32)
	return splitMix(s.next() ^ uint64(i))
}
