package planning

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/model/space"
	"ipusolve/solve"
)

// Explainer answers what else a problem's plan could be. Every answer is solved: with
// one GEMM restricted, all others are chosen anew, and the plan is priced from its
// layouts.
type Explainer struct {
	plan   *model.Plan
	chain  *space.Chain
	choice space.Choice
	solver solve.Solver
	opt    Options
}

// NewExplainer explains a plan under its problem. Errors wrap ErrForeign where the plan
// is none that planning makes.
func NewExplainer(plan *model.Plan, solver solve.Solver, opt Options) (*Explainer, error) {
	if plan.Problem.Profile != model.ProfileC600 {
		return nil, fmt.Errorf("planning: %w: profile %s", ErrForeign, plan.Problem.Profile)
	}
	chain, err := space.NewChain(&plan.Problem)
	if err != nil {
		return nil, err
	}
	e := &Explainer{chain: chain, solver: solver, opt: opt}
	if e.choice, err = identify(chain, plan); err != nil {
		return nil, err
	}
	if err := CheckPins(plan); err != nil {
		return nil, err
	}
	if e.plan, err = repriced(plan); err != nil {
		return nil, err
	}
	return e, nil
}

// repriced is a plan with the costs of profile c600.
func repriced(plan *model.Plan) (*model.Plan, error) {
	costs, err := cost.PriceC600(plan)
	if err != nil {
		return nil, err
	}
	p := *plan
	p.Steps = slices.Clone(plan.Steps)
	for i := range p.Steps {
		p.Steps[i].Cost = costs[i]
	}
	return &p, nil
}

// Plan is the plan explained, with the costs of profile c600.
func (e *Explainer) Plan() *model.Plan { return e.plan }

// Chosen is how a plan runs a GEMM and the GELUs behind it.
type Chosen struct {
	Op        string
	Candidate string
	Gelus     []string
	// Runs: the GELUs run on equal row-major runs, else in the layout of the result.
	Runs bool
}

// Chosen lists the choices of the plan in program order.
func (e *Explainer) Chosen() []Chosen {
	var list []Chosen
	for i := range e.chain.Stages {
		s := &e.chain.Stages[i]
		c := Chosen{Op: s.Gemm.Name, Candidate: e.choice.Gemms[i].String(), Runs: e.choice.Vias[i] == space.InLinear}
		for _, g := range s.Gelus {
			c.Gelus = append(c.Gelus, g.Name)
		}
		list = append(list, c)
	}
	return list
}

// Uses are the bytes of the plan by memory limit, as planning counts them.
func (e *Explainer) Uses() ([]Use, error) {
	filter := only{}
	for i := range e.choice.Gemms {
		g := e.choice.Gemms[i]
		filter[i] = pin{g.String(), func(c space.Gemm) bool { return c == g }}
	}
	p := e.plan.Problem
	p.Pins = nil
	b, err := buildOnly(&p, nil, true, filter)
	if err != nil {
		return nil, err
	}
	choice := make(encode.Choice, len(b.sel.Nodes)) // the only candidates
	b.trim(choice)
	return b.uses(choice), nil
}

// uses lists what a choice takes of the memory limits.
func (b *builder) uses(choice encode.Choice) (list []Use) {
	for l, u := range b.sel.Uses(choice) {
		if b.offsets[l] == encode.Fixed {
			continue // no memory
		}
		list = append(list, Use{b.sel.Limits[l].Name, u, b.sel.Limits[l].Amount})
	}
	return list
}

// Elsewhere is the plan with the GELUs behind a GEMM on row-major runs if they run in
// the layout of its result, and the other way round; all candidates are kept. It is nil
// where there are no GELUs or only one way.
func (e *Explainer) Elsewhere(op string) *model.Plan {
	b := builder{problem: &e.plan.Problem, chain: e.chain}
	i := b.stage(op)
	if i < 0 || b.runs(i) == 0 || e.choice.Gemms[i].Swapped || e.choice.Gemms[i+1].Swapped {
		return nil
	}
	c := space.Choice{Gemms: e.choice.Gemms, Vias: slices.Clone(e.choice.Vias)}
	if c.Vias[i] == space.InLinear {
		c.Vias[i] = space.InResult
	} else {
		c.Vias[i] = space.InLinear
	}
	p, err := e.chain.Plan(b.problem, c)
	if err != nil {
		panic(fmt.Sprintf("planning: candidates of the family make no plan: %v", err))
	}
	return p
}

// Alternative is the best plan under a restriction of one GEMM.
type Alternative struct {
	Candidate string // of the restricted GEMM
	Plan      *model.Plan
	Bound     int64 // no plan under the restriction costs less
}

// Proven tells that no plan under the restriction is cheaper.
func (a *Alternative) Proven() bool { return a.Bound == a.Plan.Total() }

// RunnersUp are the best plans that run a GEMM otherwise, best first, at most n: each
// is the best without the candidates of those before it. By grid, every one has a
// compute grid or orientation of its own; else all have the grid of the plan, and differ
// in what else a candidate decides. A pin of the GEMM does not hold.
func (e *Explainer) RunnersUp(ctx context.Context, op string, n int, byGrid bool) ([]*Alternative, error) {
	i, err := e.stage(op)
	if err != nil {
		return nil, err
	}
	taken := []space.Gemm{e.choice.Gemms[i]}
	admits := func(g space.Gemm) bool {
		if !byGrid && !sameGrid(g, taken[0]) {
			return false
		}
		return !slices.ContainsFunc(taken, func(t space.Gemm) bool { return g == t || byGrid && sameGrid(g, t) })
	}
	var list []*Alternative
	for len(list) < n {
		a, g, err := e.best(ctx, i, pin{fmt.Sprint("not ", taken), admits})
		var none *InfeasibleError
		if errors.Is(err, encode.ErrInfeasible) || errors.As(err, &none) {
			break // there are no more
		}
		if err != nil {
			return list, err
		}
		list, taken = append(list, a), append(taken, g)
	}
	return list, nil
}

func sameGrid(a, b space.Gemm) bool {
	return a.Swapped == b.Swapped && a.R == b.R && a.Q == b.Q && a.K == b.K
}

// Verdict says why a candidate is not the one of a plan.
type Verdict struct {
	Chosen bool         // it is
	Rule   string       // the rule of the family that rules it out
	Limit  error        // *InfeasibleError: the memory limit that does
	Best   *Alternative // the best plan that has it
}

// WhyNot finds the best plan in which a GEMM runs as a pattern says, in place of its pin
// if it has one, or what rules all such plans out.
func (e *Explainer) WhyNot(ctx context.Context, op string, want space.Pattern) (*Verdict, error) {
	i, err := e.stage(op)
	if err != nil {
		return nil, err
	}
	if want.Matches(e.choice.Gemms[i]) {
		return &Verdict{Chosen: true}, nil
	}
	b := &builder{problem: &e.plan.Problem, chain: e.chain, pins: make([]pin, len(e.chain.Stages))}
	if rule := b.refusal(i, want); rule != "" {
		return &Verdict{Rule: rule}, nil
	}
	a, _, err := e.best(ctx, i, pin{fmt.Sprint(want), want.Matches})
	var none *InfeasibleError
	switch {
	case errors.As(err, &none):
		return &Verdict{Limit: none}, nil
	case err != nil:
		return nil, err
	}
	return &Verdict{Best: a}, nil
}

func (e *Explainer) stage(op string) (int, error) {
	b := builder{chain: e.chain}
	if i := b.stage(op); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("planning: no gemm %q: %w", op, model.ErrUsage)
}

// best solves the problem with stage i restricted. An error wraps encode.ErrInfeasible
// if no candidate is left.
func (e *Explainer) best(ctx context.Context, i int, restriction pin) (*Alternative, space.Gemm, error) {
	p := e.plan.Problem
	p.Pins = slices.DeleteFunc(slices.Clone(p.Pins), func(pin model.Pin) bool { return pin.Op == e.chain.Stages[i].Gemm.Name })
	opt := e.opt
	opt.only = only{i: restriction}
	res, err := Solve(ctx, &p, e.solver, opt)
	if err != nil {
		return nil, space.Gemm{}, err
	}
	if res.Plan == nil {
		if err := ctx.Err(); err != nil {
			return nil, space.Gemm{}, fmt.Errorf("planning: no plan found before the search was stopped: %w", err)
		}
		return nil, space.Gemm{}, fmt.Errorf("planning: no plan found within the limits of the search")
	}
	c, err := identify(e.chain, res.Plan)
	if err != nil {
		return nil, space.Gemm{}, err
	}
	bound := res.Outcome.Bound
	if r := res.Outcome.Result; r != nil && r.Bound != nil {
		if floor := new(big.Int).Div(r.Bound.Num(), r.Bound.Denom()); floor.IsInt64() {
			bound = min(bound, floor.Int64())
		}
	}
	return &Alternative{Candidate: c.Gemms[i].String(), Plan: res.Plan, Bound: bound}, c.Gemms[i], nil
}
