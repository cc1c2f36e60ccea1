package space

import (
	"ipusolve/kernels"
	"ipusolve/model"
)

// Shape is one GEMM on a number of tiles.
type Shape struct {
	M, K, N int // rows, inner, columns, in elements
	Tiles   int
}

func ceil(a, b int) int { return (a + b - 1) / b }

// RowBlocks, InnerBlocks and ColBlocks count blocks of 16.
func (s Shape) RowBlocks() int   { return ceil(s.M, model.PanelWidth) }
func (s Shape) InnerBlocks() int { return ceil(s.K, model.PanelWidth) }
func (s Shape) ColBlocks() int   { return ceil(s.N, model.PanelWidth) }

// Gemm is one candidate of a GEMM. The matrix unit streams the rows of one operand
// past blocks of the other, which it loads (package documentation).
type Gemm struct {
	R, Q, K    int32 // compute grid: parts of the streamed rows, loaded columns, inner
	Rho, Kappa int32 // result parts of a compute block: streamed rows, loaded columns
	// Swapped: the weights are streamed and the other operand is loaded.
	Swapped bool
	// Fine: a swapped result is cut at single streamed rows, else at blocks of 16, as the
	// transpose of panels wants them.
	Fine        bool
	Interleaved bool // memory class of the loaded operand
	// Gathered: weights are stored in slices and gathered on each run; else every
	// consumer (WeightHolders) keeps its block.
	Gathered bool
	// Slices, of gathered weights: every block is cut in so many, dealt to its consumers
	// in turn; 0 stands for one slice per consumer, which stores the weights once.
	Slices int32
	// InPlace, of gathered weights: a tile's own slice lies inside the block that it
	// gathers. That saves its copy and its bytes, but the slices of several weights
	// cannot share the memory of their blocks.
	InPlace bool
	// Matrix: the matrix unit adds the partials of several inner parts, else the
	// reduction kernel.
	Matrix bool
}

// WeightHolders and InputHolders count the tiles that need one block of the weights
// and of the other operand.
func (c Gemm) WeightHolders() int {
	if c.Swapped {
		return int(c.Q)
	}
	return int(c.R)
}
func (c Gemm) InputHolders() int {
	if c.Swapped {
		return int(c.R)
	}
	return int(c.Q)
}

// weightSlices is in how many slices a block of gathered weights is stored.
func (c Gemm) weightSlices() int {
	if c.Slices > 0 {
		return int(c.Slices)
	}
	return c.WeightHolders()
}

// InTurn tells that the weights' slices come to every tile one after the other, its own
// among them: it sends and receives through one SRAM element, or any two slices have a
// receiver in common.
func (c Gemm) InTurn() bool { return c.Gathered && (c.InPlace || c.weightSlices() > 2) }

// Options says which candidates a problem admits.
type Options struct {
	WeightsOnce bool // only one copy of the weights
	MatrixSums  bool // partials may be added on the matrix unit
	InPlace     bool // gathered weights whose own slices lie in place too
	Swapped     bool // the swapped orientation too
	Replicas    bool // several copies of gathered weights too: any divisor of the consumers
	// Fine: swapped results may be Fine, since nobody transposes them.
	Fine bool
	// Grid, if set, tells whether to list the candidates of a compute grid.
	Grid func(Gemm) bool
}

// stored calls f for the ways to store the weights of a candidate.
func (o Options) stored(c Gemm, f func(Gemm)) {
	holders := c.WeightHolders()
	if holders == 1 || !o.WeightsOnce {
		o.sums(c, f)
	}
	if holders == 1 {
		return
	}
	c.Gathered = true
	o.sums(c, f)
	if o.InPlace {
		in := c
		in.InPlace = true
		o.sums(in, f)
	}
	if !o.Replicas || o.WeightsOnce {
		return
	}
	for n := 2; n < holders; n++ {
		if holders%n == 0 {
			c.Slices = int32(holders / n)
			o.sums(c, f)
		}
	}
}

// sums calls f for every way to add c's partials.
func (o Options) sums(c Gemm, f func(Gemm)) {
	f(c)
	if o.MatrixSums && c.K > 1 {
		c.Matrix = true
		f(c)
	}
}

// Each calls f for every candidate, in a fixed order: normal ones, then swapped; all
// grids r·q·k ≤ tiles without empty parts; result grids (k,1), (1,k), every
// factorisation ρ·κ = k, and (1,1); both memory classes; weights on their consumers or
// gathered (own slices copied, then in place). With one consumer all storages are the
// same. Several inner parts are summed by either unit.
func (s Shape) Each(o Options, f func(Gemm)) {
	s.each(o, false, f)
	if o.Swapped {
		s.each(o, true, f)
	}
}

func (s Shape) each(o Options, swapped bool, f func(Gemm)) {
	kb := s.InnerBlocks()
	rows, cols := s.streamed(swapped).n, s.loaded(swapped)
	for k := 1; k <= min(kb, s.Tiles); k++ {
		for q := 1; q <= min(cols, s.Tiles/k); q++ {
			for r := 1; r <= min(rows, s.Tiles/(k*q)); r++ {
				// Equal blocks of whole panels are cut anywhere.
				fine, cuts := swapped && o.Fine && k > 1 && s.N%(r*model.PanelWidth) == 0, rows/r
				if fine {
					cuts = s.N / r
				}
				if o.Grid != nil && !o.Grid(Gemm{R: int32(r), Q: int32(q), K: int32(k), Rho: 1, Kappa: 1, Swapped: swapped}) {
					continue
				}
				for rho := k; rho >= 1; rho-- {
					if rho > cuts {
						continue
					}
					kappas := [2]int{k / rho, 0}
					if rho == 1 && k > 1 {
						kappas[1] = 1
					}
					for _, kappa := range kappas {
						if kappa == 0 || kappa > cols/q || rho*kappa != k && rho*kappa != 1 {
							continue
						}
						for _, interleaved := range [2]bool{true, false} {
							c := Gemm{R: int32(r), Q: int32(q), K: int32(k), Rho: int32(rho), Kappa: int32(kappa), Swapped: swapped, Fine: fine, Interleaved: interleaved}
							o.stored(c, f)
						}
					}
				}
			}
		}
	}
}

// units are n units of some elements each, the grains at which an axis is cut.
type units struct{ n, size int }

// streamed are the streamed rows: single rows of the value, or its columns in blocks of
// 16 where weights are streamed.
func (s Shape) streamed(swapped bool) units {
	if swapped {
		return units{s.ColBlocks(), model.PanelWidth}
	}
	return units{s.M, 1}
}

// loaded is the number of blocks of 16 loaded columns.
func (s Shape) loaded(swapped bool) int {
	if swapped {
		return s.RowBlocks()
	}
	return s.ColBlocks()
}

// Sizes are the largest parts of a candidate, which tile 0 holds, in elements as
// stored: Inner, Cols and ResultCols are whole blocks of 16, and of a swapped
// candidate all are.
type Sizes struct {
	Rows, Inner, Cols      int // of a compute block: streamed rows, inner, loaded columns
	ResultRows, ResultCols int
}

// Sizes gives the largest parts.
func (s Shape) Sizes(c Gemm) Sizes {
	axis := s.streamed(c.Swapped)
	rows, cols := axis.size*ceil(axis.n, int(c.R)), ceil(s.loaded(c.Swapped), int(c.Q))
	cut := c.cut()
	return Sizes{
		Rows:       rows,
		Inner:      model.PanelWidth * ceil(s.InnerBlocks(), int(c.K)),
		Cols:       model.PanelWidth * cols,
		ResultRows: cut * ceil(rows/cut, int(c.Rho)),
		ResultCols: model.PanelWidth * ceil(cols, int(c.Kappa)),
	}
}

// cut is the grain in streamed rows at which results are cut.
func (c Gemm) cut() int {
	if c.Swapped && !c.Fine {
		return model.PanelWidth
	}
	return 1
}

// Bytes of the largest items of a candidate on one tile.
type Bytes struct {
	// A and W are the operands: blocks of the value before and of the weights.
	A, W, Partial, Remote, Result int
	WSlice                        int // stored slice of gathered weights, else 0
	ASlice                        int // stored slice of a gathered input
	// Held is what the result keeps until its consumer has it: the whole partial
	// where it lies in that, else the result.
	Held     int
	Identity int // identity blocks for sums on the matrix unit
}

// Bytes gives the largest items. Partial and Remote are 0 with one inner part.
func (s Shape) Bytes(c Gemm) Bytes {
	z := s.Sizes(c)
	b := Bytes{A: 2 * z.Rows * z.Inner, W: 2 * z.Inner * z.Cols, Result: 2 * z.ResultRows * z.ResultCols}
	if c.Swapped {
		b.A, b.W = b.W, b.A
	}
	if c.K > 1 {
		b.Partial = 2 * z.Rows * z.Cols
		b.Remote = int(c.K-1) * b.Result
	}
	b.Held = b.Result
	if c.Matrix {
		b.Identity = int(c.K-1) * kernels.IdentityBlock
		if s.SumsInPlace(c) {
			b.Held = b.Partial
		}
	}
	if c.Gathered {
		b.WSlice = 2 * sliceOf(b.W/2, c.weightSlices(), 0)
	}
	if n := c.InputHolders(); n > 1 {
		b.ASlice = 2 * sliceOf(b.A/2, n, 0)
	}
	return b
}

// sliceOf is the length in elements of slice i of n elements cut in parts by
// runs of 16 (model.Layout.Slices).
func sliceOf(n, parts, i int) int {
	grains := n / model.PanelWidth
	size := grains / parts
	if i < grains%parts {
		size++
	}
	return size * model.PanelWidth
}

// Kernel prices the GEMM calls.
func (s Shape) Kernel(c Gemm) int64 {
	z := s.Sizes(c)
	return kernels.GemmCycles(z.Rows, z.Cols, z.Inner, c.Interleaved)
}

// Transpose prices turning the panels of a swapped result, which its consumer or the
// host wants by rows: one call on the largest shard.
func (s Shape) Transpose(c Gemm) int64 {
	z := s.Sizes(c)
	return kernels.GemmCycles(model.PanelWidth, z.ResultRows*z.ResultCols/model.PanelWidth, model.PanelWidth, c.resultInterleaved())
}

// resultInterleaved tells that a GEMM call writes the result.
func (c Gemm) resultInterleaved() bool { return c.K == 1 || c.Matrix }

// runs is the number of runs in which the largest result shard lies in its tile's
// partial.
func (s Shape) runs(c Gemm) int {
	if c.Rho == 1 {
		return 1
	}
	return s.Sizes(c).ResultCols / model.PanelWidth
}

// SumsInPlace tells that results lie in the partials of their tiles: the matrix unit
// adds to the own partial where every shard of the result is one run of it.
func (s Shape) SumsInPlace(c Gemm) bool { return c.Matrix && s.runs(c) == 1 }

// Reduction gives the words on the busiest tile of the reduction phase and the
// cycles of its sums, with the copy of the own term where one is made; zeros with
// one inner part.
func (s Shape) Reduction(c Gemm) (words, sum int64) {
	if c.K == 1 {
		return 0, 0
	}
	z := s.Sizes(c)
	e := z.ResultRows * z.ResultCols
	received := (int(c.K) - 1) * e
	// A tile sends its partial without what it owns itself; a contributor that
	// owns nothing sends all of it.
	sent := z.Rows * z.Cols
	if c.Rho*c.Kappa == c.K {
		cut := c.cut()
		sent -= cut * (z.Rows / cut / int(c.Rho)) * (model.PanelWidth * (z.Cols / model.PanelWidth / int(c.Kappa)))
	}
	runs, remote := s.runs(c), int(c.K)-1
	words = int64(max(received, sent) / 2)
	if !c.Matrix {
		return words, int64(runs) * kernels.ReduceCycles(remote, 2*e/runs)
	}
	sum = kernels.SumCycles(remote, e)
	if !s.SumsInPlace(c) {
		sum += kernels.CopyRunsCycles(runs, 2*e/runs) // the own term
	}
	return words, sum
}

// Gather gives the words on the busiest tile of the phase that gathers the first
// operand from the tiles that hold its slices (if a graph input is stored once) and
// the weights from theirs, and the cycles of copying the own slices.
func (s Shape) Gather(c Gemm, input bool) (words, copies int64) {
	// By what the matrix unit does with them: q tiles need a block of the streamed
	// operand, r one of the loaded operand.
	q, r := int(c.Q), int(c.R)
	streamed, loaded := input && q > 1, c.Gathered
	streamedSlices, loadedSlices := q, c.weightSlices()
	if c.Swapped {
		streamed, loaded = c.Gathered, input && r > 1
		streamedSlices, loadedSlices = c.weightSlices(), r
	}
	inner := s.Sizes(c).Inner
	rows, cols := s.streamed(c.Swapped), s.loaded(c.Swapped)
	var most int
	// Received words grow with the parts and shrink with the own slice: the
	// worst tile is in a length class of both axes and has the shortest slices.
	for _, a := range classes(rows.n, r) {
		for _, col := range classes(cols, q) {
			received := 0
			if streamed {
				n := rows.size * part(rows.n, r, a.lo) * inner
				received += n - shortest(n, streamedSlices, col)
			}
			if loaded {
				n := inner * model.PanelWidth * part(cols, q, col.lo)
				received += n - shortest(n, loadedSlices, a)
			}
			most = max(most, received)
		}
	}
	// Tile 0 has the longest slices to send.
	z, sent := s.Sizes(c), 0
	inPlace := func(weights bool, slices, whole int) bool {
		in := weights && c.InPlace
		if in || slices > 2 { // sent and received through one SRAM element, or in turn
			most = max(most, whole)
		}
		return in
	}
	if streamed {
		whole := z.Rows * z.Inner
		own := sliceOf(whole, streamedSlices, 0)
		sent += own
		if !inPlace(c.Swapped, streamedSlices, whole) && own < whole { // else tile 0 holds the operand whole
			copies += kernels.CopyCycles(2 * own)
		}
	}
	if loaded {
		whole := z.Inner * z.Cols
		own := sliceOf(whole, loadedSlices, 0)
		sent += own
		if !inPlace(!c.Swapped, loadedSlices, whole) {
			copies += kernels.CopyCycles(2 * own)
		}
	}
	most = max(most, sent)
	return int64(most / 2), copies
}

// shortest is the length of the shortest slice of n elements, cut in some, that holders
// in a range of numbers have.
func shortest(n, slices int, holders span) int {
	long := n / model.PanelWidth % slices // slices that are longer
	for h := holders.hi - 1; h >= holders.lo && h >= holders.hi-slices; h-- {
		if h%slices >= long {
			return sliceOf(n, slices, h%slices)
		}
	}
	return sliceOf(n, slices, 0)
}

// part is the length of part j of n dealt to parts, long parts first.
func part(n, parts, j int) int {
	if j < n%parts {
		return n/parts + 1
	}
	return n / parts
}

// classes are the ranges of the parts of n that are equally long.
func classes(n, parts int) []span {
	if long := n % parts; long > 0 {
		return []span{{0, long}, {long, parts}}
	}
	return []span{{0, parts}}
}
