package planning

import (
	"errors"
	"fmt"
	"reflect"

	"ipusolve/model"
	"ipusolve/model/space"
)

// ErrForeign is wrapped by errors about plans that planning cannot make: those of
// another family, or made by hand.
var ErrForeign = errors.New("not a plan of the problem's family")

// identify reads the candidates of a plan from its layouts and steps.
func identify(chain *space.Chain, plan *model.Plan) (space.Choice, error) {
	var c space.Choice
	foreign := func(format string, args ...any) (space.Choice, error) {
		return space.Choice{}, fmt.Errorf("planning: %w: %s", ErrForeign, fmt.Sprintf(format, args...))
	}
	steps := map[string]*model.Step{} // GEMMs and GELUs by operation
	moved := map[int]*model.Step{}    // moves by what they make
	for i := range plan.Steps {
		switch s := &plan.Steps[i]; s.Kind {
		case model.StepGemm, model.StepGelu:
			steps[s.Op] = s
		case model.StepMove:
			moved[s.Out] = s
		}
	}
	for i := range chain.Stages {
		stage := &chain.Stages[i]
		s := steps[stage.Gemm.Name]
		if s == nil || s.Gemm == nil || len(s.In) != 2 {
			return foreign("no step multiplies for %s", stage.Gemm.Name)
		}
		r := s.Gemm
		if r.Compute.Rows < 1 || r.Compute.Cols < 1 {
			return foreign("%s has an empty grid", stage.Gemm.Name)
		}
		g := space.Gemm{R: int32(r.Compute.Rows), Q: int32(r.Compute.Cols), K: int32(r.Compute.Inner),
			Rho: int32(r.Result.Rows / r.Compute.Rows), Kappa: int32(r.Result.Cols / r.Compute.Cols),
			Swapped: r.Orientation == model.OrientationSwapped, Matrix: r.Sum == model.SumMatrix}
		loaded := s.In[1]
		if g.Swapped {
			loaded = s.In[0]
			for _, a := range plan.Values[s.Out].Layout.Axes {
				g.Fine = g.Fine || a.Axis == model.Cols && a.Block == 1
			}
		}
		g.Interleaved = plan.Values[loaded].Layout.Class == model.Interleaved
		if m := moved[s.In[1]]; m != nil {
			g.Gathered, g.InPlace = true, m.InPlace
			if n := plan.Values[m.In[0]].Layout.Slices; n != g.WeightHolders() {
				g.Slices = int32(n)
			}
		}
		if rule := candidateRefusal(&plan.Problem, chain, i, g); rule != "" {
			return foreign("%s: %v: %s", stage.Gemm.Name, g, rule)
		}
		via := space.InResult
		if n := len(stage.Gelus); n > 0 {
			gelu := steps[stage.Gelus[0].Name]
			if gelu == nil {
				return foreign("no step is %s", stage.Gelus[0].Name)
			}
			for _, a := range plan.Values[gelu.In[0]].Layout.Axes {
				if a.Axis == model.Linear {
					via = space.InLinear
				}
			}
		}
		c.Gemms, c.Vias = append(c.Gemms, g), append(c.Vias, via)
	}
	same, err := chain.Plan(&plan.Problem, c)
	if err != nil {
		return foreign("%v", err)
	}
	if !sameProgram(same, plan) {
		return foreign("its layouts or steps are not those of %v", c.Gemms)
	}
	return c, nil
}

// candidateRefusal is the rule by which stage i has no candidate g, empty if it has.
func candidateRefusal(p *model.Problem, chain *space.Chain, i int, g space.Gemm) string {
	name := g.String()
	if !g.Matrix {
		name += "/kernel"
	}
	pattern, err := space.ParsePattern(name)
	if err != nil {
		return "empty parts"
	}
	b := builder{problem: p, chain: chain, pins: make([]pin, len(chain.Stages))}
	return b.refusal(i, pattern)
}

// sameProgram tells that two plans differ in nothing but recorded costs.
func sameProgram(a, b *model.Plan) bool {
	if len(a.Steps) != len(b.Steps) || !reflect.DeepEqual(a.Values, b.Values) {
		return false
	}
	for i := range a.Steps {
		x, y := a.Steps[i], b.Steps[i]
		x.Cost, y.Cost = nil, nil
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}
