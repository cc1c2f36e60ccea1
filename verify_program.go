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
	if err == nil {
		err = v.addresses(prog)
	}
	if err == nil && len(prog.Phases) != len(v.report.Exchange) {
		err = fmt.Errorf("the plan has %d phases, the report %d", len(prog.Phases), len(v.report.Exchange))
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
		v.prog = prog
	}
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
	for i := range prog.Tiles[tile] {
		w := &prog.Tiles[tile][i]
		if w.Kind != lower.WorkCall {
			continue
		}
		if n == len(calls) {
			return fmt.Errorf("tile %d: the code makes %d calls, the plan more", tile, n)
		}
		want := prog.ArgValues(w)
		if c := &calls[n]; c.routine != w.Spec.Symbol() || !slices.Equal(c.args[:len(want)], want) {
			return fmt.Errorf("tile %d: call %d is %s%#x, the plan's %s%#x", tile, n, c.routine, c.args[:len(want)], w.Spec.Symbol(), want)
		}
		n++
	}
	return errorIf(n != len(calls), "tile %d: the code makes %d calls, the plan %d", tile, len(calls), n)
}

// mostAlive is the most bytes of items alive at one event of one tile.
func mostAlive(prog *lower.Program) int64 {
	change := make([][]int64, len(prog.Tiles)) // of bytes alive, by tile and event
	for t := range change {
		change[t] = make([]int64, len(prog.Tiles[t])+3)
	}
	for i := range prog.Items {
		it := &prog.Items[i]
		change[it.Tile][it.First] += int64(it.Bytes)
		change[it.Tile][it.Last+1] -= int64(it.Bytes)
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
