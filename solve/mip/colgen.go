package mip

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"slices"
	"time"

	"ipusolve/solve"
	"ipusolve/solve/lp"
)

var _ solve.ColumnSolver = Solver{}

// SolveColumns answers a column problem: the relaxation by column generation on
// one warm linear program, then an assignment by diving and by an integer program
// over the columns found. The bound rests on the pricer's exact statements only.
// Limits are not errors; a pricer's error is, and so is a column that contradicts
// the problem.
func (s Solver) SolveColumns(ctx context.Context, p *solve.ColumnProblem, opt solve.Options) (*solve.ColumnResult, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("mip: %w", err)
	}
	if opt.TimeLimit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.TimeLimit)
		defer cancel()
	}
	c, err := newColgen(ctx, p, opt)
	if err != nil {
		return nil, fmt.Errorf("mip: %w", err)
	}
	defer c.simplex.Free()
	if err := c.run(s); err != nil && ctx.Err() == nil { // cut off, the pricer may not finish
		return nil, fmt.Errorf("mip: %w", err)
	}
	r, err := c.result()
	if err != nil {
		return nil, fmt.Errorf("mip: %w", err)
	}
	return r, nil
}

// colgen is one column problem in work.
type colgen struct {
	ctx   context.Context
	p     *solve.ColumnProblem
	opt   solve.Options
	log   *slog.Logger
	begin time.Time
	in    *instance // the master, for rounding dual vectors

	simplex *lp.Simplex
	columns []solve.Column
	known   map[string]bool
	lo, hi  []float64 // bounds of the program's columns: master's variables, then columns
	cost    []float64
	last    *lp.Solution
	need    []int64 // in a dive, what it has left of the right-hand sides

	bound      *big.Rat // best so far, rounded up
	proof      *solve.ColumnProof
	centre     []float64 // dual vector of the best bound
	converged  bool
	infeasible bool
	stats      solve.ColumnStats

	best    *solve.Assignment
	bestObj *big.Rat
}

func newColgen(ctx context.Context, p *solve.ColumnProblem, opt solve.Options) (*colgen, error) {
	c := &colgen{ctx: ctx, p: p, opt: opt, log: opt.Log, begin: time.Now(), known: map[string]bool{}}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.in = newInstance(p.Master, 0, func(int) bool { return false })
	r := lp.Relaxation(p.Master)
	c.lo, c.hi, c.cost = slices.Clone(r.ColLower), slices.Clone(r.ColUpper), slices.Clone(r.Cost)
	var err error
	if c.simplex, err = lp.New(r); err != nil {
		return nil, err
	}
	if _, err := c.add(p.Start); err != nil {
		c.simplex.Free()
		return nil, err
	}
	return c, nil
}

func (c *colgen) on(t solve.Technique) bool { return !slices.Contains(c.opt.Disable, t) }

// stopped reports whether a limit is reached.
func (c *colgen) stopped() bool {
	return c.ctx.Err() != nil || c.opt.Effort > 0 && c.stats.LPIterations >= c.opt.Effort
}

// run generates columns, then rounds.
func (c *colgen) run(s Solver) error {
	if err := c.generate(0, false); err != nil || c.infeasible {
		return err
	}
	c.log.Info("columns", "columns", len(c.columns), "rounds", c.stats.Rounds, "relaxation", c.relaxation(), "bound", text(c.bound),
		"iterations", c.stats.LPIterations, "seconds", time.Since(c.begin).Seconds())
	root, basis := c.last, c.simplex.Basis()
	for k := 0; k < dives && c.on(solve.ColumnDiving) && c.last.Status == lp.Optimal && !c.closed() && !c.stopped(); k++ {
		if err := c.dive(k); err != nil {
			return err
		}
		if err := c.surface(root, basis); err != nil {
			return err
		}
	}
	return c.round(s)
}

// key tells columns apart by what the program sees of them.
func key(c *solve.Column) string {
	b := binary.AppendVarint(nil, int64(c.Group))
	b = binary.AppendVarint(b, c.Cost)
	for _, t := range c.Terms {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(t.Row)), t.Coef)
	}
	return string(b)
}

// add appends the columns that are not known yet, and returns their indices.
func (c *colgen) add(columns []solve.Column) ([]int, error) {
	var fresh lp.Columns
	var added []int
	for k := range columns {
		col := &columns[k]
		if err := c.p.ValidColumn(col); err != nil {
			return nil, err
		}
		id := key(col)
		if c.known[id] {
			continue
		}
		c.known[id] = true
		index, value := make([]int32, 0, len(col.Terms)), make([]float64, 0, len(col.Terms))
		for _, t := range col.Terms {
			if t.Coef != 0 {
				index, value = append(index, int32(t.Row)), append(value, float64(t.Coef))
			}
		}
		hi := float64(c.p.Groups[col.Group].Upper())
		fresh.Append(0, hi, float64(col.Cost), index, value)
		c.lo, c.hi, c.cost = append(c.lo, 0), append(c.hi, hi), append(c.cost, float64(col.Cost))
		added = append(added, len(c.columns))
		c.columns = append(c.columns, *col)
	}
	c.stats.Columns += len(added)
	return added, c.simplex.AddColumns(&fresh)
}

// solve solves the program over the columns known: by the primal simplex when
// columns were added, by the dual one when bounds changed.
func (c *colgen) solve(primal bool) *lp.Solution {
	limit := int64(0)
	if c.opt.Effort > 0 {
		limit = c.opt.Effort - c.stats.LPIterations
	}
	if primal {
		c.last = c.simplex.SolvePrimal(c.ctx, limit)
	} else {
		c.last = c.simplex.Solve(c.ctx, limit)
	}
	c.stats.LPIterations += int64(c.last.Iterations)
	return c.last
}

func (c *colgen) relaxation() float64 { return c.last.Objective + float64(c.p.Master.Constant) }

// reduced is the reduced cost of a column at y.
func (c *colgen) reduced(k int, y []float64) float64 {
	r := float64(c.columns[k].Cost)
	for _, t := range c.columns[k].Terms {
		r -= y[t.Row] * float64(t.Coef)
	}
	return r
}

// priceTolerance is the reduced cost from which a column counts as an
// improvement, relative to its cost.
const priceTolerance = 1e-7

func (c *colgen) pays(k int, y []float64) bool {
	return c.reduced(k, y) < -priceTolerance*(1+math.Abs(float64(c.columns[k].Cost)))
}

// smoothing is the weight of the best dual vector in what is priced. One half takes a
// sixth to a third off the simplex iterations of cutting stock and of rounds;
// three quarters take no more off, and cost more questions.
const smoothing = 0.5

// generate solves the relaxation: until no column is missing, or until the
// bound says that none would raise it. While diving (most > 0) it stops after so
// many rounds, and its bounds are not those of the problem.
func (c *colgen) generate(most int, diving bool) error {
	x := c.solve(false)
	for rounds := 0; !c.stopped(); {
		switch x.Status {
		case lp.Optimal:
		case lp.Infeasible:
			before := len(c.columns)
			ok, err := c.repair(diving)
			if err != nil || !ok {
				return err
			}
			if x = c.solve(true); x.Status == lp.Infeasible && len(c.columns) == before {
				return c.failed(diving, x) // within one tolerance, not within another
			}
			continue
		case lp.Limit:
			return nil
		default:
			return c.failed(diving, x)
		}
		if !diving && c.tight(x) {
			c.converged = true
			return nil
		}
		if most > 0 && rounds >= most {
			return nil
		}
		weight := 0.0
		if !diving && c.centre != nil && c.on(solve.DualSmoothing) {
			weight = smoothing
		}
		found := false
		for !found {
			rounds++
			y := mix(c.centre, x.Dual, weight)
			fresh, err := c.price(y, false, diving)
			if err != nil {
				return err
			}
			for _, k := range fresh {
				found = found || c.pays(k, x.Dual)
			}
			if found || !diving && c.tight(x) {
				break
			}
			if weight == 0 {
				c.converged = c.converged || !diving
				return nil
			}
			c.stats.Misprices++
			if weight /= 2; weight < smoothing/4 {
				weight = 0
			}
		}
		x = c.solve(true)
	}
	return nil
}

// failed is what a numerical failure means: the end of a dive, else an error.
func (c *colgen) failed(diving bool, x *lp.Solution) error {
	if diving {
		return nil
	}
	return fmt.Errorf("linear program over %d columns: %v", len(c.columns), x.Status)
}

// tight reports whether no further column can raise the bound.
func (c *colgen) tight(x *lp.Solution) bool {
	if c.bound == nil {
		return false
	}
	obj := x.Objective + float64(c.p.Master.Constant)
	slack := 1e-6 * (1 + math.Abs(obj)*1e-3)
	if !c.p.Granular() {
		slack = 1e-9 * (1 + math.Abs(obj))
	}
	return c.bound.Cmp(c.p.RoundUp(ratOf(obj-slack))) >= 0
}

// mix is weight·centre + (1−weight)·y.
func mix(centre, y []float64, weight float64) []float64 {
	if weight == 0 {
		return y
	}
	out := make([]float64, len(y))
	for i := range y {
		out[i] = weight*centre[i] + (1-weight)*y[i]
	}
	return out
}

// price asks the pricer at y, rounded, keeps the bound that follows, and adds
// what is new.
func (c *colgen) price(y []float64, farkas, diving bool) ([]int, error) {
	d := c.rounded(y)
	q := &solve.Pricing{Y: make([]int64, len(c.in.rhs)), Den: d.Den, Farkas: farkas, Need: c.need}
	for k, i := range d.Rows {
		q.Y[i] = d.Num[k]
	}
	if diving {
		c.stats.DiveRounds++
	} else {
		c.stats.Rounds++
	}
	a, err := c.p.Pricer.Price(c.ctx, q)
	if err != nil {
		return nil, fmt.Errorf("pricer: %w", err)
	}
	if err := c.learn(&solve.ColumnProof{Dual: *d, Farkas: farkas, Least: a.Least}, y); err != nil {
		return nil, err
	}
	return c.add(a.Columns)
}

// learn keeps the bound of a proof if it is better, or infeasibility. Statements
// of the pricer do not depend on bounds of variables, so those of dives count too.
func (c *colgen) learn(proof *solve.ColumnProof, y []float64) error {
	b, err := c.p.Bound(proof)
	if err != nil {
		return err
	}
	if proof.Farkas {
		if b.Sign() > 0 {
			c.infeasible, c.proof = true, proof
		}
		return nil
	}
	if b = c.p.RoundUp(b); c.bound == nil || b.Cmp(c.bound) > 0 {
		c.bound, c.proof, c.centre = b, proof, slices.Clone(y)
		c.log.Debug("bound", "round", c.stats.Rounds, "columns", len(c.columns), "relaxation", c.relaxation(), "bound", text(b))
	}
	return nil
}

const (
	priceNumerator   = 40 // |Y| < 2^priceNumerator
	priceDenominator = 24 // Den ≤ 2^priceDenominator
)

// rounded is a dual vector near y that a pricer can take: fractions of small
// denominators if y is like that, else multiples of a power of ½.
func (c *colgen) rounded(y []float64) *solve.Dual {
	largest := 1.0
	for i := range y {
		largest = max(largest, math.Abs(c.in.usable(i, y[i])))
	}
	if d := c.in.simple(y); d != nil && d.Den <= 1<<priceDenominator && largest*float64(d.Den) < 1<<priceNumerator {
		return d
	}
	k := min(priceDenominator, priceNumerator-1-math.Ilogb(largest))
	if k < 0 {
		return &solve.Dual{Den: 1}
	}
	return c.in.scaled(&solve.Dual{Den: 1 << k}, y)
}

// repair looks for columns that make an infeasible program feasible, by pricing
// against the total violation of the rows; false when there are none.
func (c *colgen) repair(diving bool) (bool, error) {
	rows := len(c.in.rhs)
	var slack lp.Columns
	for i := range rows {
		if c.in.sense[i] != solve.LE {
			slack.Append(0, math.Inf(1), 1, []int32{int32(i)}, []float64{1})
		}
		if c.in.sense[i] != solve.GE {
			slack.Append(0, math.Inf(1), 1, []int32{int32(i)}, []float64{-1})
		}
	}
	// The program's columns: variables and columns known, slacks, new columns.
	at, n := len(c.cost), len(slack.Cost)
	if err := c.simplex.AddColumns(&slack); err != nil {
		return false, err
	}
	feasible := false
	for rounds := 0; !diving || rounds <= diveRounds; rounds++ {
		cost := make([]float64, len(c.cost)+n)
		copy(cost[at:], slack.Cost)
		if err := c.simplex.SetCosts(cost); err != nil {
			return false, err
		}
		x := c.solve(true)
		if c.stopped() {
			break
		}
		if x.Status != lp.Optimal {
			return false, c.failed(diving, x)
		}
		if feasible = x.Objective < 1e-7; feasible {
			break
		}
		fresh, err := c.price(x.Dual, true, diving)
		if err != nil {
			return false, err
		}
		if c.infeasible || len(fresh) == 0 {
			break // without a proof, the violation is below what the vector's rounding shows
		}
	}
	which := make([]int, n)
	for k := range which {
		which[k] = at + k
	}
	if err := c.simplex.DeleteColumns(which); err != nil {
		return false, err
	}
	c.last = &lp.Solution{Status: lp.Infeasible} // what is known of the program itself
	return feasible, c.simplex.SetCosts(c.cost)
}

// result sums up.
func (c *colgen) result() (*solve.ColumnResult, error) {
	m, err := c.p.Model(c.columns)
	if err != nil {
		return nil, err
	}
	r := &solve.ColumnResult{Model: m, Columns: c.columns, Bound: c.bound, Proof: c.proof, Converged: c.converged, Stats: c.stats, Objective: c.bestObj}
	if c.last != nil && c.last.Status == lp.Optimal {
		r.Relaxation = c.relaxation()
	}
	if c.best != nil {
		r.Assignment = *c.best
		r.Values = append(slices.Clone(r.Values), make([]int64, len(m.Vars)-len(r.Values))...)
	}
	switch {
	case c.infeasible:
		r.Status, r.Bound = solve.Infeasible, nil
	case c.bestObj == nil:
		r.Status = solve.Unknown
	case r.Bound != nil && r.Bound.Cmp(c.bestObj) >= 0:
		r.Status = solve.Optimal
	default:
		r.Status = solve.Feasible
	}
	c.log.Info("end", "status", r.Status.String(), "columns", len(c.columns), "best", text(r.Objective), "bound", text(r.Bound), "gap", r.Gap(),
		"iterations", c.stats.LPIterations, "seconds", time.Since(c.begin).Seconds())
	return r, nil
}
