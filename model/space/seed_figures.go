package space

import (
	"ipusolve/model"
	"ipusolve/model/cost"
)

// SeedInfinite is the penalty of what does not fit memory (reference: planspace.md
// §8.2): variants beyond it still compete with each other.
const SeedInfinite = 1 << 61

func roundUp(a, m int) int { return m * ceil(a, m) }

func ceil64(a, b int) int64 { return int64(ceil(a, b)) }

// Access tails of streamed operands, in bytes (reference: planspace.md §5).
const (
	seedTailF16 = 16
	seedTailF32 = 32
)

// LeftTail is how many bytes behind the streamed operand must be readable.
func (g *SeedGemm) LeftTail() int64 {
	if g.F32 {
		return seedTailF32
	}
	return seedTailF16
}

// SeedGemmFigures are cost and memory of a candidate by itself (reference:
// costmodel.md §4, §8, planspace.md §10.1). All memory is bytes of one tile.
type SeedGemmFigures struct {
	Cost                model.Cost
	RowBytes            int64          // exchange rows
	Left, Right, Result cost.SeedBytes // largest shards
	Temporary           cost.SeedBytes // with the streamed operand complete
	// SlicedTemporary is Temporary with the streamed operand pulled slice by slice
	// through the buffer Slices; Reduced is one summed piece of the partials.
	SlicedTemporary cost.SeedBytes
	Slices          cost.SeedBytes
	Reduced         int64
}

// Live is what the operands that are not sliced and the result take.
func (f *SeedGemmFigures) Live(sliced bool) cost.SeedBytes {
	live := f.Right.Add(f.Result)
	if !sliced {
		live = live.Add(f.Left)
	}
	return live
}

// Peak is Live plus temporary memory.
func (f *SeedGemmFigures) Peak(sliced bool) cost.SeedBytes {
	if sliced {
		return f.Live(true).Add(f.SlicedTemporary)
	}
	return f.Live(false).Add(f.Temporary)
}

// In puts bytes in the class of a format.
func (f *SeedFormat) In(bytes int64) cost.SeedBytes {
	if f.Class == model.Interleaved {
		return cost.SeedBytes{Interleaved: bytes}
	}
	return cost.SeedBytes{Standard: bytes}
}

// Figures prices a candidate under profile seed; the shape is that of its
// orientation.
func (s SeedShape) Figures(g *SeedGemm) SeedGemmFigures {
	if g.Stationary {
		return s.stationary(g)
	}
	batch := max(1, s.Batch)
	r, q, k := g.Compute.Rows, g.Compute.Cols, g.Compute.Inner
	tileCols := g.BlockCols * ceil(ceil(s.Cols, g.BlockCols), q)
	tileInner := ceil(roundUp(s.Inner, g.BlockInner), k)
	tileRows := batch * ceil(s.Rows, r)
	c := cost.SeedKernel{Rows: tileRows, Cols: tileCols, Inner: tileInner, BlockInner: g.BlockInner, BlockCols: g.BlockCols,
		Interleaved: g.Interleaved || g.Uniform}.Cost()

	right := g.RightFormat()
	parts := k
	if g.Stored != (model.Grid{}) {
		parts = g.Stored.Inner
	}
	used := int64(tileCols*tileInner) * 2
	c = append(c, s.staging(g, used, int64(parts))...)
	epochs := int64(1)
	if g.Streamed {
		epochs = int64(k - 1)
	}
	chunks := int64(0)
	if !g.Swapped && r > 1 { // each block of weights goes to r − 1 more tiles
		payload, fragments := s.weightTraffic(&right)
		c = append(c, exchangeTerms(cost.SeedTermWeightBroadcast, payload, 1)...)
		chunks = cost.SeedChunks(payload, fragments, epochs+1)
	}

	// Pairs of rows and blocks of 16 columns are whole in a part of the result.
	result := int64(batch*2*ceil(ceil(s.Rows, 2), g.Result.Rows)*model.PanelWidth*ceil(ceil(s.Cols, model.PanelWidth), g.Result.Cols)) * 2
	f := SeedGemmFigures{Result: cost.SeedBytes{Interleaved: result}}
	partial := int64(tileRows*tileCols) * 2
	f.Reduced = partial
	if g.Result != (model.Grid{Rows: r, Cols: q}) {
		f.Reduced = result
		c = append(c, model.Term{Name: cost.SeedTermResultCopy, Cycles: cost.SeedPanelCopy(result)})
	}
	f.Cost = append(c, cost.SeedReduction(f.Reduced, int64(k), epochs)...)
	f.RowBytes = cost.SeedRowBytes(epochs+1, chunks)

	rightRows, rightCols := s.Inner, s.Cols
	if g.Swapped {
		rightRows, rightCols = rightCols, rightRows
	}
	f.Right = right.In(right.Bytes(rightRows, rightCols))
	left := int64(batch*2*ceil(ceil(s.Rows, 2), r)*g.BlockInner*ceil(ceil(s.Inner, g.BlockInner), k)) * 2
	f.Left = cost.SeedBytes{Standard: left}
	memory := cost.SeedGemmMemory{Inner: s.Inner, Parts: k, Cols: tileCols, PartialBytes: partial, ReducedBytes: f.Reduced, Streamed: g.Streamed}
	f.Temporary = memory.Temporary()
	memory.SlicedLeftBytes = left
	f.SlicedTemporary = memory.Temporary()
	f.Slices.Standard = cost.SeedElement(left + g.LeftTail())
	return f
}

// staging is what bringing used bytes of the loaded operand, stored in parts
// inner parts, to where the kernel reads them costs on the tile (reference:
// costmodel.md §4.2).
func (s SeedShape) staging(g *SeedGemm, used, parts int64) (c model.Cost) {
	if g.F32 {
		return nil
	}
	if g.Uniform {
		c = append(c, model.Term{Name: cost.SeedTermLocalStaging, Cycles: cost.SeedPanelCopy(used)})
	}
	if !g.Interleaved {
		if penalty := cost.SeedOwnerPenalty(used, parts, ceil64(s.Inner, g.BlockInner)); penalty > 0 {
			c = append(c, model.Term{Name: cost.SeedTermOwnerPenalty, Cycles: penalty})
		}
	}
	return c
}

func exchangeTerms(name string, payload, phases int64) model.Cost {
	if payload == 0 || phases == 0 {
		return nil
	}
	return model.Cost{{Name: name, Cycles: cost.SeedExchange(payload, 1) - cost.SeedSync, Exchange: true},
		{Name: cost.SeedTermSync, Cycles: cost.SeedSync * phases, Exchange: true}}
}

// weightTraffic is the most bytes and pieces that a pair of tiles sends when
// every block of the loaded operand, stored once, goes to more tiles.
func (s SeedShape) weightTraffic(right *SeedFormat) (bytes, fragments int64) {
	cols, inner := right.Axes[0], right.Axes[1]
	blocks := ceil(s.Cols, cols.Block)
	short, long := blocks/cols.Parts, blocks%cols.Parts
	innerBlocks := ceil(s.Inner, inner.Block)
	part := func(tile int) int64 {
		c, i := tile%cols.Parts, tile/cols.Parts
		first := cols.Block * (c*short + min(c, long))
		width := cols.Block * short
		if c < long {
			width += cols.Block
		}
		width = max(0, min(first+width, s.Cols)-first)
		at, n := innerBlocks/inner.Parts*i+min(i, innerBlocks%inner.Parts), innerBlocks/inner.Parts
		if i < innerBlocks%inner.Parts {
			n++
		}
		height := max(0, min((at+n)*inner.Block, s.Inner)-at*inner.Block)
		return int64(width*height) * right.ElementBytes()
	}
	tiles := cols.Parts * inner.Parts
	for t := 0; t < tiles; t += 2 {
		b, n := part(t), int64(1)
		if t+1 < tiles {
			b, n = b+part(t+1), 2
		}
		bytes, fragments = max(bytes, b), max(fragments, n)
	}
	return bytes, fragments
}

// stationary prices an output-stationary candidate (reference: costmodel.md §4.5,
// planspace.md §6.3).
func (s SeedShape) stationary(g *SeedGemm) SeedGemmFigures {
	batch := max(1, s.Batch)
	r, q := g.Compute.Rows, g.Compute.Cols
	left, right, result := g.LeftFormat(), g.RightFormat(), g.ResultFormat()
	elem := left.ElementBytes()
	tileRows, tileCols := batch*ceil(s.Rows, r), g.BlockCols*ceil(ceil(s.Cols, g.BlockCols), q)
	tileInner := roundUp(s.Inner, g.BlockInner)
	f := SeedGemmFigures{Left: left.In(left.Bytes(s.Rows*batch, s.Inner)), Right: right.In(right.Bytes(s.Inner, s.Cols)),
		Result: result.In(result.Bytes(s.Rows*batch, s.Cols))}
	f.Cost = cost.SeedKernel{F32: g.F32, Rows: tileRows, Cols: tileCols, Inner: tileInner, BlockInner: g.BlockInner, BlockCols: g.BlockCols,
		Interleaved: g.Interleaved || g.Uniform}.Cost()
	inner := right.Axes[1].Parts
	buffer := cost.SeedPanelBuffer(inner, g.Interleaved, s.Inner, g.BlockInner, tileCols)
	if buffer {
		f.Cost = append(f.Cost, s.staging(g, int64(tileCols*tileInner)*elem, int64(inner))...)
	}
	// Every tile holds its rows of the streamed operand; of its columns of the
	// loaded one it may lack some.
	phases := ceil64(s.Inner, g.BlockInner)
	payload, fragments := s.stationaryTraffic(g, &right)
	f.Cost = append(f.Cost, exchangeTerms(cost.SeedTermWeightBroadcast, payload, phases)...)
	if payload == 0 {
		phases = 0
	}
	f.RowBytes = cost.SeedRowBytes(phases, cost.SeedChunks(payload, fragments, phases))

	if buffer && !g.F32 {
		f.Temporary.Interleaved = ceil64(tileCols, g.BlockCols) * int64(g.BlockInner*g.BlockCols) * elem
	}
	slice := (left.Bytes(s.Rows*batch, s.Inner)+int64(s.Inner)-1)/int64(s.Inner)*int64(g.BlockInner) + g.LeftTail()
	f.Slices = left.In(slice)
	f.SlicedTemporary = f.Temporary.Add(f.Slices)
	return f
}

// stationaryTraffic is the payload and the pieces of bringing every tile the
// columns of the loaded operand that it works on.
func (s SeedShape) stationaryTraffic(g *SeedGemm, right *SeedFormat) (bytes, fragments int64) {
	elem := right.ElementBytes()
	stored, err := right.Shards(s.Inner, s.Cols)
	if err != nil {
		return 0, 0 // not legal
	}
	cols := model.AxisTiling{Axis: model.Cols, Parts: g.Compute.Cols, Block: g.BlockCols}
	parts, err := cols.Split(s.Cols)
	if err != nil {
		return 0, 0
	}
	var in int64
	for t := range g.Compute.Rows * g.Compute.Cols {
		need := parts[t%len(parts)]
		missing := need.Len() * s.Inner
		if t < len(stored) {
			have := &stored[t]
			missing -= max(0, min(need.Logical, have.Cols.Logical)-max(need.Start, have.Cols.Start)) * have.Rows.Len()
		}
		in = max(in, int64(missing)*elem)
	}
	if in == 0 {
		return 0, 0
	}
	size := right.Bytes(s.Inner, s.Cols)
	senders := int64(min(2, len(stored)))
	return max(in, senders*size), max(cost.SeedTransfers(in), senders*cost.SeedTransfers(size))
}
