package cost

import (
	"fmt"

	"ipusolve/kernels"
	"ipusolve/model"
)

// Charges of the c600 profile (reference: simulator.md §1–2).
const (
	PhaseSync = 600 // barrier release after the latest arrival
	RouteTail = 100 // charged per phase until it is scheduled
)

// Names of cost terms.
const (
	TermKernel    = "kernel"         // matrix unit, weight feeding and call
	TermWords     = "exchange/words" // busiest tile of the phase
	TermBarrier   = "exchange/sync"
	TermTail      = "exchange/tail"
	TermSum       = "reduction/sum"
	TermCopy      = "copy"
	TermFill      = "fill"
	TermPointwise = "pointwise"
	TermTranspose = "transpose" // panels turned
)

// PriceC600 prices every step of a plan under the c600 profile, from the
// plan's layouts alone: a step's work is that of its busiest tile, a phase costs
// the largest of words sent, words received and control slots of any tile,
// plus 100 + 600 (reference: simulator.md §2). Of a value whose slices are gathered
// in place a tile sends and receives through one SRAM element, so not at once; nor do
// parts move at once that three tiles or more gather. Moves that share a phase put its
// cost on the first of them.
func PriceC600(p *model.Plan) ([]model.Cost, error) {
	pricer, err := newPricer(p)
	if err != nil {
		return nil, err
	}
	return pricer.price()
}

type pricer struct {
	plan   *model.Plan
	shards [][]model.Shard // per value
	read   []bool          // by a step, per value
	spans  *tileSpans      // nil: only steps are priced
}

func newPricer(p *model.Plan) (*pricer, error) {
	pricer := &pricer{plan: p, shards: make([][]model.Shard, len(p.Values)), read: make([]bool, len(p.Values))}
	for i := range p.Steps {
		for _, v := range p.Steps[i].In {
			pricer.read[v] = true
		}
	}
	for i := range p.Values {
		v := &p.Values[i]
		s, err := v.Layout.Shards(v.Rows, v.Cols)
		if err != nil {
			return nil, fmt.Errorf("cost: value %s: %w", v.Name, err)
		}
		for _, sh := range s {
			if sh.Tile < 0 || sh.Tile >= p.Problem.Tiles {
				return nil, fmt.Errorf("cost: value %s: tile %d of %d", v.Name, sh.Tile, p.Problem.Tiles)
			}
		}
		pricer.shards[i] = s
	}
	return pricer, nil
}

func (p *pricer) price() ([]model.Cost, error) {
	steps := p.plan.Steps
	costs := make([]model.Cost, len(steps))
	phase, first, load := model.NoPhase, 0, &Load{}
	closePhase := func() {
		if phase != model.NoPhase {
			costs[first] = append(costs[first], load.Terms()...)
		}
		phase = model.NoPhase
	}
	for i := range steps {
		s := &steps[i]
		if s.Kind != model.StepMove || s.Phase != phase {
			closePhase()
		}
		p.spans.step(i)
		var err error
		switch s.Kind {
		case model.StepMove:
			if phase == model.NoPhase && s.Phase != model.NoPhase {
				phase, first, load = s.Phase, i, NewLoad(p.plan.Problem.Tiles)
			}
			costs[i], err = p.move(s, load)
		case model.StepGemm:
			costs[i], err = p.gemm(s)
		case model.StepGelu:
			costs[i] = p.gelu(s)
		case model.StepTranspose:
			costs[i] = p.transpose(s)
		default:
			err = fmt.Errorf("kind %q", s.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("cost: step %d: %w", i, err)
		}
	}
	closePhase()
	return costs, nil
}

// term prices local work by its busiest tile, nothing if no tile has any.
func (p *pricer) term(name string, perTile []int64) model.Cost {
	p.spans.add(perTile, name == TermSum)
	most := busiest(perTile)
	if most == 0 {
		return nil
	}
	return model.Cost{{Name: name, Cycles: most}}
}

// busiest is the largest entry.
func busiest(perTile []int64) int64 {
	var most int64
	for _, c := range perTile {
		most = max(most, c)
	}
	return most
}

func (p *pricer) gelu(s *model.Step) model.Cost {
	work := make([]int64, p.plan.Problem.Tiles)
	for _, sh := range p.shards[s.In[0]] {
		work[sh.Tile] += kernels.GeluCycles(sh.Elements())
	}
	return p.term(TermPointwise, work)
}

// transpose prices turning panels: one call per shard, which loads its panels as weights.
func (p *pricer) transpose(s *model.Step) model.Cost {
	work := make([]int64, p.plan.Problem.Tiles)
	interleaved := p.plan.Values[s.In[0]].Layout.Class == model.Interleaved
	for _, sh := range p.shards[s.In[0]] {
		work[sh.Tile] += kernels.TransposeCycles(sh.Elements()/(model.PanelWidth*model.PanelWidth), interleaved)
	}
	return p.term(TermTranspose, work)
}
