package lp

import (
	"runtime"

	"github.com/lanl/clp"
)

// Cold solves p once from scratch by CLP's primal simplex through lanl/clp.
// It takes no limits: that binding's time limit counts the CPU time of the
// whole process.
func Cold(p *Problem) (*Solution, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	rows, cols := p.Dims()
	a := clp.NewPackedMatrix()
	a.SetDimensions(rows, 0) // else trailing empty rows are lost
	for j := range cols {
		col := make([]clp.Nonzero, 0, p.Start[j+1]-p.Start[j])
		for k := p.Start[j]; k < p.Start[j+1]; k++ {
			col = append(col, clp.Nonzero{Index: int(p.Index[k]), Value: p.Value[k]})
		}
		a.AppendColumn(col)
	}
	s := clp.NewSimplex()
	s.LoadProblem(a, pairs(p.ColLower, p.ColUpper), p.Cost, pairs(p.RowLower, p.RowUpper), nil)
	s.SetOptimizationDirection(clp.Minimize)
	sol := &Solution{Status: clpStatus(int(s.Primal(clp.NoValuesPass, clp.NoStartFinishOptions)))}
	if sol.Status == Failed {
		// Status 10: the primal simplex asks the dual to finish.
		sol.Status = clpStatus(int(s.Dual(clp.NoValuesPass, clp.NoStartFinishOptions)))
	}
	sol.Objective = s.ObjectiveValue()
	sol.Primal = s.PrimalColumnSolution()
	sol.Dual = s.DualRowSolution()
	sol.Reduced = s.DualColumnSolution()
	runtime.KeepAlive(s)
	return sol, nil
}

func pairs(lo, hi []float64) []clp.Bounds {
	b := make([]clp.Bounds, len(lo))
	for i := range b {
		b[i] = clp.Bounds{Lower: lo[i], Upper: hi[i]}
	}
	return b
}
