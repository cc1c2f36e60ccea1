package cost

import "ipusolve/model"

// state finds the peak memory of the whole plan: values from their making (loaded
// ones from the start) to their last use, outputs to the end, plus the temporary
// memory of each step; tile maxima of different values are added (reference:
// planspace.md §10.2). Delivered operands are temporary memory of their GEMM, or,
// if streamed, values of their own.
func (s *seedPricer) state() {
	p, r := s.plan, s.report
	type life struct{ from, to int }
	lives := make([]life, len(p.Values))
	size := make([]SeedBytes, len(p.Values))
	for v := range p.Values {
		lives[v] = life{from: -1, to: -1}
		if p.Values[v].Role == model.RoleOutput {
			lives[v].to = len(p.Steps)
		}
		size[v] = s.classed(v, s.bytes(v))
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		lives[step.Out].from = i
		for _, in := range step.In {
			lives[in].to = max(lives[in].to, i)
		}
		if step.Kind != model.StepGemm {
			continue
		}
		size[step.In[0]] = s.distinct(step.In[0], seedLeftTail)
		size[step.Out] = s.distinct(step.Out, s.tailOf(step.Out))
		if source, ok := s.delivers[step.In[1]]; ok {
			lives[source].to = max(lives[source].to, i)
			size[step.In[1]] = SeedBytes{}
		}
	}
	for i := range p.Steps {
		at := r.Memory[i].Temporary
		for v := range p.Values {
			if lives[v].from <= i && i <= lives[v].to {
				at = at.Add(size[v])
				r.State.LargestStandard = max(r.State.LargestStandard, size[v].Standard)
			}
		}
		r.State.Peak = r.State.Peak.Max(at)
		r.State.Total = max(r.State.Total, at.Total())
		r.State.RowBytes += r.Rows[i]
	}
	r.State.Peak.Standard += r.State.RowBytes
	r.State.Total += r.State.RowBytes
}

// tailOf is the access tail of a value: that of a streamed operand, or none.
func (s *seedPricer) tailOf(value int) int64 {
	for i := range s.plan.Steps {
		if step := &s.plan.Steps[i]; step.Kind == model.StepGemm && step.In[0] == value {
			return seedLeftTail
		}
	}
	return 0
}

// distinct is the allocation of a value that needs memory elements of its own.
func (s *seedPricer) distinct(value int, tail int64) SeedBytes {
	return SeedRounded(s.classed(value, s.bytes(value)+tail))
}
