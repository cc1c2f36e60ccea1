package cost

import (
	"errors"
	"testing"

	"ipusolve/model"
)

// Reference: costmodel.md §3.
func TestSeedExchange(t *testing.T) {
	for _, c := range []struct{ out, in, phases, want int64 }{
		{30720, 15360, 1, 8280}, {9472, 18944, 1, 5336}, {10, 0, 2, 1203}, {0, 0, 1, 0}, {10, 10, 0, 0},
	} {
		traffic := NewSeedTraffic(4)
		traffic.Send(0, c.out/2, 1) // both tiles of a pair share its rate
		traffic.Send(1, c.out-c.out/2, 1)
		traffic.Receive(3, c.in, 1)
		if got := SeedExchange(traffic.Payload(), c.phases); got != c.want {
			t.Errorf("out %d, in %d, %d phases: %d, want %d", c.out, c.in, c.phases, got, c.want)
		}
	}
}

// Reference: costmodel.md §8.
func TestSeedRowBytes(t *testing.T) {
	for _, c := range [][3]int64{{1, 150, 25204}, {1, 218, 36628}, {2, 2, 344}, {2, 4, 680}, {0, 0, 0}} {
		if got := SeedRowBytes(c[0], c[1]); got != c[2] {
			t.Errorf("%d phases, %d chunks: %d, want %d", c[0], c[1], got, c[2])
		}
	}
	for _, c := range [][4]int64{{16592, 0, 1, 1}, {16593, 1, 1, 2}, {10, 7, 1, 7}, {10, 1, 3, 3}} {
		if got := SeedChunks(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("payload %d, %d fragments, %d phases: %d chunks, want %d", c[0], c[1], c[2], got, c[3])
		}
	}
}

// Reference: costmodel.md §4.1 and §12.
func TestSeedKernel(t *testing.T) {
	for _, c := range []struct {
		kernel SeedKernel
		want   int64
	}{
		{SeedKernel{Rows: 365, Cols: 32, BlockCols: 32, Inner: 240, BlockInner: 240, Interleaved: true}, 51144},
		{SeedKernel{Rows: 365, Cols: 32, BlockCols: 32, Inner: 240, BlockInner: 240}, 52074},
		{SeedKernel{Rows: 183, Cols: 48, BlockCols: 48, Inner: 288, BlockInner: 288, Interleaved: true}, 52512},
		{SeedKernel{Rows: 183, Cols: 48, BlockCols: 48, Inner: 288, BlockInner: 288}, 54186},
		{SeedKernel{Rows: 12, Cols: 128, BlockCols: 64, Inner: 256, BlockInner: 64, Interleaved: true}, 38576},
		{SeedKernel{Rows: 10, Cols: 64, BlockCols: 64, Inner: 64, BlockInner: 64, F32: true}, 11358},
		{SeedKernel{Rows: 269, Cols: 16, BlockCols: 16, Inner: 576, BlockInner: 576, Interleaved: true}, 47490},
	} {
		if got := c.kernel.Cost().Total(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.kernel, got, c.want)
		}
	}
}

// The best state of the first log's beam after operation 0, a Swapped GEMM
// without operand traffic, and after operation 1 (reference: costmodel.md §12).
func TestSeedBestBeam(t *testing.T) {
	const b = 136 * 16 * 2
	kernel := SeedKernel{Rows: 269, Cols: 16, BlockCols: 16, Inner: 576, BlockInner: 576, Interleaved: true}
	gemm := append(kernel.Cost(), SeedReduction(b, 2, 1)...).Total() + SeedPanelCopy(b)
	if gemm != 59718 {
		t.Errorf("after operation 0: %d, want 59718", gemm)
	}
	if got := gemm + SeedGelu(2176); got != 81489 {
		t.Errorf("after operation 1: %d, want 81489", got)
	}
}

// Reference: costmodel.md §4.7 and §12 (GEMM 2).
func TestSeedReduction(t *testing.T) {
	for _, c := range []struct{ bytes, parts, epochs, exchange, work int64 }{
		{4736, 5, 1, 4736 + 600, 23691},
		{1344, 15, 1, 4704 + 600, 20171},
		{4736, 5, 4, 4736 + 2400, 8*4736 + 44}, // streamed
		{4736, 2, 1, 2368 + 600, 2*4736 + 11},  // a pair sends two pieces
	} {
		cost := SeedReduction(c.bytes, c.parts, c.epochs)
		if cost.Exchange() != c.exchange || cost.Total()-cost.Exchange() != c.work {
			t.Errorf("%+v: exchange %d, work %d", c, cost.Exchange(), cost.Total()-cost.Exchange())
		}
	}
}

// Reference: costmodel.md §4.2, §4.7, §6, §12.
func TestSeedStaging(t *testing.T) {
	for bytes, want := range map[int64]int64{4736: 801, 1344: 235, 8192: 1377} {
		if got := SeedPanelCopy(bytes); got != want {
			t.Errorf("panel copy of %d bytes: %d, want %d", bytes, got, want)
		}
	}
	for _, c := range []struct {
		parts              int
		interleaved        bool
		inner, block, cols int
		want               bool
	}{
		{5, true, 1152, 240, 32, true}, {1, true, 1152, 64, 64, false},
		{1, false, 1152, 64, 64, true}, {1, false, 64, 64, 64, false}, {1, false, 1152, 64, 16, false},
	} {
		if got := SeedPanelBuffer(c.parts, c.interleaved, c.inner, c.block, c.cols); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	// GEMM 2 with standard weights: what finalist 237468 costs more than the
	// chosen plan, less the slower feeding (planspace.md §9.3).
	if got := SeedOwnerPenalty(27648, 15, 15); got != 237468-234069-(54186-52512) {
		t.Errorf("owner penalty %d", got)
	}
}

// Reference: costmodel.md §4.3 with the operands of §4.7.
func TestSeedDistribute(t *testing.T) {
	stored := firstSeed.gemm1.right(1152, 4304, false)
	delivered := firstSeed.gemm1.right(1152, 4304, true)
	shards := func(l model.Layout) []model.Shard {
		list, err := l.Shards(1152, 4304)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	traffic := NewSeedTraffic(seedTiles)
	if err := SeedDistribute(traffic, shards(stored), shards(delivered)); err != nil {
		t.Fatal(err)
	}
	if traffic.PairOut() != 30720 || traffic.TileIn() != 15360 || traffic.Chunks(1) != 2 {
		t.Errorf("pair sends %d, tile receives %d, %d chunks", traffic.PairOut(), traffic.TileIn(), traffic.Chunks(1))
	}
	free := NewSeedTraffic(seedTiles)
	if err := SeedDistribute(free, shards(delivered), shards(delivered)); err != nil || free.Payload() != 0 {
		t.Errorf("replicas that are there cost %d bytes, %v", free.Payload(), err)
	}
	// One slice of the weights on each of its two consumers: they swap halves.
	sliced := delivered
	sliced.Slices = 2
	halves := NewSeedTraffic(seedTiles)
	if err := SeedDistribute(halves, shards(sliced), shards(delivered)); err != nil {
		t.Fatal(err)
	}
	if halves.PairOut() != 15360 || halves.TileIn() != 7680 {
		t.Errorf("slices: pair sends %d, tile receives %d", halves.PairOut(), halves.TileIn())
	}
	if err := SeedDistribute(NewSeedTraffic(seedTiles), shards(stored)[:600], shards(delivered)); err == nil {
		t.Error("a region that nobody holds is delivered")
	}
}

// Reference: costmodel.md §4.5, example.
func TestSeedStationary(t *testing.T) {
	split := func(rowParts, colParts int, rows, cols int) []model.Shard {
		l := model.Layout{Tiles: rowParts * colParts, Axes: []model.AxisTiling{
			{Axis: model.Cols, Parts: colParts, Block: 1}, {Axis: model.Rows, Parts: rowParts, Block: 1}}}
		list, err := l.Shards(rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	traffic := SeedStationary(4, 128, split(2, 1, 8, 128), split(1, 2, 128, 128), split(2, 2, 8, 128))
	for tile, want := range []int64{0, 1024, 17408, 17408} {
		if got := traffic.in[tile].bytes; got != want {
			t.Errorf("tile %d receives %d bytes, want %d", tile, got, want)
		}
	}
	if got := traffic.out[0].bytes; got != 34816 {
		t.Errorf("pair 0 sends %d bytes, want 34816", got)
	}
	if got := SeedExchange(traffic.Payload(), 2); got != 9904 {
		t.Errorf("exchange %d, want 9904", got)
	}
}

// Reference: costmodel.md §5 and §6.
func TestSeedPointwise(t *testing.T) {
	for name, c := range map[string][2]int64{
		"GELU":              {SeedGelu(2144), 21451},
		"GELU in place":     {SeedGelu(2176), 21771},
		"add":               {SeedAdd(2144), 145},
		"cast":              {SeedCast(4000, 2000), 761},
		"row-major":         {SeedPack(1024, model.RowMajor, false), 0},
		"transposed-right":  {SeedPack(1024, model.TransposedRight, false), 3083},
		"left":              {SeedPack(640, model.LeftPanel, false), 2571},
		"64×16 blocks":      {SeedPack(1024, model.BlockMajor, true), 8192},
		"other blocks":      {SeedPack(1024, model.BlockMajor, false), 10251},
		"unpack left":       {SeedUnpack(672, model.LeftPanel), 0},
		"unpack transposed": {SeedUnpack(672, model.TransposedLeft), 6731},
		"unpack output":     {SeedUnpack(672, model.OutputPanel), 6731},
		"fill":              {SeedFill(97), 14},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", name, c[0], c[1])
		}
	}
}

// Reference: costmodel.md §7, "Local copies", and cutting at boundaries.
func TestSeedLocalCalls(t *testing.T) {
	series := func(n int, bytes, src, dst int64) (runs []seedRun) {
		for i := range int64(n) {
			runs = append(runs, seedRun{bytes, i * src, i * dst})
		}
		return runs
	}
	for name, c := range map[string]struct {
		runs []seedRun
		want int64
	}{
		"18 strided runs of 32 bytes": {series(18, 32, 32, 5888), 18},
		"16 strided runs of 32 bytes": {series(16, 32, 32, 5888), 1},
		"no gaps":                     {series(100, 64, 64, 64), 1},
		"odd length":                  {series(3, 12, 32, 64), 3},
		"backwards":                   {series(3, 32, 32, -64), 3},
		"stride changes":              {append(series(4, 32, 32, 64), seedRun{32, 1000, 2000}), 2},
		"one run":                     {series(1, 32, 0, 0), 1},
	} {
		if got := (&seedWalk{runs: c.runs}).calls(); got != c.want {
			t.Errorf("%s: %d calls, want %d", name, got, c.want)
		}
	}
}

// Reference: costmodel.md §9, planspace.md §10.4.
func TestSeedGemmMemory(t *testing.T) {
	for _, c := range []struct {
		gemm SeedGemmMemory
		want SeedBytes
	}{
		{SeedGemmMemory{Inner: 1152, Parts: 5, Cols: 32, PartialBytes: 23360, ReducedBytes: 4736}, SeedBytes{28416, 39744}},
		{SeedGemmMemory{Inner: 4304, Parts: 15, Cols: 48, PartialBytes: 17568, ReducedBytes: 1344}, SeedBytes{21504, 48288}},
		{SeedGemmMemory{Inner: 1152, Parts: 5, Cols: 32, PartialBytes: 23360, ReducedBytes: 4736, Streamed: true}, SeedBytes{14208, 39744}},
		{SeedGemmMemory{Inner: 1152, Parts: 5, Cols: 32, PartialBytes: 23360, ReducedBytes: 4736, SlicedLeftBytes: 175680}, SeedBytes{180224, 39744}},
	} {
		if got := c.gemm.Temporary(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.gemm, got, c.want)
		}
	}
}

// Reference: planspace.md §10.3.
func TestSeedAccept(t *testing.T) {
	fits := SeedState{Peak: SeedBytes{586960 - 49152 - 32768, 32768}, LargestStandard: 424880 - 32768}
	if err := fits.Accept(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*SeedState){
		"interleaved":      func(s *SeedState) { s.Peak = SeedBytes{0, 424881} },
		"standard":         func(s *SeedState) { s.Peak.Standard++ },
		"interleaved step": func(s *SeedState) { s.Peak.Interleaved++ },
		"contiguous":       func(s *SeedState) { s.LargestStandard++ },
	} {
		s := fits
		change(&s)
		if err := s.Accept(); !errors.Is(err, ErrSeedMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Nothing is left above 400 000 interleaved bytes rounded to elements, so the
	// standard range counts.
	if got := (SeedState{Peak: SeedBytes{0, 400000}, LargestStandard: 170000}).Overflow(); got != 170000-162080 {
		t.Errorf("overflow %d", got)
	}
}
