package image

import (
	"fmt"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/lower"
	"ipusolve/model"
)

// bind fills the bindings of a package: inputs, weights and outputs of the
// graph in plan order, and behind the outputs the runtime's words
// profile.start-cycle, profile.end-cycle [tiles] and completion [1] of type u32
// (reference: kernels.md §10).
func bind(prog *lower.Program, app *ipuexe.Application) error {
	for i := range prog.Plan.Values {
		v := &prog.Plan.Values[i]
		var into *[]ipuexe.Binding
		switch v.Role {
		case model.RoleInput:
			into = &app.Inputs
		case model.RoleWeight:
			into = &app.Weights
		case model.RoleOutput:
			into = &app.Outputs
		default:
			continue
		}
		b, err := binding(prog, v, prog.Shards[i])
		if err != nil {
			return fmt.Errorf("%w: value %s: %w", ErrProgram, v.Name, err)
		}
		*into = append(*into, b)
	}
	app.Outputs = append(app.Outputs,
		stateWords("profile.start-cycle", device.StartCycleWord, len(prog.Tiles)),
		stateWords("profile.end-cycle", device.EndCycleWord, len(prog.Tiles)),
		stateWords("completion", device.CompletionWord, 1))
	return nil
}

// binding maps a plan value's host bytes, as model.Pack orders them, to its
// shards.
func binding(prog *lower.Program, v *model.PlanValue, at []lower.Location) (ipuexe.Binding, error) {
	g, ok := prog.Plan.Problem.Graph.Value(v.Graph)
	if !ok {
		return ipuexe.Binding{}, fmt.Errorf("the graph has no value %q", v.Graph)
	}
	b := ipuexe.Binding{Name: v.Graph, DType: ipuexe.F16, Slices: make([]ipuexe.RegionSlice, 0, len(at))}
	for _, n := range g.Shape {
		b.Shape = append(b.Shape, uint32(n))
	}
	var offset uint64
	for j, l := range at {
		if l.Bytes == 0 {
			continue
		}
		if l.Item < 0 || int(l.Item) >= len(prog.Items) {
			return ipuexe.Binding{}, fmt.Errorf("shard %d lies nowhere", j)
		}
		b.Slices = append(b.Slices, ipuexe.RegionSlice{
			Tile:        physical(int(prog.Items[l.Item].Tile)),
			TileAddress: prog.Address(l.Ref),
			FileOffset:  offset,
			Size:        uint64(l.Bytes),
		})
		offset += uint64(l.Bytes)
	}
	return b, nil
}

// stateWords is a word of the runtime state of logical tiles 0..n−1.
func stateWords(name string, addr uint32, n int) ipuexe.Binding {
	const size = 4
	b := ipuexe.Binding{Name: name, DType: ipuexe.U32, Shape: []uint32{uint32(n)}}
	for t := range n {
		b.Slices = append(b.Slices, ipuexe.RegionSlice{Tile: physical(t), TileAddress: addr, FileOffset: uint64(size * t), Size: size})
	}
	return b
}
