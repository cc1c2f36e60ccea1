package mip

import (
	"math/big"
	"math/bits"
)

// int128 is a signed integer in two's complement. Callers keep magnitudes
// below 2^126.
type int128 struct {
	hi int64
	lo uint64
}

func mul128(a, b int64) int128 {
	hi, lo := bits.Mul64(abs64(a), abs64(b))
	x := int128{int64(hi), lo}
	if (a < 0) != (b < 0) {
		return x.neg()
	}
	return x
}

func (x int128) add(y int128) int128 {
	lo, c := bits.Add64(x.lo, y.lo, 0)
	return int128{x.hi + y.hi + int64(c), lo}
}

func (x int128) neg() int128 {
	lo, c := bits.Add64(^x.lo, 1, 0)
	return int128{^x.hi + int64(c), lo}
}

func (x int128) sub(y int128) int128 { return x.add(y.neg()) }

func (x int128) sign() int {
	switch {
	case x.hi < 0:
		return -1
	case x.hi == 0 && x.lo == 0:
		return 0
	}
	return 1
}

func (x int128) big() *big.Int {
	z := new(big.Int).Lsh(big.NewInt(x.hi), 64)
	return z.Add(z, new(big.Int).SetUint64(x.lo))
}

// fromBig converts when |z| < 2^126.
func fromBig(z *big.Int) (int128, bool) {
	if z.BitLen() > 126 {
		return int128{}, false
	}
	a := new(big.Int).Abs(z)
	lo := new(big.Int).And(a, new(big.Int).SetUint64(^uint64(0))).Uint64()
	x := int128{new(big.Int).Rsh(a, 64).Int64(), lo}
	if z.Sign() < 0 {
		return x.neg(), true
	}
	return x, true
}

func abs64(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
