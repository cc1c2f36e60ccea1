package planning

import (
	"sync"

	"ipusolve/kernels"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
)

const phase = cost.RouteTail + cost.PhaseSync

// transition prices the step from one GEMM's result to the next one's operand,
// GELUs included, by the cheaper of two ways: GELU in the result's layout and
// one move, or a move to row-major runs, GELU there, and a second move. It
// implements encode.Pair over classes of both stages.
type transition struct {
	space.Transition
	from, to []space.Gemm // candidate of each class
	gelus    int
	linear   int // elements of the largest row-major run; 0 = no such way
	// runGelu is the price of the GELUs on row-major runs; moves to and from the
	// runs are remembered by class.
	runGelu  int64
	toRuns   memo
	fromRuns memo
}

func (t *transition) gelu(elements int) int64 { return int64(t.gelus) * kernels.GeluCycles(elements) }

func (t *transition) inResult(a int32) int64 { return t.gelu(int(2 * t.ResultWords(t.from[a]))) }

// viaRuns bounds GELU by way of row-major runs without the second move's
// operand words.
func (t *transition) viaRuns(a int32) int64 {
	held, run := t.ResultWords(t.from[a]), int64(t.linear/2)
	v := t.runGelu - run + max(run-held, held-run)
	if t.From.MustMove(t.from[a]) {
		v += phase
	}
	return v
}

// Left is what the producing class adds at least: a tile needs not receive what
// it holds already.
func (t *transition) Left(a int32) int64 {
	v := t.inResult(a) - t.ResultWords(t.from[a])
	if t.linear > 0 && !t.from[a].Swapped {
		v = min(v, t.viaRuns(a))
	}
	return v
}

// Right is what the consuming class adds at least: tile 0 needs the largest
// operand block and the largest weight block but its own slice.
func (t *transition) Right(b int32) int64 {
	g := t.to[b]
	v := t.OperandWords(g)
	if g.Gathered {
		bytes := t.To.Bytes(g)
		v += int64(bytes.W-bytes.WSlice) / 4
		if g.InTurn() {
			v = max(v, int64(bytes.W)/4)
		}
	}
	if g.InputHolders() > 1 || g.Gathered {
		v += phase // a block that several tiles need moves
	}
	return v
}

// roundSlack covers slices that differ by one run of 16 elements between tiles.
const roundSlack = 16

// Spread: at worst nothing of the operand is in place, the result's words come
// on top, and the whole result is copied.
func (t *transition) Spread(a int32) int64 {
	held := t.ResultWords(t.from[a])
	return t.inResult(a) + held + roundSlack + t.Extra(t.from[a]) + phase - t.Left(a)
}

// runs tells that GELU may run on row-major runs between two classes.
func (t *transition) runs(a, b int32) bool {
	return t.linear > 0 && !t.from[a].Swapped && !t.to[b].Swapped
}

// byRuns is the price by way of row-major runs.
func (t *transition) byRuns(a, b int32) int64 {
	return t.runGelu + t.toRuns.get(a, func() int64 { return t.From.LinearMove(t.from[a], model.LeftPanel).Cycles(phase) }) +
		t.fromRuns.get(b, func() int64 { return t.FromLinear(t.to[b]).Cycles(phase) })
}

// LowerBound prices the direct way on some tiles only.
func (t *transition) LowerBound(a, b int32) int64 {
	v := t.Left(a) + t.Right(b)
	direct := t.inResult(a) + t.AtLeast(t.from[a], t.to[b]).Cycles(phase)
	if t.runs(a, b) && t.viaRuns(a)+t.Right(b) < direct {
		direct = min(direct, t.byRuns(a, b))
	}
	return max(v, direct)
}

func (t *transition) Exact(a, b int32) int64 {
	v, _ := t.best(a, b)
	return v
}

// best is the exact price and the way that has it.
func (t *transition) best(a, b int32) (int64, space.Via) {
	direct := t.inResult(a) + t.Transition.Exact(t.from[a], t.to[b]).Cycles(phase)
	if t.runs(a, b) && t.viaRuns(a)+t.Right(b) < direct {
		if v := t.byRuns(a, b); v < direct {
			return v, space.InLinear
		}
	}
	return direct, space.InResult
}

// output prices the move of the last result into row-major order. The consuming
// node has one class.
type output struct {
	shape space.Shape
	from  []space.Gemm
	exact func(space.Gemm) int64 // for columns that are no multiple of 16
	known memo
}

func (o *output) held(a int32) int64 {
	z := o.shape.Sizes(o.from[a])
	return int64(z.ResultRows*z.ResultCols) / 2
}
func (o *output) Left(a int32) int64 {
	v := -o.held(a)
	if o.shape.MustMove(o.from[a]) {
		v += phase
	}
	return v
}
func (o *output) Right(int32) int64 {
	return int64(o.shape.M*o.shape.N/o.shape.Tiles) / 2
}

// Spread: at worst every element moves, and what a tile holds of its run is
// copied row by row. Where rows are no whole panels, runs are short and each
// costs control slots besides its words.
func (o *output) Spread(a int32) int64 {
	run := int64(o.shape.M*o.shape.N/o.shape.Tiles + model.PanelWidth)
	pieces := run/int64(o.shape.N) + 2
	words, copies := run+o.held(a), int64(0)
	if o.shape.N%model.PanelWidth == 0 {
		copies = pieces*kernels.CopyCycles(64) + run/4
	} else {
		words *= 4
		copies = pieces*kernels.CopyCycles(64) + 4*run // 3 and a call per 16 elements
	}
	return words + phase + copies - o.Left(a) - o.Right(0)
}
func (o *output) LowerBound(a, b int32) int64 {
	return o.Left(a) + o.Right(b)
}
func (o *output) Exact(a, _ int32) int64 {
	return o.known.get(a, func() int64 {
		if o.shape.N%model.PanelWidth != 0 {
			return o.exact(o.from[a])
		}
		return o.shape.LinearMove(o.from[a], model.RowMajor).Cycles(phase)
	})
}

// memo remembers a price by class; it may be asked from several goroutines.
type memo struct{ prices sync.Map }

func (m *memo) get(class int32, price func() int64) int64 {
	if v, ok := m.prices.Load(class); ok {
		return v.(int64)
	}
	v := price()
	m.prices.Store(class, v)
	return v
}
