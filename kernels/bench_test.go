package kernels

import (
	"fmt"
	"testing"

	"ipusolve/device"
)

// gemmArgs places A low in standard memory, Y and W in interleaved memory.
func gemmArgs(s Spec) []uint32 {
	y := uint32(device.InterleaveBase)
	w := (y + uint32(2*s.R*s.C) + ResultTail + 31) &^ 31
	return []uint32{y, 0x50000, w}
}

func BenchmarkGemm(b *testing.B) {
	for _, shape := range [][3]int{{366, 240, 32}, {183, 288, 48}} {
		for _, accumulate := range []bool{false, true} {
			s := Spec{Kind: GemmF16, R: shape[0], K: shape[1], C: shape[2], Interleaved: true, Accumulate: accumulate}
			b.Run(s.Symbol(), func(b *testing.B) {
				mem := randomMemory(1)
				args := gemmArgs(s)
				for b.Loop() {
					if err := s.Run(mem, args); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.R*s.K*s.C), "ns/mac")
			})
		}
	}
}

func BenchmarkGelu(b *testing.B) {
	mem := randomMemory(2)
	s, args := Spec{Kind: GeluF16}, []uint32{0x60000, 0x58800, 2144}
	for b.Loop() {
		if err := s.Run(mem, args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReduce(b *testing.B) {
	for _, c := range [][2]uint32{{4, 2368}, {14, 672}} {
		b.Run(fmt.Sprintf("n%d_e%d", c[0], c[1]), func(b *testing.B) {
			mem := randomMemory(3)
			s, args := Spec{Kind: ReduceF16}, []uint32{0x60000, 0x58800, 0x80000, c[0], c[1]}
			for b.Loop() {
				if err := s.Run(mem, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
