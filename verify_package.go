package ipusolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/encode/planning"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
	"ipusolve/lower"
	"ipusolve/model"
	"ipusolve/model/cost"
)

// VerifyPackage checks everything a package claims from the package alone: its
// structure, that plan, report and graph speak of one problem, the plan's price,
// the report, where data lies, and that calls and exchange rows, as each tile's
// code has them, are those of the plan lowered anew. ipuexe.Read has checked the
// digest before. That the program computes the right values is for the simulator
// to show; what tells of the search is listed as not checked.
//
// Certificate, rows and placement are checked by code of their own (solve/cert,
// exchange/check with its own bounds, lower/check). Prices, lowering and the areas
// of code and rows are computed again by the functions that Compile uses
// (model/cost, lower.Build, lower.Reserve): that shows what belongs to the plan,
// not that these functions are right.
func VerifyPackage(app *ipuexe.Application) []Claim {
	v := &packageVerifier{app: app}
	v.holds("package", app.CompilerVersion, fmt.Sprintf("%d tiles", len(app.Tiles)), app.Validate())
	if !v.ok() || !v.records() {
		return v.claims
	}
	v.prices()
	v.claims = append(v.claims, reportClaims(v.report)...)
	v.bindings()
	v.lowered()
	v.steps()
	v.exchange()
	v.memory()
	v.summary()
	v.search(v.report)
	return v.claims
}

type packageVerifier struct {
	claims
	app    *ipuexe.Application
	plan   *model.Plan
	report *Report
	// The plan lowered anew at the package's addresses and its map; nil if they do
	// not fit it.
	prog  *lower.Program
	areas lower.MemoryMap
}

// ok tells whether the last claim holds.
func (v *packageVerifier) ok() bool { return v.claims[len(v.claims)-1].OK }

// records reads the records inside the package; false if one is missing.
func (v *packageVerifier) records() bool {
	var err error
	v.plan, err = model.ReadPlan(strings.NewReader(v.app.PlanJSON))
	v.holds("plan", model.PlanSchema, "a valid plan", err)
	if err != nil {
		return false
	}
	v.report, err = ReadReport(strings.NewReader(v.app.ReportJSON))
	v.holds("report", ReportSchema, "a report", err)
	if err != nil {
		return false
	}
	graph, err := model.ReadGraph(strings.NewReader(v.app.GraphJSON))
	if err == nil && !sameJSON(graph, &v.plan.Problem.Graph) {
		err = fmt.Errorf("graph and plan differ")
	}
	v.holds("graph", model.GraphSchema, v.plan.Problem.Graph.Name, err)
	v.holds("problem/same", "one problem", fmt.Sprintf("%d tiles, %d data bytes", v.plan.Problem.Tiles, v.plan.Problem.MemoryLimit),
		errorIf(!sameJSON(&v.plan.Problem, &v.report.Problem), "plan and report state different problems"))
	v.equal("tiles", v.plan.Problem.Tiles, len(v.app.Tiles))
	return v.ok()
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// prices prices the plan's layouts again.
func (v *packageVerifier) prices() {
	steps, seed, err := price(v.plan)
	if err == nil && len(steps) != len(v.report.Planning.Steps) {
		err = fmt.Errorf("%d steps in the plan, %d in the report", len(steps), len(v.report.Planning.Steps))
	}
	var total int64
	for i := 0; err == nil && i < len(steps); i++ {
		total += steps[i].Total()
		if !slices.Equal(steps[i], v.plan.Steps[i].Cost) || !slices.Equal(steps[i], v.report.Planning.Steps[i].Terms) {
			err = fmt.Errorf("step %d: its layouts cost %v, the plan says %v, the report %v", i, steps[i], v.plan.Steps[i].Cost, v.report.Planning.Steps[i].Terms)
		}
	}
	if pins := v.plan.Problem.Pins; len(pins) > 0 {
		v.holds("plan/pins", fmt.Sprintf("%d pins", len(pins)), "kept by the plan", planning.CheckPins(v.plan))
	}
	v.holds("plan/price", fmt.Sprint(v.plan.Total()), fmt.Sprint(total), err)
	if seed != nil || v.report.Planning.Seed != nil {
		v.holds("planning/seed", "figures of profile seed", "those of the plan's layouts",
			errorIf(!sameJSON(seed, v.report.Planning.Seed), "the plan's layouts give others"))
	}
	if v.report.Cycles == nil {
		v.holds("cycles", "", "", fmt.Errorf("the report predicts no cycles"))
		return
	}
	spans, err := cost.SpansC600(v.plan) // the machine's own timing, whatever the profile
	var compute int64
	words := make([]int64, len(v.report.Exchange))
	for i, s := range spans {
		if compute += s.Work; i < len(words) {
			words[i] = s.Words
		}
	}
	v.derived("cycles/compute", v.report.Cycles.Compute, compute, err)
	for i := range words {
		v.equal(fmt.Sprintf("exchange/%d/predicted", i), v.report.Exchange[i].Predicted, words[i])
	}
}

// exchange checks every phase by the rows that the tiles' code calls.
func (v *packageVerifier) exchange() {
	tiles := len(v.app.Tiles)
	phases := len(v.report.Exchange)
	refs, err := v.rows()
	v.holds("code", fmt.Sprintf("%d phases, the plan's calls", phases), fmt.Sprintf("%d rows on %d tiles", phases*tiles, tiles), err)
	if err != nil {
		return
	}
	results := make([]claims, phases)
	_ = forEach(phases, func(i int) error { // claims carry the errors
		rows, addrs := make([][]uint32, tiles), make([]uint32, tiles)
		for t := range refs {
			if r := &refs[t][i]; r.Active {
				rows[t] = r.Words
			}
			addrs[t] = refs[t][i].Address
		}
		results[i] = v.phase(i, rows, addrs)
		return nil
	})
	for _, r := range results {
		v.claims = append(v.claims, r...)
	}
}

// rows follows the code of every tile: rows by logical tile and phase. The calls
// of the code must be those of the plan.
func (v *packageVerifier) rows() ([][]Row, error) {
	symbols := make(map[uint32]string, len(v.app.DebugSymbols))
	for _, s := range v.app.DebugSymbols {
		symbols[s.Address] = s.Name
	}
	refs := make([][]Row, len(v.app.Tiles))
	err := forEach(len(v.app.Tiles), func(i int) error {
		image := &v.app.Tiles[i]
		t := device.Logical(int(image.PhysicalTile))
		f, err := followCode(image, symbols)
		if err != nil {
			return fmt.Errorf("tile %d: %w", t, err)
		}
		if len(f.rows) != len(v.report.Exchange) {
			return fmt.Errorf("tile %d: %d exchange steps, the report has %d phases", t, len(f.rows), len(v.report.Exchange))
		}
		for p, r := range f.rows {
			if r.Active != (len(r.Words) > 1) {
				return fmt.Errorf("tile %d: phase %d: row of %d words behind the wrong barrier", t, p, len(r.Words))
			}
		}
		refs[t] = f.rows
		if v.prog == nil {
			return nil
		}
		return sameCalls(v.prog, t, f.calls)
	})
	return refs, err
}

// phase checks one phase: legal rows, and the report's figures of it.
func (v *packageVerifier) phase(i int, rows [][]uint32, addrs []uint32) claims {
	var c claims
	name := fmt.Sprintf("exchange/%d/", i)
	freedom := v.report.Exchange[i].Freedom
	p, s, err := check.Reconstruct(rows, len(rows), freedom)
	if err == nil {
		p.Phase = i
		_, err = check.Check(p, rows, addrs)
	}
	if err != nil {
		c.holds(name+"rows", "legal", "", err)
		return c
	}
	c.rows(name, freedom, p, s)
	c.phase(name, &v.report.Exchange[i], p, s.Horizon, rows)
	if v.prog != nil {
		r, want := &v.report.Exchange[i], &v.prog.Phases[v.prog.PhaseOf(i)]
		plan := v.prog.Exchange(v.prog.PhaseOf(i)).WithFreedom(freedom)
		sent := plan
		if r.OpenWidths {
			sent = check.WithWidthsOf(plan, p)
		}
		_, err := check.Check(sent, rows, addrs)
		c.holds(name+"plan", "the plan's transfers", "delivered, no more and no less", err)
		c.equal(name+"purpose", r.Reason+" of "+r.Op, want.Reason+" of "+want.Op)
		if err == nil {
			c.witness(name, r, plan)
		}
	} else {
		c.unchecked(name+"witness", describeWitness(&v.report.Exchange[i].Witness), "it counts the plan's transfers")
	}
	c.holds(name+"profile", "words and events of every tile", "those of its row", v.profile(i, p, s.TileHorizon))
	return c
}

// rows claims that the rows of a phase are legal, which they are under the freedom that
// it names, and that they use it.
func (c *claims) rows(name string, freedom exchange.Freedom, p *exchange.Problem, s *exchange.Schedule) {
	kept := fmt.Sprintf("R1–R14 hold for %d messages", len(p.Messages))
	if freedom == exchange.Standard {
		c.holds(name+"rows", "legal", kept, nil)
		return
	}
	c.holds(name+"rows", "legal", kept+", but for "+string(freedom), nil)
	_, strict := check.CheckSchedule(p.WithFreedom(exchange.Standard), s)
	err := errorIf(strict == nil, "the rows keep the rules")
	if !slices.Contains(exchange.Freedoms, freedom) {
		err = fmt.Errorf("there is no such freedom")
	}
	c.holds(name+"freedom", string(freedom), "used", err)
}

// phase claims the figures of a scheduled phase.
func (c *claims) phase(name string, r *PhaseReport, p *exchange.Problem, horizon int32, rows [][]uint32) {
	destinations, paired := 0, 0
	for j := range p.Messages {
		destinations += len(p.Messages[j].Dests)
		if p.Messages[j].Paired {
			paired++
		}
	}
	c.equal(name+"transfers", r.Transfers, len(p.Messages))
	c.equal(name+"destinations", r.Destinations, destinations)
	c.equal(name+"paired", r.Paired, paired)
	c.equal(name+"endpointBound", r.Endpoint, exchange.EndpointBound(p))
	c.equal(name+"horizon", r.Horizon, horizon)
	bounded, of := p, ""
	if r.OpenWidths {
		bounded, of = check.Opened(p), " at any widths"
	}
	simple := check.Bound(bounded)
	c.holds(name+"bound", fmt.Sprintf("%d (%s)%s", r.Bound, r.BoundKind, of), fmt.Sprintf("at least %d", simple),
		errorIf(r.Bound < simple || r.Bound > horizon, "one machine forces %d, and all are done by %d", simple, horizon))
	c.equal(name+"maximumRowWords", r.RowWords, rowWords(rows))
	c.equal(name+"sharedElementTiles", r.SharedElements, sharedElements(p))
}

// witness claims that the messages of a bound's witness alone force the bound, on
// the machines that it names. p has the messages in the order that the witness counts.
func (c *claims) witness(name string, r *PhaseReport, p *exchange.Problem) {
	w := &r.Witness
	if r.OpenWidths {
		p = check.Opened(p)
	}
	h, err := check.Witness(p, w)
	switch {
	case err != nil:
	case string(w.Kind) != r.BoundKind:
		err = fmt.Errorf("the bound is of kind %q, its witness of %q", r.BoundKind, w.Kind)
	case h != r.Bound:
		err = fmt.Errorf("its messages force %d events", h)
	}
	c.holds(name+"witness", describeWitness(w), fmt.Sprintf("force %d events", r.Bound), err)
}

// describeWitness names the machines of a witness and counts its messages.
func describeWitness(w *exchange.Witness) string {
	switch {
	case w.Kind == exchange.BoundPath || w.Kind == exchange.BoundClique:
		return fmt.Sprintf("%s of %d messages", w.Kind, len(w.Messages))
	case w.Other != nil:
		return fmt.Sprintf("%d messages on tile %d, %s, and %d on tile %d, %s", len(w.Messages), w.Tile, w.Side, len(w.Other.Messages), w.Other.Tile, w.Other.Side)
	}
	return fmt.Sprintf("%d messages on tile %d, %s", len(w.Messages), w.Tile, w.Side)
}

// sharedElements counts tiles that send from and receive into one SRAM element.
func sharedElements(p *exchange.Problem) int {
	sends, receives := make([]device.ElementSet, p.Tiles), make([]device.ElementSet, p.Tiles)
	for j := range p.Messages {
		m := &p.Messages[j]
		for _, a := range m.SourceAddrs {
			sends[m.Source] |= device.Elements(a, 4*uint32(m.Words))
		}
		for _, d := range m.Dests {
			receives[d.Tile] |= device.Elements(d.Addr, 4*uint32(m.Words))
		}
	}
	shared := 0
	for t := range sends {
		if sends[t]&receives[t] != 0 {
			shared++
		}
	}
	return shared
}

// profile compares the words and events that the profile promises for a phase
// with the messages.
func (v *packageVerifier) profile(phase int, p *exchange.Problem, horizon []int32) error {
	type words struct{ sent, received uint32 }
	want := make([]words, p.Tiles)
	for j := range p.Messages {
		m := &p.Messages[j]
		want[m.Source].sent += uint32(m.Words)
		for _, d := range m.Dests {
			want[d.Tile].received += uint32(m.Words)
		}
	}
	seen := 0
	for i := range v.app.ProfileTiles {
		plan := &v.app.ProfileTiles[i]
		t := device.Logical(int(plan.PhysicalTile))
		at := -1
		for k := range plan.Steps {
			s := &plan.Steps[k]
			if s.Kind != ipuexe.StepExchange {
				continue
			}
			if at++; at != phase {
				continue
			}
			seen++
			var got words
			for _, m := range s.Metadata {
				switch m.Name {
				case ipuexe.SentWords:
					got.sent = m.Value
				case ipuexe.ReceivedWords:
					got.received = m.Value
				}
			}
			if got != want[t] || s.ExchangeEventCycles != uint32(horizon[t]) {
				return fmt.Errorf("tile %d: the profile says %+v in %d events, the rows %+v in %d", t, got, s.ExchangeEventCycles, want[t], horizon[t])
			}
		}
	}
	return errorIf(seen != p.Tiles, "the profile has the phase on %d of %d tiles", seen, p.Tiles)
}
