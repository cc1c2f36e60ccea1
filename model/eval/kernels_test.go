package eval_test

import (
	"encoding/binary"
	"testing"

	"ipusolve/device"
	"ipusolve/kernels"
	"ipusolve/model/eval"
)

// tile runs kernels on matrices by placing them in one SRAM, in the storage
// orders of kernels.md §3.
type tile struct {
	t   *testing.T
	mem []byte
}

const (
	resultAt = device.InterleaveBase
	rightAt  = device.InterleaveBase + 8*device.InterleaveElement
	leftAt   = device.WindowBase
	partAt   = device.InterleaveBase + 4*device.InterleaveElement
)

func left(rows, r, c int) int { return c/16*16*rows + 16*r + c%16 }

func (m tile) put(addr, at int, h uint16) {
	binary.LittleEndian.PutUint16(m.mem[addr-device.SRAMBase+2*at:], h)
}

func (m tile) get(addr, at int) uint16 {
	return binary.LittleEndian.Uint16(m.mem[addr-device.SRAMBase+2*at:])
}

func (m tile) call(s kernels.Spec, args ...uint32) {
	m.t.Helper()
	if err := s.Run(m.mem, args); err != nil {
		m.t.Fatal(err)
	}
}

// gemm multiplies by accumulating over the inner extent in parts of 16·depth; with
// split, the last part is a partial of its own that a reduction adds.
func (m tile) gemm(x, w []uint16, rows, k, n, depth int, split bool) []uint16 {
	e := rows * n
	for first := 0; first < k; first += 16 * depth {
		d := min(16*depth, k-first)
		for i := range rows * d {
			m.put(leftAt, left(rows, i/d, i%d), x[i/d*k+first+i%d])
		}
		for i := range d * n {
			at := i%n/16*(d/16)*256 + i/n/16*256 + i%n%16*16 + i/n%16
			m.put(rightAt, at, w[(first+i/n)*n+i%n])
		}
		s := kernels.Spec{Kind: kernels.GemmF16, R: rows, C: n, K: d, Interleaved: true, Accumulate: first > 0}
		if split && first > 0 && first+d == k {
			s.Accumulate = false
			m.call(s, partAt, leftAt, rightAt)
			m.call(kernels.Spec{Kind: kernels.ReduceF16}, resultAt, resultAt, partAt, 1, uint32(e))
			continue
		}
		m.call(s, resultAt, leftAt, rightAt)
	}
	y := make([]uint16, e)
	for i := range y {
		y[i] = m.get(resultAt, left(rows, i/n, i%n))
	}
	return y
}

func (m tile) gelu(x []uint16) {
	for i, h := range x {
		m.put(resultAt, i, h)
	}
	m.call(kernels.Spec{Kind: kernels.GeluF16}, resultAt, resultAt, uint32(len(x)))
	for i := range x {
		x[i] = m.get(resultAt, i)
	}
}

// run evaluates a chain on kernels; lose, if not nil, may damage each result.
func run(t *testing.T, c eval.Chain, d eval.Data, depth int, split bool, lose func(op int, y []uint16)) eval.Tensor {
	m := tile{t, make([]byte, device.SRAMBytes)}
	x, w, n := d.Input.Data, d.Weights, 0
	for i, op := range c.Ops {
		if op.Kind == eval.Gemm {
			x, w = m.gemm(x, w[0].Data, c.Rows, op.K, op.N, depth, split), w[1:]
		} else {
			m.gelu(x)
		}
		if lose != nil {
			lose(i, x)
		}
		n = op.N
	}
	return eval.Tensor{Shape: []int{c.Rows, n}, Data: x}
}

// TestKernelsPass: the kernels' results pass the tests they are meant for, however
// the sums are cut.
func TestKernelsPass(t *testing.T) {
	for _, c := range []eval.Chain{
		eval.MLP(64, 128, 256, 1), eval.MLP(7, 48, 80, 1), eval.MLP(1, 48, 80, 1),
		eval.MLP(64, 128, 256, 3), eval.MLP(7, 48, 80, 3), eval.MLP(1, 48, 80, 3), eval.MLP(5, 64, 96, 12),
		eval.MLP(1, 16, 16, 27), eval.MLP(5, 16, 32, 27),
	} {
		for _, depth := range []int{1, 3, 16} {
			split := depth < 16
			d, err := eval.ExactData(c)
			if err != nil {
				t.Fatal(err)
			}
			want, err := eval.ExactReference(c, d)
			if err != nil {
				t.Fatal(err)
			}
			if r := eval.CheckExact(run(t, c, d, depth, split, nil), want); !r.Pass {
				t.Errorf("%d rows, %d operators, depth %d: %+v", c.Rows, len(c.Ops), depth, r)
			}
			if d, want, err = eval.ScaledData(c); err != nil {
				t.Fatal(err)
			}
			if r := eval.CheckScaled(run(t, c, d, depth, split, nil), want, c.Blocks()); !r.Pass {
				t.Errorf("%d rows, %d operators, depth %d: %+v", c.Rows, len(c.Ops), depth, r)
			}
		}
	}
}

// TestLostWordFails: losing one word of a kernel result fails the exact test of a
// single block if the word held something.
func TestLostWordFails(t *testing.T) {
	c := eval.MLP(7, 48, 80, 1)
	d, err := eval.ExactData(c)
	if err != nil {
		t.Fatal(err)
	}
	want, err := eval.ExactReference(c, d)
	if err != nil {
		t.Fatal(err)
	}
	for op := range c.Ops {
		tried, seen := 0, 0
		for word := range c.Rows * c.Ops[op].N / 2 {
			nonzero := false
			got := run(t, c, d, 16, false, func(at int, y []uint16) {
				if at == op {
					for _, i := range []int{2 * word, 2*word + 1} {
						// A negative GELU operand loses nothing: GELU makes it 0.
						nonzero = nonzero || y[i]&0x7fff != 0 && (op != 0 || y[i] < 0x8000)
						y[i] = 0
					}
				}
			})
			if nonzero {
				tried++
				if !eval.CheckExact(got, want).Pass {
					seen++
				}
			}
		}
		if tried < 50 || seen < tried {
			t.Errorf("operator %d: %d of %d lost words seen", op, seen, tried)
		}
	}
}
