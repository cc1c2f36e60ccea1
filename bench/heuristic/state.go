package heuristic

import (
	"ipusolve/model/cost"
	"ipusolve/model/space"
)

// stored is a value in one format as a state's memory model sees it.
type stored struct {
	bytes  int64
	format int32
	tail   int64 // largest access tail of its uses
	// distinct values have memory elements of their own.
	distinct    bool
	first, last int16 // emitted operations that make and last use it; -1: from the start
	alias       bool  // a view of another value
}

// emitted is an operation of a state's program.
type emitted struct {
	temporary cost.SeedBytes
	slices    int64 // standard bytes of its slice buffer
	rows      int64 // exchange rows
}

// state is a partial plan: the best choices for a prefix of the operations.
type state struct {
	parent *state
	choice choice
	// at is the stored value that holds a graph value now, -1 before it is made.
	at        []int16
	automatic []bool // graph inputs that no operation has read
	values    []stored
	program   []emitted
	score     int64
	memory    cost.SeedState
}

// choice is what was done for the last operation of a state.
type choice struct {
	plan   int // index in the plan list of the operation
	gemm   *space.SeedGemm
	sliced bool
	format int32 // of the result
}

// allocation is what a stored value takes of a tile.
func (b *beam) allocation(v *stored) cost.SeedBytes {
	if v.alias {
		return cost.SeedBytes{}
	}
	f := &b.formats[v.format].SeedFormat
	bytes := v.bytes + v.tail
	if v.distinct {
		return cost.SeedRounded(f.In(bytes))
	}
	return f.In(bytes)
}

// measure sets the peak memory of a state (reference: planspace.md §10.2).
func (b *beam) measure(s *state) {
	m := cost.SeedState{}
	for i := range s.program {
		op := &s.program[i]
		at := op.temporary
		m.LargestStandard = max(m.LargestStandard, op.slices)
		for j := range s.values {
			v := &s.values[j]
			if int(v.first) <= i && i <= int(v.last) {
				size := b.allocation(v)
				at = at.Add(size)
				m.LargestStandard = max(m.LargestStandard, size.Standard)
			}
		}
		m.Peak = m.Peak.Max(at)
		m.Total = max(m.Total, at.Total())
		m.RowBytes += op.rows
	}
	m.Peak.Standard += m.RowBytes
	m.Total += m.RowBytes
	s.memory = m
}
