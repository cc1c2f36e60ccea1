package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Errors of Pack and Unpack.
var (
	ErrPackSize = errors.New("model: wrong number of elements or bytes")
	ErrCopies   = errors.New("model: copies of an element differ")
	ErrCoverage = errors.New("model: no shard holds an element")
)

// groupElements is the number of elements that every panelled order stores one
// after another from one row or from one column (one micro row; see Offset).
const groupElements = PanelWidth

// maxPackBytes is above all SRAM of a device.
const maxPackBytes = 1 << 30

// Pack lays out a tensor as the host writes it to the device: the storage of
// all shards in shard order, replicas and padding included, padding zero
// (reference: kernels.md §10). tensor holds v.Rows × v.Cols F16 bits in
// row-major order; the result is little-endian.
func Pack(v *PlanValue, tensor []uint16) ([]byte, error) {
	if len(tensor) != v.Rows*v.Cols {
		return nil, fmt.Errorf("%w: %s has %d×%d elements, got %d", ErrPackSize, v.Name, v.Rows, v.Cols, len(tensor))
	}
	p, err := newPacker(v)
	if err != nil {
		return nil, err
	}
	data := make([]byte, p.bytes())
	p.each(func(i int) {
		p.runs(i, func(at, first, stride, n int) {
			out := data[at:]
			for range n {
				binary.LittleEndian.PutUint16(out, tensor[first])
				out, first = out[2:], first+stride
			}
		})
	})
	return data, nil
}

// Unpack is the inverse of Pack: it reads the tensor from the bytes of all
// shards. Every element must lie on a shard (else ErrCoverage), and where it
// lies on several they must agree bit for bit (else ErrCopies). Padding is
// ignored.
func Unpack(v *PlanValue, data []byte) ([]uint16, error) {
	p, err := newPacker(v)
	if err != nil {
		return nil, err
	}
	if len(data) != p.bytes() {
		return nil, fmt.Errorf("%w: %s has %d bytes, got %d", ErrPackSize, v.Name, p.bytes(), len(data))
	}
	tensor := make([]uint16, v.Rows*v.Cols)
	// The first holders of all runs hold disjoint elements; the others are
	// compared with what these have left.
	var covered atomic.Int64
	p.each(func(i int) {
		if p.original[i] != i {
			return
		}
		elements := 0
		p.runs(i, func(at, first, stride, n int) {
			in := data[at:]
			for range n {
				tensor[first] = binary.LittleEndian.Uint16(in)
				in, first = in[2:], first+stride
			}
			elements += n
		})
		covered.Add(int64(elements))
	})
	if n := covered.Load(); n != int64(len(tensor)) {
		return nil, fmt.Errorf("%w: %s: %d of %d elements found", ErrCoverage, v.Name, n, len(tensor))
	}
	differs := make([]int, len(p.shards)) // 1 + first element that differs
	p.each(func(i int) {
		if p.original[i] == i {
			return
		}
		p.runs(i, func(at, first, stride, n int) {
			in := data[at:]
			for range n {
				if differs[i] == 0 && tensor[first] != binary.LittleEndian.Uint16(in) {
					differs[i] = 1 + first
				}
				in, first = in[2:], first+stride
			}
		})
	})
	for i, e := range differs {
		if e > 0 {
			return nil, fmt.Errorf("%w: %s: element (%d, %d) on tiles %d and %d", ErrCopies, v.Name, (e-1)/v.Cols, (e-1)%v.Cols,
				p.shards[p.original[i]].Tile, p.shards[i].Tile)
		}
	}
	return tensor, nil
}

// packer walks the storage of a value's shards.
type packer struct {
	v        *PlanValue
	shards   []Shard
	start    []int // element offset of each shard's storage; one more: the total
	original []int // first shard with the same run of the same part
}

func newPacker(v *PlanValue) (*packer, error) {
	shards, err := v.Layout.Shards(v.Rows, v.Cols)
	if err != nil {
		return nil, fmt.Errorf("model: value %s: %w", v.Name, err)
	}
	p := &packer{v: v, shards: shards, start: make([]int, len(shards)+1), original: make([]int, len(shards))}
	type run struct{ row, col, first, end int }
	seen := make(map[run]int, len(shards))
	for i, s := range shards {
		p.start[i+1] = p.start[i] + s.Elements()
		if p.start[i+1] > maxPackBytes/2 {
			return nil, fmt.Errorf("%w: %s is larger than all tiles together", ErrPackSize, v.Name)
		}
		k := run{s.Rows.Start, s.Cols.Start, s.First, s.End}
		if s.Rows.Len() == 0 || s.Cols.Len() == 0 {
			p.original[i] = i // nothing to read; several may start at one place
		} else if first, ok := seen[k]; ok {
			p.original[i] = first
		} else {
			p.original[i], seen[k] = i, i
		}
	}
	return p, nil
}

func (p *packer) bytes() int { return 2 * p.start[len(p.shards)] }

// each calls f for every shard, in parallel.
func (p *packer) each(f func(shard int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.shards)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(p.shards); i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// runs calls f for every run of logical elements in the storage of a shard: n
// elements from byte at of the value's data on are tensor[first],
// tensor[first+stride], ….
func (p *packer) runs(i int, f func(at, first, stride, n int)) {
	s := &p.shards[i]
	base := p.start[i] - s.First
	R, C, rows, cols := s.Rows.Stored(), s.Cols.Stored(), s.Rows.Len(), s.Cols.Len()
	if rows == 0 || cols == 0 {
		return
	}
	origin := s.Rows.Start*p.v.Cols + s.Cols.Start
	order := p.v.Layout.Order
	if order.Kind == RowMajor {
		for x := s.First / C; x < min(rows, (s.End+C-1)/C); x++ {
			lo, hi := max(s.First, x*C), min(s.End, x*C+cols)
			if lo < hi {
				f(2*(base+lo), origin+x*p.v.Cols+lo-x*C, 1, hi-lo)
			}
		}
		return
	}
	permuted := order.Kind == OutputPanel || order.Kind == TransposedOutput
	for g := s.First; g < s.End; g += groupElements {
		x, y, down := order.group(R, C, g/groupElements)
		stride, n := 1, min(groupElements, cols-y)
		if down {
			stride, n = p.v.Cols, min(groupElements, rows-x)
		}
		if x >= rows || y >= cols {
			continue
		}
		first := origin + x*p.v.Cols + y
		if !permuted {
			f(2*(base+g), first, stride, n)
			continue
		}
		for k := range n {
			f(2*(base+g+outputPlace(k)), first+k*stride, stride, 1)
		}
	}
}

// group locates the g-th 16 elements of a panelled order: they lie at row x and
// columns y, y+1, …, or (down) at rows x, x+1, … and column y. R and C are
// physical extents. It is the inverse of Offset, whose place within a group is
// the position, or outputPlace of it for the two output orders.
func (o Order) group(R, C, g int) (x, y int, down bool) {
	switch o.Kind {
	case LeftPanel, OutputPanel:
		return g % R, g / R * PanelWidth, false
	case TransposedLeft, TransposedOutput:
		return g / C * PanelWidth, g % C, true
	case TransposedRight:
		block, panels := g/16, C/16
		return block/panels*16 + g%16, block % panels * 16, false
	case BlockMajor:
		x, y = blockGroup(o.block(R), C, g)
		return x, y, true
	default: // TransposedBlockMajor
		y, x = blockGroup(o.block(C), R, g)
		return x, y, false
	}
}

// blockGroup is group for BlockMajor with row block h: 16 rows of column y.
func blockGroup(h, cols, g int) (x, y int) {
	block, column := g/PanelWidth, g%PanelWidth
	perPanel, perBlock := h/16, h/16*(cols/PanelWidth)
	rowBlock, rest := block/perBlock, block%perBlock
	return rowBlock*h + rest%perPanel*16, rest/perPanel*PanelWidth + column
}

// outputPlace is where OutputPanel stores element k of a 16-wide row.
func outputPlace(k int) int { return Order{Kind: OutputPanel}.Offset(1, PanelWidth, 0, k, 16) }
