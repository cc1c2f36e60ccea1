package lp

/*
#cgo pkg-config: clp
#include <stdlib.h>
#include <coin/Clp_C_Interface.h>
#include "interrupt.h"

// load hands the columns over. CoinBigIndex is an int in Debian's build; the
// starts are converted here so that no other build can be misread.
static int load(Clp_Simplex *m, int cols, int rows, const int *start, const int *index, const double *value,
		const double *collb, const double *colub, const double *cost, const double *rowlb, const double *rowub) {
	CoinBigIndex *s = malloc((cols + 1) * sizeof *s);
	if (!s)
		return 0;
	for (int j = 0; j <= cols; j++)
		s[j] = start[j];
	Clp_loadProblem(m, cols, rows, s, index, value, collb, colub, cost, rowlb, rowub);
	free(s);
	return 1;
}
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Simplex is a linear program that stays loaded between solves. It must be
// freed; a forgotten one is freed with its last reference. Not safe for
// concurrent use.
type Simplex struct {
	clp        unsafe.Pointer
	stop       *C.int // set to end a solve
	cleanup    runtime.Cleanup
	rows, cols int
	unscaled   bool // scaling is off since it misled a solve
}

// New loads a problem.
func New(p *Problem) (*Simplex, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	rows, cols := p.Dims()
	clp := C.Clp_newModel()
	if clp == nil {
		return nil, fmt.Errorf("lp: out of memory")
	}
	C.Clp_setLogLevel(clp, 0)
	ok := C.load(clp, C.int(cols), C.int(rows), (*C.int)(ptr(p.Start)), (*C.int)(ptr(p.Index)), (*C.double)(ptr(p.Value)),
		(*C.double)(ptr(p.ColLower)), (*C.double)(ptr(p.ColUpper)), (*C.double)(ptr(p.Cost)),
		(*C.double)(ptr(p.RowLower)), (*C.double)(ptr(p.RowUpper)))
	stop := (*C.int)(C.calloc(1, C.sizeof_int))
	if ok == 0 || stop == nil {
		C.Clp_deleteModel(clp)
		C.free(unsafe.Pointer(stop))
		return nil, fmt.Errorf("lp: out of memory")
	}
	C.watch(clp, stop)
	s := &Simplex{clp: clp, stop: stop, rows: rows, cols: cols}
	s.cleanup = runtime.AddCleanup(s, func(held [2]unsafe.Pointer) { release(held[0], held[1]) }, [2]unsafe.Pointer{clp, unsafe.Pointer(stop)})
	return s, nil
}

// ptr is the address of the first element; CLP wants a pointer even when there
// is none, because NULL means default bounds.
func ptr[T any](s []T) *T {
	if len(s) == 0 {
		return new(T)
	}
	return &s[0]
}

// Free releases the C side. The Simplex must not be used afterwards.
func (s *Simplex) Free() {
	if s.clp != nil {
		s.cleanup.Stop()
		release(s.clp, unsafe.Pointer(s.stop))
		s.clp, s.stop = nil, nil
	}
}

func release(clp, stop unsafe.Pointer) {
	C.Clp_deleteModel(clp)
	C.free(stop)
}

// SetBounds replaces the column bounds; the next Solve starts from the last
// basis.
func (s *Simplex) SetBounds(lower, upper []float64) error {
	if len(lower) != s.cols || len(upper) != s.cols {
		return fmt.Errorf("lp: %w: %d and %d bounds for %d columns", ErrProblem, len(lower), len(upper), s.cols)
	}
	for j := range lower {
		if err := validBounds("column", j, lower[j], upper[j]); err != nil {
			return err
		}
	}
	C.Clp_chgColumnLower(s.clp, (*C.double)(ptr(lower)))
	C.Clp_chgColumnUpper(s.clp, (*C.double)(ptr(upper)))
	runtime.KeepAlive(s)
	return nil
}

// Basis returns a copy of the current basis; nil before the first solve.
func (s *Simplex) Basis() Basis {
	defer runtime.KeepAlive(s)
	a := C.Clp_statusArray(s.clp)
	if a == nil || C.Clp_statusExists(s.clp) == 0 {
		return nil
	}
	return C.GoBytes(unsafe.Pointer(a), C.int(s.rows+s.cols))
}

// SetBasis makes b, from Basis of the same problem, the start of the next solve.
func (s *Simplex) SetBasis(b Basis) {
	if len(b) != s.rows+s.cols {
		panic("lp: basis of another problem")
	}
	C.Clp_copyinStatus(s.clp, (*C.uchar)(ptr(b)))
	runtime.KeepAlive(s)
}

// Solve solves from the last basis by the dual simplex, with at most
// maxIterations iterations (0 = no limit). When ctx ends, it returns within an
// iteration with Status Limit.
func (s *Simplex) Solve(ctx context.Context, maxIterations int64) *Solution {
	return s.run(ctx, maxIterations, warmDual)
}

// SolvePrimal is Solve by the primal simplex: the way on from a basis that is
// feasible but no longer optimal, as after AddColumns or SetCosts. CLP may take one
// iteration more than maxIterations.
func (s *Simplex) SolvePrimal(ctx context.Context, maxIterations int64) *Solution {
	return s.run(ctx, maxIterations, warmPrimal)
}

// SolveFresh is Solve with a presolve by CLP in front: several
// times faster on a large problem without a good basis. The basis at
// the end is one of the whole problem.
func (s *Simplex) SolveFresh(ctx context.Context, maxIterations int64) *Solution {
	return s.run(ctx, maxIterations, presolved)
}

// method is how a solve starts.
type method uint8

const (
	warmDual method = iota
	warmPrimal
	presolved
)

func (s *Simplex) run(ctx context.Context, maxIterations int64, how method) *Solution {
	defer runtime.KeepAlive(s)
	flag := (*int32)(unsafe.Pointer(s.stop))
	atomic.StoreInt32(flag, 0)
	done := make(chan struct{})
	quiet := context.AfterFunc(ctx, func() {
		atomic.StoreInt32(flag, 1)
		close(done)
	})
	defer func() {
		if !quiet() {
			<-done // the flag may be freed after this
		}
	}()
	sol := &Solution{Status: Limit}
	for ctx.Err() == nil {
		n := int64(math.MaxInt32)
		if maxIterations > 0 {
			if n = min(n, maxIterations-int64(sol.Iterations)); n <= 0 {
				break
			}
		}
		C.Clp_setMaximumIterations(s.clp, C.int(n))
		switch how {
		case presolved:
			C.Clp_initialDualSolve(s.clp)
			how = warmDual
		case warmPrimal:
			C.Clp_primal(s.clp, 0)
		default:
			C.Clp_dual(s.clp, 0)
		}
		sol.Iterations += int(C.Clp_numberIterations(s.clp))
		sol.Status = clpStatus(int(C.Clp_status(s.clp)))
		if how == warmPrimal && sol.Status == Failed {
			how = warmDual // status 10: the primal simplex asks the dual to finish
			continue
		}
		if sol.Status != Optimal || s.unscaled || !s.scalingMisled() {
			break
		}
		s.unscaled = true
		C.Clp_scaling(s.clp, 0)
	}
	sol.Objective = float64(C.Clp_objectiveValue(s.clp))
	sol.Primal = doubles(C.Clp_primalColumnSolution(s.clp), s.cols)
	sol.Dual = doubles(C.Clp_dualRowSolution(s.clp), s.rows)
	sol.Reduced = doubles(C.Clp_dualColumnSolution(s.clp), s.cols)
	return sol
}

// scalingMisled reports that the optimum of the scaled problem, within its
// tolerances, is none of the problem itself (CLP's secondary status 2 to 4).
func (s *Simplex) scalingMisled() bool {
	c := C.Clp_secondaryStatus(s.clp)
	return c >= 2 && c <= 4
}

// Ray returns multipliers of the rows that show the last solve's
// infeasibility, or nil if CLP has none. Its sign and quality are unchecked.
func (s *Simplex) Ray() []float64 {
	defer runtime.KeepAlive(s)
	r := C.Clp_infeasibilityRay(s.clp)
	if r == nil {
		return nil
	}
	defer C.Clp_freeRay(s.clp, r)
	return doubles(r, s.rows)
}

func doubles(p *C.double, n int) []float64 {
	out := make([]float64, n)
	if p != nil && n > 0 {
		copy(out, unsafe.Slice((*float64)(unsafe.Pointer(p)), n))
	}
	return out
}
