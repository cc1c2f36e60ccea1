package planning

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/space"
	"ipusolve/solve"
)

// Options steers planning.
type Options struct {
	Solve solve.Options
	// Tighten replaces memory limits by smaller ones, by name: what placement
	// found to be out of reach. The bound of a tightened problem is not one of
	// the problem.
	Tighten map[string]int64

	only only
}

// Result is a solved planning problem.
type Result struct {
	Plan    *model.Plan
	Outcome *encode.Outcome
	// Uses are the bytes of the plan by limit, as planning counts them.
	Uses []Use
}

// Use is what a plan takes of one memory limit.
type Use struct {
	Name  string
	Bytes int64
	Limit int64
}

// InfeasibleError says which memory limit rules out every plan, and the
// smallest memory limit that admits one.
type InfeasibleError struct {
	Limit    string // binding limit, class/total at operation.event
	Required int64  // bytes that the least demanding plan uses there
	Allowed  int64
	Smallest int64 // smallest memory limit V that would do
	Proven   bool  // no smaller multiple of the granule would do
}

func (e *InfeasibleError) Error() string {
	claim := "smallest memory limit that would do"
	if !e.Proven {
		claim = "memory limit that would do"
	}
	return fmt.Sprintf("planning: infeasible: %s needs %d bytes a tile, the limit leaves %d; %s: %d", e.Limit, e.Required, e.Allowed, claim, e.Smallest)
}

// Solve plans a problem in the family normal or full under profile c600.
func Solve(ctx context.Context, p *model.Problem, solver solve.Solver, opt Options) (*Result, error) {
	b, err := buildOnly(p, opt.Tighten, false, opt.only)
	if errors.Is(err, encode.ErrInfeasible) {
		return nil, infeasible(ctx, p, solver, opt)
	}
	if err != nil {
		return nil, err
	}
	out, err := encode.Select(ctx, b.sel, solver, opt.Solve)
	if errors.Is(err, encode.ErrInfeasible) {
		return nil, infeasible(ctx, p, solver, opt)
	}
	if err != nil {
		return nil, fmt.Errorf("planning: %w", err)
	}
	res := &Result{Outcome: out}
	if out.Choice == nil {
		return res, nil
	}
	b.trim(out.Choice)
	if res.Plan, err = b.plan(out.Choice); err != nil {
		return nil, err
	}
	if got := res.Plan.Total(); got != out.Objective {
		return nil, fmt.Errorf("planning: the plan's layouts cost %d cycles, its candidates %d", got, out.Objective)
	}
	res.Uses = b.uses(out.Choice)
	return res, nil
}

// builder states a problem as a selection.
type builder struct {
	problem *model.Problem
	chain   *space.Chain
	sel     *encode.Selection
	offsets []int64
	gemms   [][]space.Gemm // per stage and candidate
	pairs   []*transition  // between stage i and i+1
	// identity is the node of identity blocks, 0 if there is none.
	identity int
	pins     []pin // per stage
}

// newBuilder lists the candidates that a plan within memory may need (lister.list).
func newBuilder(p *model.Problem, tighten map[string]int64) (*builder, error) {
	return build(p, tighten, false)
}

// build lists the candidates; all of them if all is set.
func build(p *model.Problem, tighten map[string]int64, all bool) (*builder, error) {
	return buildOnly(p, tighten, all, nil)
}

// buildOnly lists those candidates that pins and a filter admit.
func buildOnly(p *model.Problem, tighten map[string]int64, all bool, filter only) (*builder, error) {
	chain, err := space.NewChain(p)
	if err != nil {
		return nil, err
	}
	b := &builder{problem: p, chain: chain, sel: &encode.Selection{Name: "planning"}, gemms: make([][]space.Gemm, len(chain.Stages))}
	if err := b.pin(filter); err != nil {
		return nil, err
	}
	var counts [][][]int
	b.sel.Limits, b.offsets, counts = limits(chain, int64(p.MemoryLimit), tighten)
	// Stages that look alike share their candidates, and moves between such stages
	// share their prices.
	alike := map[role]int{}
	kind := make([]int, len(chain.Stages)) // first stage alike
	lists := make([]listed, len(chain.Stages))
	var wg sync.WaitGroup
	for i := range chain.Stages {
		k, ok := alike[b.role(i)]
		if kind[i] = k; !ok {
			alike[b.role(i)], kind[i] = i, i
			l := b.lister(i)
			wg.Go(func() { lists[i] = l.list(all) })
		}
	}
	wg.Wait()
	classes := make([][]space.Gemm, len(chain.Stages))
	moves := map[[2]int]*transition{}
	for i := range chain.Stages {
		list := &lists[kind[i]]
		if len(list.gemms) == 0 {
			return nil, fmt.Errorf("planning: %w: no candidate of %s fits", encode.ErrInfeasible, chain.Stages[i].Gemm.Name)
		}
		b.gemms[i], classes[i] = list.gemms, list.classes
		b.sel.Nodes = append(b.sel.Nodes, list.node)
		b.sel.Nodes[i].Name, b.sel.Nodes[i].Counts = chain.Stages[i].Gemm.Name, counts[i]
	}
	for i := 0; i+1 < len(chain.Stages); i++ {
		t, ok := moves[[2]int{kind[i], kind[i+1]}]
		if !ok {
			t = &transition{Transition: space.Transition{From: chain.Stages[i].Shape, To: chain.Stages[i+1].Shape},
				from: classes[i], to: classes[i+1], gelus: len(chain.Stages[i].Gelus), linear: b.runs(i)}
			if t.linear > 0 {
				t.runGelu = int64(t.gelus) * t.From.LinearGelu()
			}
			moves[[2]int{kind[i], kind[i+1]}] = t
		}
		b.pairs = append(b.pairs, t)
		b.sel.Edges = append(b.sel.Edges, encode.Edge{Name: "move/" + chain.Stages[i].Result(), From: i, To: i + 1, Pair: t})
	}
	if p.Outputs == model.OutputsLinear {
		last := len(chain.Stages) - 1
		node := encode.Node{Name: "output", Candidates: []encode.Candidate{{}}, Describe: func(int) string { return "linear" }}
		b.sel.Nodes = append(b.sel.Nodes, node)
		o := &output{shape: chain.Stages[last].Shape, from: classes[last], exact: func(g space.Gemm) int64 { return b.toLinear(last, g) }}
		b.sel.Edges = append(b.sel.Edges, encode.Edge{Name: "move/output", From: last, To: last + 1, Pair: o})
	}
	b.identityNode()
	return b, nil
}

// role is all of a stage that its candidates depend on.
type role struct {
	space.Shape
	gelus       int
	first, last bool
	pin         string // what tells its pins and filters from those of others
}

func (b *builder) role(i int) role {
	s := &b.chain.Stages[i]
	return role{s.Shape, len(s.Gelus), i == 0, i+1 == len(b.chain.Stages), b.pins[i].name}
}

// runs is the size in elements of the largest row-major run of stage i's result
// where GELU may run there, else 0.
func (b *builder) runs(i int) int {
	s := &b.chain.Stages[i]
	if len(s.Gelus) == 0 || i+1 == len(b.chain.Stages) {
		return 0
	}
	return s.LinearElements()
}

func (b *builder) plan(choice encode.Choice) (*model.Plan, error) {
	n := len(b.chain.Stages)
	c := space.Choice{Gemms: make([]space.Gemm, n), Vias: make([]space.Via, n)}
	for i := range n {
		c.Gemms[i] = b.gemms[i][choice[i]]
	}
	for i, t := range b.pairs {
		_, c.Vias[i] = t.best(b.sel.Nodes[i].Candidates[choice[i]].Class, b.sel.Nodes[i+1].Candidates[choice[i+1]].Class)
	}
	return b.chain.Plan(b.problem, c)
}

// toLinear prices, from layouts, the move of stage i's result to row-major order.
func (b *builder) toLinear(i int, g space.Gemm) int64 {
	p := *b.problem
	p.Inputs, p.Outputs = model.InputsPreplaced, model.OutputsLinear
	g.Gathered = false
	stage := b.chain.Stages[i]
	stage.Gelus = nil
	chain := space.Chain{Input: stage.Gemm.Inputs[0], Stages: []space.Stage{stage}}
	plan, err := chain.Plan(&p, space.Choice{Gemms: []space.Gemm{g}, Vias: []space.Via{space.InResult}})
	if err != nil {
		panic(fmt.Sprintf("planning: a candidate of the family makes no plan: %v", err))
	}
	return plan.Steps[len(plan.Steps)-1].Cost.Total()
}

// infeasible finds the smallest memory limit that admits a plan, among all candidates.
func infeasible(ctx context.Context, p *model.Problem, solver solve.Solver, opt Options) error {
	b, err := buildOnly(p, opt.Tighten, true, opt.only)
	if err != nil {
		return err
	}
	least, err := encode.LeastBudget(ctx, b.sel, b.offsets, model.MemoryGranule, solver, opt.Solve)
	if err != nil {
		return fmt.Errorf("planning: %w", err)
	}
	e := &InfeasibleError{Smallest: least.Amount, Proven: least.Proven}
	uses := b.sel.Uses(least.Choice)
	for _, l := range least.Tight {
		if over := uses[l] - b.sel.Limits[l].Amount; e.Limit == "" || over > e.Required-e.Allowed {
			e.Limit, e.Required, e.Allowed = b.sel.Limits[l].Name, uses[l], max(0, b.sel.Limits[l].Amount)
		}
	}
	return e
}
