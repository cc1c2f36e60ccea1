package image

import (
	"errors"
	"fmt"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/lower"
)

// exchangePhase marks the phase field of an exchange step; the rest is the
// phase's number (reference: kernels.md §12).
const exchangePhase = 0x80000000

// profile lists the steps of a tile in the order they run: one per work item, and
// one per iteration for the body of a repeat. The phase field of a compute step is
// the number of the plan step that it serves.
func (e *emitter) profile(tile int) (ipuexe.TileProfilePlan, error) {
	list := e.prog.Tiles[tile]
	plan := ipuexe.TileProfilePlan{PhysicalTile: physical(tile), Steps: make([]ipuexe.Step, 0, len(list))}
	err := e.prog.Runs(tile, func(i, iteration int) error {
		w := &list[i]
		step := w.Step
		if iteration > 0 {
			step += int32(iteration) * e.prog.Repeat.Period
		}
		s := ipuexe.Step{LocalIndex: uint32(len(plan.Steps)), Operation: e.operation(step)}
		if w.Kind == lower.WorkCall {
			s.Kind, s.Phase, s.Kernel = ipuexe.StepCompute, uint32(step), w.Spec.Symbol()
		} else {
			events, err := rowEvents(e.rows[w.Phase][tile])
			if err != nil {
				return fmt.Errorf("row of phase %d: %w", w.Phase, err)
			}
			n := e.moved[w.Phase][tile]
			s.Kind, s.Phase, s.ExchangeEventCycles = ipuexe.StepExchange, exchangePhase|uint32(w.Phase), events
			s.Metadata = []ipuexe.Metadata{{Name: ipuexe.SentWords, Value: n.sent}, {Name: ipuexe.ReceivedWords, Value: n.received}}
		}
		plan.Steps = append(plan.Steps, s)
		return nil
	})
	return plan, err
}

// operation names a plan step, e.g. "gemm fc1".
func (e *emitter) operation(step int32) string {
	s := &e.prog.Plan.Steps[step]
	return string(s.Kind) + " " + s.Op
}

var errRowEnd = errors.New("does not end with its only return")

// rowEvents is the horizon of a row: the events its instructions consume.
func rowEvents(row []uint32) (uint32, error) {
	var events uint32
	for at := 0; at < len(row); {
		in, n, err := device.Decode(row[at:])
		if err != nil {
			return 0, fmt.Errorf("word %d: %w", at, err)
		}
		at += n
		if in == device.Return() {
			if at < len(row) {
				return 0, fmt.Errorf("word %d: %w", at-1, errRowEnd)
			}
			return events, nil
		}
		if !in.IsExchange() {
			return 0, fmt.Errorf("word %d: %v in an exchange row", at-n, in)
		}
		events += uint32(in.N)
	}
	if len(row) > 0 {
		return 0, errRowEnd
	}
	return 0, nil
}

// debugSymbols names every linked routine.
func debugSymbols(m lower.MemoryMap) []ipuexe.DebugSymbol {
	list := make([]ipuexe.DebugSymbol, len(m.Symbols))
	for i, s := range m.Symbols {
		list[i] = ipuexe.DebugSymbol{Name: s.Spec.Symbol(), Address: s.Addr}
	}
	return list
}

// debugRegions names the areas common to all tiles, then each tile's items.
// Items whose lifetimes differ may share addresses.
func debugRegions(prog *lower.Program, m lower.MemoryMap) []ipuexe.DebugRegion {
	var list []ipuexe.DebugRegion
	add := func(tile, start, end uint32, name string) {
		if end > start {
			list = append(list, ipuexe.DebugRegion{PhysicalTile: tile, Address: start, Size: end - start, Name: name})
		}
	}
	add(ipuexe.AllTiles, m.Code.Start, m.Code.End, "code")
	add(ipuexe.AllTiles, m.RowTable.Start, m.RowTable.End, "exchange rows")
	add(ipuexe.AllTiles, device.WindowBase, device.WindowEnd, "host window")
	add(ipuexe.AllTiles, device.CompletionWord, device.RuntimeEnd, "runtime state")
	for i := range prog.Items {
		it := &prog.Items[i]
		name := prog.Plan.Values[it.Value].Name
		if it.Kind != lower.ItemValue {
			name = it.Kind.String() + " of " + name
		}
		add(physical(int(it.Tile)), it.Addr, it.Addr+it.Bytes, name)
	}
	return list
}
