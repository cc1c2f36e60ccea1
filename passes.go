package ipusolve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"ipusolve/device"
	"ipusolve/encode/planning"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/lower/image"
	"ipusolve/model"
	"ipusolve/model/cost"
)

func (c *Compilation) plan(ctx context.Context) error {
	planned, err := c.opt.Planner.Plan(ctx, c.Problem, c.tighten)
	var none *planning.InfeasibleError
	if errors.As(err, &none) && c.unplaced != nil {
		// Limits that placement lowered prove nothing about the problem.
		return fmt.Errorf("ipusolve: no plan found that can be placed, last: %w", c.unplaced)
	}
	if err != nil {
		return err
	}
	c.Plan = planned.Plan
	if c.Spans, err = cost.SpansC600(c.Plan); err != nil {
		return fmt.Errorf("ipusolve: %w", err)
	}
	tightened := c.Report.Planning.Tightened
	r := planned.Report
	if c.first == nil {
		c.first = &r
	} else {
		// The bound of a tightened problem says nothing about the stated one; that of
		// the first round does, with the model that proves it.
		r.Certificate, r.Bound, r.Status = c.first.Certificate, c.first.Bound, c.first.Status
		r.Rows, r.Columns = c.first.Rows, c.first.Columns
		if r.Bound != nil {
			g, d := gap(r.Objective, *r.Bound), r.Objective-*r.Bound
			r.Gap, r.Difference, r.Status = &g, &d, statusWord(r.Objective, *r.Bound)
		}
		r.Seconds += c.first.Seconds
	}
	r.Tightened = tightened
	r.Steps = nil
	for i := range c.Plan.Steps {
		s := &c.Plan.Steps[i]
		r.Steps = append(r.Steps, StepReport{Kind: s.Kind, Op: s.Op, Value: c.Plan.Values[s.Out].Name, Phase: s.Phase,
			Cycles: s.Cost.Total(), Exchange: s.Cost.Exchange(), Terms: s.Cost})
		r.Exchange += s.Cost.Exchange()
	}
	c.Report.Planning = r
	return nil
}

func (c *Compilation) shard(context.Context) error {
	prog, err := lower.Build(c.Plan)
	if err != nil {
		return fmt.Errorf("ipusolve: %w", err)
	}
	c.Program = prog
	for i, n := range prog.Roots {
		c.Report.Planning.Steps[i].Roots = n
	}
	return nil
}

func (c *Compilation) reserveAreas(context.Context) error {
	m, err := lower.Reserve(c.Program, c.reserve)
	var full *lower.ReserveError
	if cause := crowded(m, err); cause != nil && c.Program.Repeat == nil {
		// Equal blocks may share code and rows.
		if folded := lower.Fold(c.Program); folded.Repeat != nil {
			c.Program, c.reserve.RowCap = folded, c.longRows
			return &again{"reserve", cause}
		}
	}
	if errors.As(err, &full) && full.What == lower.RowTable && c.reserve.RowCap == 0 {
		// The proven bound of the rows finds no room; their real length may.
		c.reserve.RowCap = max(1, min(full.Have-device.FetchGuard, full.Need/2)) // 0 would mean none
		return &again{"reserve", err}
	}
	if err != nil {
		return fmt.Errorf("ipusolve: %w", err)
	}
	c.Map = m
	return nil
}

// crowded tells what speaks against code and rows for every block: they find no room,
// or rows take from the data what planning counts on.
func crowded(m lower.MemoryMap, err error) error {
	if rows := int(m.RowTable.End - m.RowTable.Start); err == nil && rows > model.DefaultReserve {
		return fmt.Errorf("ipusolve: %d bytes of exchange rows are more than the %d that planning leaves", rows, model.DefaultReserve)
	}
	return err
}

// place gives addresses. A plan that does not fit is cut off: the limit that
// its fullest event uses is lowered below that use, and planning resumes.
func (c *Compilation) place(ctx context.Context) error {
	start := time.Now()
	c.placing++
	stats, err := lower.PlaceWithin(ctx, c.Program, c.Map, lower.PlaceEffort)
	var full *lower.PlaceError
	if errors.As(err, &full) {
		c.tried = append(c.tried, PlacementRound{RowBytes: int64(c.Map.RowTable.End - c.Map.RowTable.Start), Cause: err.Error()})
		// Rows reserve what is proven to do. Less leaves more to data, if what is known
		// of the real rows allows it.
		if fewer := c.Map.FewerRowBytes(full.Missing(c.Problem.MemoryLimit)); fewer > 0 && fewer >= c.reserve.RowBytes && (c.reserve.RowCap == 0 || fewer < c.reserve.RowCap) {
			c.reserve.RowCap = fewer
			return &again{"reserve", err}
		}
		name, bytes := c.fullest(full)
		if name == "" || c.replans == maxReplans {
			return fmt.Errorf("ipusolve: %w", err)
		}
		// The step grows, so that neither a plan that would fit is passed by at once
		// nor one is tried after the other for ever. In one range of addresses less than
		// half of what is missing is too little.
		step := model.MemoryGranule << c.replans
		if full.Class == model.Standard {
			step = max(step, full.Missing(c.Problem.MemoryLimit)/2/model.MemoryGranule*model.MemoryGranule)
		}
		c.tighten[name] = bytes - int64(step)
		c.replans++
		c.unplaced = err
		// The next plan's rows are expected to be as long as this one's, if they are known.
		c.reserve.RowCap, c.reserve.RowBytes = c.longRows, 0
		if c.Program.Repeat != nil {
			c.reserve.RowCap = 0 // proven rows tell whether blocks share theirs
		}
		c.Report.Planning.Tightened = append(c.Report.Planning.Tightened, Tightening{name, c.tighten[name], err.Error()})
		return &again{"plan", err}
	}
	if err != nil {
		return fmt.Errorf("ipusolve: %w", err)
	}
	c.memory = stats
	c.Report.Placement = reportPlacement(c.Map, &stats)
	c.Report.Placement.Rounds, c.Report.Placement.Tried, c.Report.Placement.Seconds = c.placing, c.tried, time.Since(start).Seconds()
	return nil
}

// fullest names the planning limit that speaks for a failed placement: of the
// operation and class that failed, the one the plan uses most.
func (c *Compilation) fullest(e *lower.PlaceError) (string, int64) {
	class := "total"
	if e.Class == model.Interleaved {
		class = "interleaved"
	}
	for _, prefix := range []string{"memory/" + class + "/" + e.Op + ".", "memory/" + class + "/"} {
		var name string
		var most int64
		for _, u := range c.Report.Planning.Memory {
			if strings.HasPrefix(u.Limit, prefix) && u.Bytes > most {
				name, most = u.Limit, u.Bytes
			}
		}
		if name != "" {
			return name, most
		}
	}
	return "", 0
}

func (c *Compilation) schedule(ctx context.Context) error {
	n := len(c.Program.Phases)
	c.Phases, c.Schedules = make([]*exchange.Problem, n), make([]*exchange.Schedule, n)
	c.methods, c.duration = make([]string, n), make([]time.Duration, n)
	reports := make([]PhaseReport, n)
	var done atomic.Int64
	groups := c.alike()
	err := forEach(len(groups), func(g int) error {
		for _, i := range groups[g].phases {
			start := time.Now()
			p := c.Program.Exchange(i)
			s, err := groups[g].schedule(ctx, p, c.opt.Scheduler)
			if err != nil {
				return fmt.Errorf("ipusolve: phase %d: %w", i, err)
			}
			c.Phases[i], c.Schedules[i], c.methods[i], c.duration[i] = p.Chosen(s.Schedule), s.Schedule, s.method, time.Since(start)
			r := reportPhase(p, s.Schedule, s.method)
			r.Reason, r.Op = c.Program.Phases[i].Reason, c.Program.Phases[i].Op
			r.SharedElements, r.Seconds = len(c.memory.SharedElementTiles[i]), c.duration[i].Seconds()
			reports[i] = r
			c.opt.Progress("schedule", int(done.Add(1)), n)
		}
		return nil
	})
	// The report lists what a run makes: phases of a repeat once an iteration.
	c.Report.Exchange = make([]PhaseReport, c.Program.Exchanges())
	for i := range c.Report.Exchange {
		c.Report.Exchange[i] = reports[c.Program.PhaseOf(i)]
		c.Report.Exchange[i].Phase, c.Report.Exchange[i].Predicted = i, c.Spans[i].Words
	}
	return err
}

func (c *Compilation) encodeRows(context.Context) error {
	c.Rows = make([][][]uint32, len(c.Phases))
	for i, p := range c.Phases {
		rows, err := exchange.EncodePhase(p, c.Schedules[i])
		if err != nil {
			return fmt.Errorf("ipusolve: phase %d: %w", i, err)
		}
		c.Rows[i] = rows
	}
	for i := range c.Report.Exchange {
		c.Report.Exchange[i].RowWords = rowWords(c.Rows[c.Program.PhaseOf(i)])
	}
	return nil
}

func (c *Compilation) checkReserve(context.Context) error {
	err := lower.CheckReserve(c.Program, c.Map, c.Rows)
	var short *lower.ReserveError
	if errors.As(err, &short) && c.reserve.RowBytes < short.Need {
		c.reserve.RowBytes, c.longRows = short.Need, max(c.longRows, short.Need)
		c.tried = append(c.tried, PlacementRound{RowBytes: int64(c.Map.RowTable.End - c.Map.RowTable.Start), Cause: err.Error()})
		return &again{"reserve", err}
	}
	if err != nil {
		return fmt.Errorf("ipusolve: %w", err)
	}
	return nil
}

func (c *Compilation) emit(context.Context) error {
	calls, phases := 0, c.Program.Exchanges()
	for _, list := range c.Program.Tiles {
		for i := range list {
			if list[i].Kind == lower.WorkCall {
				calls++
			}
		}
	}
	c.Report.Package = &PackageSummary{Tiles: c.Problem.Tiles, Phases: phases, Calls: calls, Kernels: len(c.Map.Symbols),
		Timing: model.TimingVersion, Compiler: Version}
	if r := c.Program.Repeat; r != nil {
		c.Report.Package.Iterations = int(r.Count)
	}
	cy := &Cycles{Floor: cost.Floor(&c.Problem.Graph, c.Problem.Tiles), Sync: int64(phases) * cost.PhaseSync}
	for i := range c.Spans {
		cy.Compute += c.Spans[i].Work
	}
	for i := range c.Report.Exchange {
		cy.Exchange += int64(c.Report.Exchange[i].Horizon)
	}
	cy.Staging = c.Program.StagingCycles()
	cy.Total = cy.Compute + cy.Exchange + cy.Sync + cy.Staging
	c.Report.Cycles = cy
	meta := image.Meta{CompilerVersion: Version}
	for _, part := range []struct {
		dst *string
		src any
	}{{&meta.GraphJSON, &c.Problem.Graph}, {&meta.PlanJSON, c.Plan}, {&meta.ReportJSON, c.Report.timeless()}} {
		b, err := json.Marshal(part.src)
		if err != nil {
			return fmt.Errorf("ipusolve: %w", err)
		}
		*part.dst = string(b)
	}
	app, err := image.Emit(c.Program, c.Map, c.Rows, meta)
	if err != nil {
		return fmt.Errorf("ipusolve: %w", err)
	}
	c.Package = app
	return nil
}
