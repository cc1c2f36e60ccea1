package cost

import (
	"fmt"

	"ipusolve/model"
)

// Report is a plan priced under profile seed.
type Report struct {
	// Steps is the cost of every step of the plan. Bringing weights or inputs to
	// more tiles is priced with the GEMM that reads them, so such moves are free.
	Steps []model.Cost `json:"steps"`
	// Conversions has the figures of every other move, nil elsewhere.
	Conversions []*SeedConversion `json:"conversions"`
	// Rows is the exchange row bytes of every step, Memory what the operation of
	// every step needs by itself.
	Rows   []int64          `json:"rows"`
	Memory []SeedStepMemory `json:"memory"`
	State  SeedState        `json:"state"` // of the whole plan
}

// SeedStepMemory is the memory of one operation or conversion by itself
// (reference: planspace.md §10.1).
type SeedStepMemory struct {
	Live      SeedBytes `json:"live"` // result and operands
	Temporary SeedBytes `json:"temporary"`
}

// Peak is live plus temporary memory.
func (m SeedStepMemory) Peak() SeedBytes { return m.Live.Add(m.Temporary) }

// Cost is the cost of all steps.
func (r *Report) Cost() model.Cost {
	var c model.Cost
	for _, s := range r.Steps {
		c = append(c, s...)
	}
	return c
}

// PriceSeed prices a plan under profile seed with the rectangle rule, from its
// layouts and recipes. Layouts are priced as they are numbered: tile maps play no
// part. It fails if the plan is not valid (model.Plan.Validate), or with
// ErrImpossible; whether the memory suffices is left to Report.State.Accept.
func PriceSeed(p *model.Plan) (*Report, error) { return priceSeed(p, SeedRectangles) }

func priceSeed(p *model.Plan, rule SeedRule) (*Report, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("cost: %w", err)
	}
	n := len(p.Steps)
	s := seedPricer{plan: p, rule: rule, delivers: map[int]int{}, report: &Report{
		Steps: make([]model.Cost, n), Conversions: make([]*SeedConversion, n), Rows: make([]int64, n), Memory: make([]SeedStepMemory, n)}}
	for i := range p.Values {
		v := &p.Values[i]
		shards, err := v.Layout.Shards(v.Rows, v.Cols)
		if err != nil {
			return nil, fmt.Errorf("cost: value %s: %w", v.Name, err)
		}
		s.shards = append(s.shards, shards)
	}
	s.findDeliveries()
	for i := range p.Steps {
		if err := s.step(i); err != nil {
			return nil, fmt.Errorf("cost: step %d: %w", i, err)
		}
	}
	s.state()
	return s.report, nil
}

type seedPricer struct {
	plan     *model.Plan
	rule     SeedRule
	shards   [][]model.Shard
	delivers map[int]int // value that an operand delivery makes → its source
	report   *Report
}

// findDeliveries finds the moves that only bring a loaded value to more tiles,
// for GEMMs alone.
func (s *seedPricer) findDeliveries() {
	type region struct{ rows, cols model.Extent }
	for i := range s.plan.Steps {
		step := &s.plan.Steps[i]
		if step.Kind != model.StepMove {
			continue
		}
		in, out := step.In[0], step.Out
		from := &s.plan.Values[in]
		if from.Role != model.RoleInput && from.Role != model.RoleWeight || from.Layout.Order != s.plan.Values[out].Layout.Order {
			continue
		}
		stored := map[region]bool{}
		for _, sh := range s.shards[in] {
			stored[region{sh.Rows, sh.Cols}] = true
		}
		delivery := true
		for _, sh := range s.shards[out] {
			delivery = delivery && stored[region{sh.Rows, sh.Cols}]
		}
		for j := range s.plan.Steps {
			for _, read := range s.plan.Steps[j].In {
				delivery = delivery && (read != out || s.plan.Steps[j].Kind == model.StepGemm)
			}
		}
		if delivery {
			s.delivers[out] = in
		}
	}
}

// source is the stored value behind an operand, and whether it is delivered.
func (s *seedPricer) source(value int) (int, bool) {
	if in, ok := s.delivers[value]; ok {
		return in, true
	}
	return value, false
}

// bytes is S of a value: its largest shard, padding included.
func (s *seedPricer) bytes(value int) int64 {
	perTile := map[int]int64{}
	var most int64
	for _, sh := range s.shards[value] {
		perTile[sh.Index] += int64(sh.Elements()) * f16Bytes
		most = max(most, perTile[sh.Index])
	}
	return most
}

func (s *seedPricer) classed(value int, bytes int64) SeedBytes {
	if s.plan.Values[value].Layout.Class == model.Interleaved {
		return SeedBytes{Interleaved: bytes}
	}
	return SeedBytes{Standard: bytes}
}

func (s *seedPricer) live(values ...int) SeedBytes {
	var b SeedBytes
	for _, v := range values {
		b = b.Add(s.classed(v, s.bytes(v)))
	}
	return b
}

func (s *seedPricer) step(i int) error {
	step, r := &s.plan.Steps[i], s.report
	switch step.Kind {
	case model.StepGelu:
		r.Steps[i] = model.Cost{{Name: SeedTermGelu, Cycles: SeedGelu(s.bytes(step.Out) / f16Bytes)}}
		r.Memory[i].Live = s.live(step.In[0], step.Out)
	case model.StepGemm:
		return s.gemm(i)
	case model.StepMove:
		if _, ok := s.delivers[step.Out]; ok {
			return nil
		}
		from, to := &s.plan.Values[step.In[0]], &s.plan.Values[step.Out]
		c, err := SeedRearrange(&from.Layout, &to.Layout, from.Rows, from.Cols, s.plan.Problem.Tiles, s.rule)
		if err != nil {
			return err
		}
		r.Conversions[i], r.Steps[i], r.Rows[i] = c, c.Cost, c.RowBytes()
		r.Memory[i].Live = s.live(step.In[0], step.Out)
	}
	return nil
}

// gemm prices a GEMM with the delivery of its operands, the complete reduction
// of its partials and the copy of their sum (reference: costmodel.md §4.6).
func (s *seedPricer) gemm(i int) error {
	step, r := &s.plan.Steps[i], s.report
	recipe := step.Gemm
	left, leftMoves := s.source(step.In[0])
	right, rightMoves := s.source(step.In[1])
	rows, inner, cols := s.plan.Values[left].Rows, s.plan.Values[left].Cols, s.plan.Values[right].Cols
	k, c := int64(recipe.Compute.Inner), int64(recipe.BlockCols)
	interleaved := s.plan.Values[right].Layout.Class == model.Interleaved

	tileCols := c * ceilDiv(ceilDiv(int64(cols), c), int64(recipe.Compute.Cols))
	tileInner := ceilDiv(seedAlign(int64(inner), int64(recipe.BlockInner)), k)
	tileRows := ceilDiv(int64(rows), int64(recipe.Compute.Rows))
	cost := SeedKernel{Rows: int(tileRows), Cols: int(tileCols), Inner: int(tileInner),
		BlockInner: recipe.BlockInner, BlockCols: recipe.BlockCols, Interleaved: interleaved}.Cost()
	rightParts := storedInnerParts(&s.plan.Values[right].Layout)
	if !interleaved && SeedPanelBuffer(int(rightParts), interleaved, inner, recipe.BlockInner, int(tileCols)) {
		blocks := ceilDiv(int64(inner), int64(recipe.BlockInner))
		if penalty := SeedOwnerPenalty(tileCols*tileInner*f16Bytes, rightParts, blocks); penalty > 0 {
			cost = append(cost, model.Term{Name: SeedTermOwnerPenalty, Cycles: penalty})
		}
	}

	traffic := NewSeedTraffic(s.plan.Problem.Tiles)
	name := SeedTermWeightBroadcast
	if rightMoves {
		if err := SeedDistribute(traffic, s.shards[right], s.shards[step.In[1]]); err != nil {
			return err
		}
	}
	if leftMoves {
		name = SeedTermOperandBroadcast
		if err := SeedDistribute(traffic, s.shards[left], s.shards[step.In[0]]); err != nil {
			return err
		}
	}
	phases := int64(0)
	if payload := traffic.Payload(); payload > 0 {
		phases = 1
		cost = append(cost,
			model.Term{Name: name, Cycles: ceilDiv(payload, seedPayloadRate), Exchange: true},
			model.Term{Name: SeedTermSync, Cycles: SeedSync, Exchange: true})
	}

	partial, result := tileRows*tileCols*f16Bytes, s.bytes(step.Out)
	reduced := partial
	distributed := recipe.Result != model.Grid{Rows: recipe.Compute.Rows, Cols: recipe.Compute.Cols}
	if distributed {
		reduced = result
	}
	memory := SeedGemmMemory{Inner: inner, Parts: int(k), Cols: int(tileCols), PartialBytes: partial, ReducedBytes: reduced}
	chunks := traffic.Chunks(phases)
	if k > 1 {
		cost = append(cost, SeedReduction(reduced, k, 1)...)
		phases++
		if distributed {
			cost = append(cost, model.Term{Name: SeedTermResultCopy, Cycles: SeedPanelCopy(result)})
		}
		r.Memory[i].Temporary = memory.Temporary()
	} else if rightMoves {
		r.Memory[i].Temporary.Interleaved = tileCols * tileInner * f16Bytes
	}
	r.Steps[i], r.Rows[i] = cost, SeedRowBytes(phases, chunks)
	r.Memory[i].Live = s.live(left, right, step.Out)
	return nil
}

// storedInnerParts is the number of parts of the inner (row) axis of weights.
func storedInnerParts(l *model.Layout) int64 {
	for _, a := range l.Axes {
		if a.Axis == model.Rows {
			return int64(a.Parts)
		}
	}
	return 1
}
