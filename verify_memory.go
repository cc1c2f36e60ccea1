package ipusolve

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/lower"
	"ipusolve/model"
)

const f16Bytes = 2

// bindings checks that the host's data are what the plan's layouts say: the same
// names, shapes, tiles and sizes.
func (v *packageVerifier) bindings() {
	lists := map[string][]ipuexe.Binding{model.RoleInput: v.app.Inputs, model.RoleWeight: v.app.Weights, model.RoleOutput: v.app.Outputs}
	count := 0
	var err error
	for i := 0; err == nil && i < len(v.plan.Values); i++ {
		value := &v.plan.Values[i]
		if value.Role == "" {
			continue
		}
		count++
		list := lists[value.Role]
		at := slices.IndexFunc(list, func(b ipuexe.Binding) bool { return b.Name == value.Graph })
		if at < 0 {
			err = fmt.Errorf("no binding for %s %s", value.Role, value.Graph)
			continue
		}
		err = v.binding(value, &list[at])
	}
	v.holds("bindings", fmt.Sprintf("%d values", count), "tiles, shapes and bytes of the plan's layouts", err)
}

func (v *packageVerifier) binding(value *model.PlanValue, b *ipuexe.Binding) error {
	graph, _ := v.plan.Problem.Graph.Value(value.Graph)
	same := b.DType == ipuexe.F16 && len(b.Shape) == len(graph.Shape)
	for i := 0; same && i < len(b.Shape); i++ {
		same = int(b.Shape[i]) == graph.Shape[i]
	}
	if !same {
		return fmt.Errorf("%s: %v of %s, the graph has %v of %s", b.Name, b.Shape, b.DType, graph.Shape, graph.Type)
	}
	shards, err := value.Layout.Shards(value.Rows, value.Cols)
	if err != nil {
		return fmt.Errorf("%s: %w", b.Name, err)
	}
	k := 0
	for i := range shards {
		size := uint64(shards[i].Elements()) * f16Bytes
		if size == 0 {
			continue
		}
		if k == len(b.Slices) {
			return fmt.Errorf("%s: %d slices, shard %d has none", b.Name, k, i)
		}
		if s := &b.Slices[k]; s.Size != size || device.Logical(int(s.Tile)) != shards[i].Tile {
			return fmt.Errorf("%s: slice %d has %d bytes on tile %d, shard %d has %d on tile %d", b.Name, k, s.Size, device.Logical(int(s.Tile)), i, size, shards[i].Tile)
		}
		k++
	}
	return errorIf(k != len(b.Slices), "%s: %d slices for %d shards", b.Name, len(b.Slices), k)
}

// area is a byte range of a tile, as wide integers so that sums do not wrap.
type area struct {
	start, end uint64
	name       string
}

func (a area) elements() device.ElementSet {
	return device.Elements(uint32(a.start), uint32(a.end-a.start))
}

// memory checks where things lie: data apart from segments and, by SRAM element,
// from code and rows; weights apart from everything else the host keeps; and the
// placement level.
func (v *packageVerifier) memory() {
	data := make([][]area, device.NumTiles) // by physical tile
	for i := range v.app.DebugRegions {
		r := &v.app.DebugRegions[i]
		if r.PhysicalTile == ipuexe.AllTiles {
			continue
		}
		data[r.PhysicalTile] = append(data[r.PhysicalTile], area{uint64(r.Address), uint64(r.Address) + uint64(r.Size), r.Name})
	}
	weights, others := v.kept()
	claims := make([]error, len(v.app.Tiles))
	used := make([]uint64, len(v.app.Tiles))
	_ = forEach(len(v.app.Tiles), func(i int) error { // claims carry the errors
		image := &v.app.Tiles[i]
		p := image.PhysicalTile
		used[i] = union(data[p])
		all := slices.Concat(data[p], weights[p], others[p])
		if claims[i] = apartFromSegments(image, all); claims[i] == nil {
			claims[i] = disjoint(weights[p], others[p])
		}
		if claims[i] != nil {
			claims[i] = fmt.Errorf("tile %d: %w", device.Logical(int(p)), claims[i])
		}
		return nil
	})
	first := slices.IndexFunc(claims, func(err error) bool { return err != nil })
	var err error
	if first >= 0 {
		err = claims[first]
	}
	v.holds("memory", "data apart from code, rows and weights", fmt.Sprintf("at most %d data bytes on %d tiles", slices.Max(used), len(used)), err)
	if v.prog != nil {
		v.holds("constants", "identity weights of sums on the matrix unit", "those of the plan, in the images", v.constants())
	}
	if p := v.report.Placement; p == nil {
		v.holds("placement", "", "", fmt.Errorf("the report tells of no placement"))
	} else {
		v.equal("placement/used", p.Used, slices.Max(used))
		if v.prog != nil {
			v.claims.regions(p, v.prog, &v.areas)
			v.claims.placement(p, v.prog, &v.areas)
		}
	}
}

// kept lists the areas of bindings by physical tile: weights, and inputs and
// outputs. The runtime's own words are part of its segment.
func (v *packageVerifier) kept() (weights, others [][]area) {
	weights, others = make([][]area, device.NumTiles), make([][]area, device.NumTiles)
	add := func(into [][]area, list []ipuexe.Binding) {
		for i := range list {
			if list[i].DType != ipuexe.F16 {
				continue
			}
			for _, s := range list[i].Slices {
				into[s.Tile] = append(into[s.Tile], area{uint64(s.TileAddress), uint64(s.TileAddress) + s.Size, list[i].Name})
			}
		}
	}
	add(weights, v.app.Weights)
	add(others, v.app.Inputs)
	add(others, v.app.Outputs)
	return weights, others
}

// apartFromSegments: no byte of data lies in a segment, unless the segment is all
// of the data (constants of the program), and no SRAM element holds both data and
// instructions (reference: device.md §4.3 E1, E4).
func apartFromSegments(image *ipuexe.TileImage, data []area) error {
	var code device.ElementSet
	for i := range image.Segments {
		if s := &image.Segments[i]; s.Flags&ipuexe.FlagExecute != 0 {
			code |= device.Elements(s.Address, s.MemorySize)
		}
	}
	for _, d := range data {
		if d.elements()&code != 0 {
			return fmt.Errorf("%s at %#x shares an SRAM element with code or rows", d.name, d.start)
		}
		for i := range image.Segments {
			s := &image.Segments[i]
			if isConstant(s) && d.start == uint64(s.Address) && d.end-d.start == uint64(s.MemorySize) {
				continue
			}
			if d.start < uint64(s.Address)+uint64(s.MemorySize) && uint64(s.Address) < d.end {
				return fmt.Errorf("%s at %#x lies in the segment at %#x", d.name, d.start, s.Address)
			}
		}
	}
	return nil
}

// isConstant tells a segment of data that the program only reads.
func isConstant(s *ipuexe.Segment) bool { return s.Flags == ipuexe.FlagRead }

// constants checks that the images hold the constants that the plan needs, and no
// others.
func (v *packageVerifier) constants() error {
	want := make([]map[uint32][]byte, len(v.prog.Tiles))
	for i := range v.prog.Items {
		if it := &v.prog.Items[i]; it.Kind == lower.ItemIdentity {
			if want[it.Tile] == nil {
				want[it.Tile] = map[uint32][]byte{}
			}
			want[it.Tile][it.Addr] = identityBlocks(int(it.Bytes))
		}
	}
	for i := range v.app.Tiles {
		image := &v.app.Tiles[i]
		t := device.Logical(int(image.PhysicalTile))
		found := 0
		for j := range image.Segments {
			s := &image.Segments[j]
			if !isConstant(s) {
				continue
			}
			found++
			if b := want[t][s.Address]; b == nil || int(s.MemorySize) != len(b) || !bytes.Equal(s.Data, b) {
				return fmt.Errorf("tile %d: the %d bytes at %#x are no identity weights of the plan", t, s.MemorySize, s.Address)
			}
		}
		if found != len(want[t]) {
			return fmt.Errorf("tile %d: %d of %d stacks of identity weights", t, found, len(want[t]))
		}
	}
	return nil
}

// identityBlocks are 16×16 F16 identity matrices, one after another.
func identityBlocks(size int) []byte {
	b := make([]byte, size)
	for i := 0; i+1 < size; i += 2 {
		if e := i / 2 % 256; e/16 == e%16 {
			b[i], b[i+1] = 0x00, 0x3c
		}
	}
	return b
}

// disjoint: weights share no byte with each other or with inputs and outputs.
func disjoint(weights, others []area) error {
	type kept struct {
		area
		weight bool
	}
	var all []kept
	for _, a := range weights {
		all = append(all, kept{a, true})
	}
	for _, a := range others {
		all = append(all, kept{a, false})
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var weight, other kept // of those before, the ones that end last
	for _, a := range all {
		before := weight
		if a.weight && other.end > before.end {
			before = other
		}
		if a.start < before.end {
			return fmt.Errorf("%s at %#x lies in %s at %#x", a.name, a.start, before.name, before.start)
		}
		if a.weight {
			weight = a
		} else if a.end > other.end {
			other = a
		}
	}
	return nil
}

// union is the number of bytes in at least one of the areas.
func union(list []area) uint64 {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b area) int { return cmp.Compare(a.start, b.start) })
	var bytes, end uint64
	for _, a := range list {
		if a.end > end {
			bytes += a.end - max(a.start, end)
			end = a.end
		}
	}
	return bytes
}
