package check

import (
	"errors"
	"fmt"

	"ipusolve/device"
	"ipusolve/lower"
	"ipusolve/model"
)

// Errors of Check, wrapped with tile, item or call.
var (
	ErrProgram   = errors.New("lower/check: malformed program")
	ErrRange     = errors.New("lower/check: item outside its memory")
	ErrAlignment = errors.New("lower/check: misaligned address")
	ErrClass     = errors.New("lower/check: wrong memory class")
	ErrOverlap   = errors.New("lower/check: live items share bytes")
	ErrElement   = errors.New("lower/check: shared memory element")
	ErrLifetime  = errors.New("lower/check: use outside a lifetime")
	ErrOperand   = errors.New("lower/check: access outside an item")
	ErrConstant  = errors.New("lower/check: constant item is not kept")
)

// Check reports the first rule that a placed program breaks under a memory map,
// nil if it breaks none.
func Check(prog *lower.Program, m lower.MemoryMap) error {
	c := &checker{p: prog, m: m}
	for _, f := range []func() error{c.records, c.items, c.overlaps, c.repeat, c.work, c.phases, c.shards} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

type checker struct {
	p      *lower.Program
	m      lower.MemoryMap
	onTile [][]int       // items of every tile
	parts  map[int][]int // items that lie inside an item
	// exchangeEvent[phase][tile] is the event at which a tile runs a phase.
	exchangeEvent [][]int32
}

func (c *checker) item(i int) string {
	it := &c.p.Items[i]
	return fmt.Sprintf("tile %d item %d (%v of %s, %d bytes at %#x)", it.Tile, i, it.Kind, c.p.Plan.Values[it.Value].Name, it.Bytes, it.Addr)
}

func (c *checker) end(tile int32) int32 { return int32(len(c.p.Tiles[tile])) + 1 }

// records checks indices, so that the other checks can follow them.
func (c *checker) records() error {
	p := c.p
	if p.Plan == nil || len(p.Tiles) != p.Plan.Problem.Tiles || len(p.Shards) != len(p.Plan.Values) {
		return fmt.Errorf("%w: %d work lists, %d shard lists", ErrProgram, len(p.Tiles), len(p.Shards))
	}
	c.onTile, c.parts = make([][]int, len(p.Tiles)), map[int][]int{}
	for i := range p.Items {
		it := &p.Items[i]
		if it.Tile < 0 || int(it.Tile) >= len(p.Tiles) || it.Value < 0 || int(it.Value) >= len(p.Plan.Values) || it.Kind > lower.ItemStaging {
			return fmt.Errorf("%w: item %d names tile %d, value %d, kind %d", ErrProgram, i, it.Tile, it.Value, uint8(it.Kind))
		}
		for _, o := range it.Apart {
			if o < 0 || int(o) >= len(p.Items) || p.Items[o].Tile != it.Tile {
				return fmt.Errorf("%w: %s is apart from item %d, which is not on its tile", ErrProgram, c.item(i), o)
			}
		}
		if in := it.Inside; in != nil {
			if in.Item < 0 || int(in.Item) >= len(p.Items) || int(in.Item) == i || p.Items[in.Item].Tile != it.Tile || p.Items[in.Item].Inside != nil ||
				uint64(in.Offset)+uint64(it.Bytes) > uint64(p.Items[in.Item].Bytes) {
				return fmt.Errorf("%w: %s is said to lie at %d of item %d", ErrProgram, c.item(i), in.Offset, in.Item)
			}
			c.parts[int(in.Item)] = append(c.parts[int(in.Item)], i)
		}
		c.onTile[it.Tile] = append(c.onTile[it.Tile], i)
	}
	c.exchangeEvent = make([][]int32, len(p.Phases))
	for id := range p.Phases {
		if p.Phases[id].ID != id {
			return fmt.Errorf("%w: phase %d has number %d", ErrProgram, id, p.Phases[id].ID)
		}
		c.exchangeEvent[id] = make([]int32, len(p.Tiles))
	}
	for t, list := range p.Tiles {
		next := 0
		for i, w := range list {
			if w.Kind != lower.WorkExchange {
				continue
			}
			if int(w.Phase) != next || next == len(p.Phases) {
				return fmt.Errorf("%w: tile %d runs phase %d where phase %d of %d is due", ErrProgram, t, w.Phase, next, len(p.Phases))
			}
			c.exchangeEvent[next][t] = int32(i) + 1
			next++
		}
		if next != len(p.Phases) {
			return fmt.Errorf("%w: tile %d runs %d of %d phases", ErrProgram, t, next, len(p.Phases))
		}
	}
	return nil
}

// identityBytes is a 16×16 block of F16 (optima.md).
const identityBytes = 512

func within(lo, hi uint64, r lower.Range) bool { return lo >= uint64(r.Start) && hi <= uint64(r.End) }

func meet(lo, hi uint64, r lower.Range) bool { return lo < uint64(r.End) && uint64(r.Start) < hi }

// items checks every item by itself.
func (c *checker) items() error {
	high := lower.Range{Start: device.InterleaveBase, End: c.m.InterleavedEnd}
	forbidden := []lower.Range{c.m.Code, c.m.RowTable}
	for _, s := range c.m.Symbols {
		forbidden = append(forbidden, lower.Range{Start: s.Addr, End: s.Addr + uint32(s.Spec.CodeBytes())})
	}
	for i := range c.p.Items {
		it := &c.p.Items[i]
		lo, hi := uint64(it.Addr), uint64(it.Addr)+uint64(it.Bytes)
		if it.Align < 4 || it.Align&(it.Align-1) != 0 || it.Addr%it.Align != 0 {
			return fmt.Errorf("%w: %s, alignment %d", ErrAlignment, c.item(i), it.Align)
		}
		ok := within(lo, hi, high)
		if it.Class == model.Interleaved && !ok {
			return fmt.Errorf("%w: %s must be interleaved", ErrClass, c.item(i))
		}
		for _, r := range c.m.Standard {
			if r.End == high.Start {
				r.End = max(r.End, high.End) // SRAM is one address range
			}
			ok = ok || within(lo, hi, r)
		}
		if !ok || hi+uint64(it.Tail) > device.SRAMEnd {
			return fmt.Errorf("%w: %s, tail %d", ErrRange, c.item(i), it.Tail)
		}
		for _, r := range forbidden {
			if it.Bytes > 0 && meet(lo, hi, r) {
				return fmt.Errorf("%w: %s meets rows or code at %#x..%#x", ErrRange, c.item(i), r.Start, r.End)
			}
		}
		if it.First < 0 || it.First > it.Last || it.Last > c.end(it.Tile) {
			return fmt.Errorf("%w: %s lives %d..%d of %d events", ErrLifetime, c.item(i), it.First, it.Last, c.end(it.Tile))
		}
		// What the image holds is there from the start and for every run.
		if it.Kind == lower.ItemIdentity && (it.First > 0 || it.Last < c.end(it.Tile) || it.Bytes%identityBytes != 0) {
			return fmt.Errorf("%w: %s lives %d..%d of %d events", ErrConstant, c.item(i), it.First, it.Last, c.end(it.Tile))
		}
	}
	return nil
}

// overlaps checks pairs of items of a tile that are alive together.
func (c *checker) overlaps() error {
	for _, list := range c.onTile {
		for k, i := range list {
			for _, j := range list[:k] {
				a, b := &c.p.Items[i], &c.p.Items[j]
				if a.Last < b.First || b.Last < a.First || a.Bytes == 0 || b.Bytes == 0 || c.part(i, j) || c.part(j, i) {
					continue
				}
				if uint64(a.Addr) < uint64(b.Addr)+uint64(b.Bytes) && uint64(b.Addr) < uint64(a.Addr)+uint64(a.Bytes) {
					return fmt.Errorf("%w: %s and %s", ErrOverlap, c.item(i), c.item(j))
				}
			}
			a := &c.p.Items[i]
			for _, o := range a.Apart {
				b := &c.p.Items[o]
				if a.First <= b.Last && b.First <= a.Last && device.Elements(a.Addr, a.Bytes+a.Tail)&device.Elements(b.Addr, b.Bytes+b.Tail) != 0 {
					return fmt.Errorf("%w: %s and %s must be apart", ErrElement, c.item(i), c.item(int(o)))
				}
			}
		}
	}
	return nil
}

// part tells whether item i lies inside item j where it is said to.
func (c *checker) part(i, j int) bool {
	in := c.p.Items[i].Inside
	return in != nil && int(in.Item) == j && uint64(c.p.Items[i].Addr) == uint64(c.p.Items[j].Addr)+uint64(in.Offset)
}

// whole checks that what lies inside item i is not overwritten: bytes [lo, hi) of
// SRAM, which are item i's, are written at an event.
func (c *checker) whole(i int, event int32, lo, hi uint64) error {
	for _, k := range c.parts[i] {
		it := &c.p.Items[k]
		if it.First <= event && event <= it.Last && lo < uint64(it.Addr)+uint64(it.Bytes) && uint64(it.Addr) < hi {
			return fmt.Errorf("%w: %s is written as part of %s at event %d", ErrOverlap, c.item(k), c.item(i), event)
		}
	}
	return nil
}

// covers checks that bytes [addr, addr+n) on a tile lie in item i, which is alive
// at an event.
func (c *checker) covers(i int, tile, event int32, addr, n uint64) error {
	if i < 0 || i >= len(c.p.Items) || c.p.Items[i].Tile != tile {
		return fmt.Errorf("%w: item %d is not on tile %d", ErrProgram, i, tile)
	}
	it := &c.p.Items[i]
	if event < it.First || event > it.Last {
		return fmt.Errorf("%w: %s lives %d..%d, used at event %d", ErrLifetime, c.item(i), it.First, it.Last, event)
	}
	if addr < uint64(it.Addr) || addr+n > uint64(it.Addr)+uint64(it.Bytes) {
		return fmt.Errorf("%w: %#x..%#x of %s", ErrOperand, addr, addr+n, c.item(i))
	}
	return nil
}

// work checks every kernel call.
func (c *checker) work() error {
	for t, list := range c.p.Tiles {
		for k := range list {
			if list[k].Kind != lower.WorkCall {
				continue
			}
			for i := range c.iterations(t, k) {
				if err := c.call(int32(t), int32(k)+1, &list[k], uint32(i)); err != nil {
					return fmt.Errorf("tile %d work %d (%s) iteration %d: %w", t, k, list[k].Spec.Symbol(), i, err)
				}
			}
		}
	}
	return nil
}

func (c *checker) call(tile, event int32, w *lower.Work, iteration uint32) error {
	args := make([]uint32, len(w.Args))
	var pointers []int // items of the pointer arguments in call order
	for i, a := range w.Args {
		args[i] = a.Value
		if a.Item >= 0 {
			if int(a.Item) >= len(c.p.Items) {
				return fmt.Errorf("%w: argument %d names item %d", ErrProgram, i, a.Item)
			}
			args[i] += c.p.Items[a.Item].Addr + iteration*c.p.Items[a.Item].Stride
			pointers = append(pointers, int(a.Item))
		}
	}
	ops, err := w.Spec.Operands(args)
	if err != nil {
		return err
	}
	if len(ops) != len(pointers) {
		return fmt.Errorf("%w: %d pointers for %d operands", ErrProgram, len(pointers), len(ops))
	}
	for i, o := range ops {
		bytes := uint64(o.RowBytes) + uint64(max(o.Rows, 1)-1)*uint64(o.Stride)
		if err := c.covers(pointers[i], tile, event, uint64(o.Addr), bytes); err != nil {
			return fmt.Errorf("operand %s: %w", o.Name, err)
		}
		if o.Write {
			if err := c.whole(pointers[i], event, uint64(o.Addr), uint64(o.Addr)+bytes); err != nil {
				return fmt.Errorf("operand %s: %w", o.Name, err)
			}
		}
		if it := &c.p.Items[pointers[i]]; it.Stride > 0 {
			copyAt := uint64(it.Addr) + uint64(iteration)*uint64(it.Stride)
			if o.Write || uint64(o.Addr) < copyAt || uint64(o.Addr)+bytes > copyAt+uint64(it.Stride) {
				return fmt.Errorf("%w: operand %s writes or leaves its copy in %s", ErrRepeat, o.Name, c.item(pointers[i]))
			}
		}
		if o.Write && c.p.Items[pointers[i]].Kind == lower.ItemIdentity {
			return fmt.Errorf("%w: operand %s writes %s", ErrConstant, o.Name, c.item(pointers[i]))
		}
		if o.Align > 0 && o.Addr%o.Align != 0 {
			return fmt.Errorf("%w: operand %s at %#x, alignment %d", ErrAlignment, o.Name, o.Addr, o.Align)
		}
		if o.MustInterleave && o.Addr < device.InterleaveBase {
			return fmt.Errorf("%w: operand %s at %#x must be interleaved", ErrClass, o.Name, o.Addr)
		}
		for _, other := range ops[:i] {
			if o.Distinct&other.Distinct != 0 && o.Elements()&other.Elements() != 0 {
				return fmt.Errorf("%w: operands %s and %s", ErrElement, other.Name, o.Name)
			}
		}
	}
	return nil
}

// maxWords is the longest message (exchange.md §6).
const maxWords = 4148

// phases checks every transfer.
func (c *checker) phases() error {
	rows := device.Elements(c.m.RowTable.Start, c.m.RowTable.End-c.m.RowTable.Start)
	for id := range c.p.Phases {
		used := make([]int, len(c.p.Tiles)) // 1 + last transfer that uses the tile
		for k, t := range c.p.Phases[id].Transfers {
			if t.Words < 1 || t.Words > maxWords || len(t.Dests) == 0 {
				return fmt.Errorf("%w: phase %d transfer %d: %d words to %d tiles", ErrProgram, id, k, t.Words, len(t.Dests))
			}
			for n := -1; n < len(t.Dests); n++ {
				r := t.Source
				if n >= 0 {
					r = t.Dests[n]
				}
				if r.Item < 0 || int(r.Item) >= len(c.p.Items) {
					return fmt.Errorf("%w: phase %d transfer %d names item %d", ErrProgram, id, k, r.Item)
				}
				it := &c.p.Items[r.Item]
				if used[it.Tile] == k+1 {
					return fmt.Errorf("%w: phase %d transfer %d uses tile %d twice", ErrProgram, id, k, it.Tile)
				}
				used[it.Tile] = k + 1
				if n >= 0 && it.Kind == lower.ItemIdentity {
					return fmt.Errorf("%w: phase %d transfer %d writes %s", ErrConstant, id, k, c.item(int(r.Item)))
				}
				addr, bytes := it.Addr+r.Offset, uint32(t.Words)*4
				if err := c.covers(int(r.Item), it.Tile, c.exchangeEvent[id][it.Tile], uint64(it.Addr)+uint64(r.Offset), uint64(bytes)); err != nil {
					return fmt.Errorf("phase %d transfer %d: %w", id, k, err)
				}
				if n >= 0 {
					if err := c.whole(int(r.Item), c.exchangeEvent[id][it.Tile], uint64(addr), uint64(addr)+uint64(bytes)); err != nil {
						return fmt.Errorf("phase %d transfer %d: %w", id, k, err)
					}
				}
				if addr%4 != 0 {
					return fmt.Errorf("%w: phase %d transfer %d at %#x", ErrAlignment, id, k, addr)
				}
				if device.Elements(addr, bytes)&rows != 0 {
					return fmt.Errorf("%w: phase %d transfer %d at %#x meets the exchange rows", ErrElement, id, k, addr)
				}
			}
		}
	}
	return nil
}

// shards checks where the values lie and that what the host writes and reads is
// alive then.
func (c *checker) shards() error {
	for v := range c.p.Plan.Values {
		pv := &c.p.Plan.Values[v]
		shards, err := pv.Layout.Shards(pv.Rows, pv.Cols)
		if err != nil {
			return fmt.Errorf("%w: value %s: %w", ErrProgram, pv.Name, err)
		}
		if len(shards) != len(c.p.Shards[v]) {
			return fmt.Errorf("%w: value %s has %d shards, %d places", ErrProgram, pv.Name, len(shards), len(c.p.Shards[v]))
		}
		for j, at := range c.p.Shards[v] {
			if int(at.Bytes) != 2*(shards[j].End-shards[j].First) {
				return fmt.Errorf("%w: value %s shard %d has %d bytes for %d elements", ErrProgram, pv.Name, j, at.Bytes, shards[j].End-shards[j].First)
			}
			if at.Item < 0 || int(at.Item) >= len(c.p.Items) {
				return fmt.Errorf("%w: value %s shard %d is in item %d", ErrProgram, pv.Name, j, at.Item)
			}
			tile := int32(shards[j].Tile)
			for _, event := range hostEvents(pv.Role, c.end(tile)) {
				if err := c.covers(int(at.Item), tile, event, uint64(c.p.Items[at.Item].Addr)+uint64(at.Offset), uint64(at.Bytes)); err != nil {
					return fmt.Errorf("value %s shard %d: %w", pv.Name, j, err)
				}
			}
		}
	}
	return nil
}

// hostEvents lists when the host needs a value of a role: weights stay for the
// next run.
func hostEvents(role string, end int32) []int32 {
	switch role {
	case model.RoleInput:
		return []int32{0}
	case model.RoleWeight:
		return []int32{0, end}
	case model.RoleOutput:
		return []int32{end}
	}
	return nil
}
