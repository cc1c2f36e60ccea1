package ipusolve

import (
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/kernels"
	"ipusolve/lower"
	lowercheck "ipusolve/lower/check"
	"ipusolve/model"
)

// lowered lowers the plan anew, gives its items the addresses that the package
// names, and checks them: lifetimes, overlaps, elements, operands.
func (v *packageVerifier) lowered() {
	prog, err := lower.Build(v.plan)
	if p := v.report.Package; err == nil && p != nil && p.Iterations != 0 {
		prog = lower.Fold(prog)
		if prog.Repeat == nil || int(prog.Repeat.Count) != p.Iterations {
			err = fmt.Errorf("the plan does not repeat %d times what the report says it does", p.Iterations)
		}
	}
	if err == nil {
		err = v.addresses(prog)
	}
	if err == nil && prog.Exchanges() != len(v.report.Exchange) {
		err = fmt.Errorf("the plan has %d phases, the report %d", prog.Exchanges(), len(v.report.Exchange))
	}
	var m lower.MemoryMap
	if err == nil {
		m, err = v.memoryMap(prog)
	}
	if err == nil {
		err = lowercheck.Check(prog, m)
	}
	v.holds("program", "the plan's items at the package's addresses", "no two alive together meet", err)
	if err == nil {
		v.prog, v.areas = prog, m
	}
}

// steps compares the steps that the report lists with those of the plan.
func (v *packageVerifier) steps() {
	list := v.report.Planning.Steps
	err := errorIf(len(list) != len(v.plan.Steps), "the plan has %d steps", len(v.plan.Steps))
	for i := 0; err == nil && i < len(list); i++ {
		s := &v.plan.Steps[i]
		want := StepReport{Kind: s.Kind, Op: s.Op, Value: v.plan.Values[s.Out].Name, Phase: s.Phase}
		got := StepReport{Kind: list[i].Kind, Op: list[i].Op, Value: list[i].Value, Phase: list[i].Phase}
		if v.prog != nil {
			want.Roots, got.Roots = v.prog.Roots[i], list[i].Roots
		}
		err = errorIf(!sameJSON(&want, &got), "step %d: the report has %s %s → %s in phase %d with %d roots, the plan %s %s → %s in phase %d with %d",
			i, got.Kind, got.Op, got.Value, got.Phase, got.Roots, want.Kind, want.Op, want.Value, want.Phase, want.Roots)
	}
	v.holds("planning/steps", fmt.Sprintf("%d steps", len(list)), "those of the plan", err)
}

// summary compares the report's words about the package with it.
func (v *packageVerifier) summary() {
	if v.report.Package == nil {
		v.holds("summary", "", "", fmt.Errorf("the report does not describe the package"))
		return
	}
	if n := v.report.Package.Iterations; n != 0 {
		v.holds("summary/iterations", fmt.Sprint(n), "the plan's items and calls, as often", errorIf(v.prog == nil, "the program is not that of the plan"))
	}
	want := PackageSummary{Tiles: len(v.app.Tiles), Phases: len(v.report.Exchange), Kernels: len(v.app.DebugSymbols),
		Timing: v.plan.Problem.Timing, Compiler: v.app.CompilerVersion, Calls: v.report.Package.Calls, Iterations: v.report.Package.Iterations}
	if v.prog != nil {
		want.Calls = 0
		if cy := v.report.Cycles; cy != nil && (cy.Staging != 0 || v.prog.Repeat != nil) {
			v.equal("cycles/staging", cy.Staging, v.prog.StagingCycles())
		}
		for _, list := range v.prog.Tiles {
			for i := range list {
				if list[i].Kind == lower.WorkCall {
					want.Calls++
				}
			}
		}
	}
	text := func(p *PackageSummary) string {
		return fmt.Sprintf("%d tiles, %d phases, %d calls, %d kernels, timing %d, %s", p.Tiles, p.Phases, p.Calls, p.Kernels, p.Timing, p.Compiler)
	}
	v.equal("summary", text(v.report.Package), text(&want))
}

// addresses takes the addresses of the items from the package, which names one
// region per item and tile in their order.
func (v *packageVerifier) addresses(prog *lower.Program) error {
	for i := range prog.Items {
		// Empty items lie anywhere in their class.
		prog.Items[i].Addr = device.RuntimeEnd
		if prog.Items[i].Class == model.Interleaved {
			prog.Items[i].Addr = device.InterleaveBase
		}
	}
	next := 0
	for i := range v.app.DebugRegions {
		r := &v.app.DebugRegions[i]
		if r.PhysicalTile == ipuexe.AllTiles {
			continue
		}
		for next < len(prog.Items) && prog.Items[next].Bytes == 0 {
			next++
		}
		tile := device.Logical(int(r.PhysicalTile))
		if next == len(prog.Items) || int(prog.Items[next].Tile) != tile || prog.Items[next].Bytes != r.Size {
			return fmt.Errorf("region %s of %d bytes on tile %d is no item of the plan", r.Name, r.Size, tile)
		}
		prog.Items[next].Addr = r.Address
		next++
	}
	for ; next < len(prog.Items); next++ {
		if prog.Items[next].Bytes > 0 {
			return fmt.Errorf("item %d of the plan, %d bytes on tile %d, has no region", next, prog.Items[next].Bytes, prog.Items[next].Tile)
		}
	}
	return nil
}

// memoryMap is the map of the program with as much room for rows as the package
// has; the package's routines must lie where it says.
func (v *packageVerifier) memoryMap(prog *lower.Program) (lower.MemoryMap, error) {
	opt := lower.ReserveOptions{MemoryLimit: v.plan.Problem.MemoryLimit}
	at := slices.IndexFunc(v.app.DebugRegions, func(r ipuexe.DebugRegion) bool { return r.PhysicalTile == ipuexe.AllTiles && r.Name == "exchange rows" })
	if at >= 0 {
		opt.RowBytes = max(0, int(v.app.DebugRegions[at].Size)-device.FetchGuard)
		opt.RowCap = opt.RowBytes
	}
	m, err := lower.Reserve(prog, opt)
	if err != nil {
		return m, err
	}
	if len(m.Symbols) != len(v.app.DebugSymbols) {
		return m, fmt.Errorf("%d routines, the plan needs %d", len(v.app.DebugSymbols), len(m.Symbols))
	}
	for i, s := range m.Symbols {
		if d := &v.app.DebugSymbols[i]; d.Name != s.Spec.Symbol() || d.Address != s.Addr {
			return m, fmt.Errorf("routine %s at %#x, the plan has %s at %#x", d.Name, d.Address, s.Spec.Symbol(), s.Addr)
		}
	}
	return m, nil
}

// sameCalls compares the calls of a tile's code with its work list. Those of the
// runtime belong to no work item.
func sameCalls(prog *lower.Program, tile int, calls []call) error {
	runtime := map[string]bool{}
	for _, k := range []kernels.Kind{kernels.WorkerBarrier, kernels.Startup, kernels.CycleSample, kernels.Completion} {
		runtime[kernels.Spec{Kind: k}.Symbol()] = true
	}
	calls = slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return runtime[c.routine] })
	n := 0
	err := prog.Runs(tile, func(i, iteration int) error {
		w := &prog.Tiles[tile][i]
		if w.Kind != lower.WorkCall {
			return nil
		}
		if n == len(calls) {
			return fmt.Errorf("tile %d: the code makes %d calls, the plan more", tile, n)
		}
		want := prog.ArgValues(w)
		for k, a := range w.Args {
			if a.Item >= 0 {
				want[k] += uint32(iteration) * prog.Items[a.Item].Stride
			}
		}
		if c := &calls[n]; c.routine != w.Spec.Symbol() || !slices.Equal(c.args[:len(want)], want) {
			return fmt.Errorf("tile %d: call %d is %s%#x, the plan's %s%#x", tile, n, c.routine, c.args[:len(want)], w.Spec.Symbol(), want)
		}
		n++
		return nil
	})
	if err != nil {
		return err
	}
	return errorIf(n != len(calls), "tile %d: the code makes %d calls, the plan %d", tile, len(calls), n)
}

// mostAlive is the most bytes of items of some classes alive at one event of one
// tile.
func mostAlive(prog *lower.Program, classes ...model.MemoryClass) int64 {
	change := make([][]int64, len(prog.Tiles)) // of bytes alive, by tile and event
	for t := range change {
		change[t] = make([]int64, len(prog.Tiles[t])+3)
	}
	for i := range prog.Items {
		it := &prog.Items[i]
		if !slices.Contains(classes, it.Class) {
			continue
		}
		change[it.Tile][it.First] += int64(it.Bytes)
		change[it.Tile][it.Last+1] -= int64(it.Bytes)
		if it.Inside == nil {
			continue
		}
		// While the item that it lies in lives, it has no bytes of its own.
		host := &prog.Items[it.Inside.Item]
		if first, last := max(it.First, host.First), min(it.Last, host.Last); first <= last {
			change[it.Tile][first] -= int64(it.Bytes)
			change[it.Tile][last+1] += int64(it.Bytes)
		}
	}
	var most int64
	for _, list := range change {
		var alive int64
		for _, d := range list {
			alive += d
			most = max(most, alive)
		}
	}
	return most
}

// regions claims the figures of a placement that tell of classes and areas.
func (c *claims) regions(p *Placement, prog *lower.Program, m *lower.MemoryMap) {
	c.equal("placement/standard", p.Standard, mostAlive(prog, model.Standard))
	c.equal("placement/interleaved", p.Interleaved, mostAlive(prog, model.Interleaved))
	var end uint32
	for i := range prog.Items {
		if it := &prog.Items[i]; it.Class == model.Interleaved {
			end = max(end, it.Addr+it.Bytes)
		}
	}
	c.equal("placement/interleavedEnd", p.InterleavedEnd, end)
	room := int64(m.InterleavedEnd) - device.InterleaveBase
	for _, r := range m.Standard {
		room += int64(r.End - r.Start)
	}
	c.equal("placement/dataBytes", p.DataBytes, room)
	c.equal("placement/rowBytes", p.RowBytes, m.RowTable.End-m.RowTable.Start)
	c.equal("placement/codeBytes", p.CodeBytes, m.Code.End-m.Code.Start)
}
