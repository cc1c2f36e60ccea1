package ipuexe

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ipusolve/device"
)

// ErrInvalid reports a package that is well formed but breaks a rule of
// kernels.md §10; the text names the field.
var ErrInvalid = errors.New("invalid package")

// Validate checks every rule a reader may rely on. Write and Read call it.
// The error is an ErrInvalid and begins with the path of the field at fault,
// e.g. "tiles[3].segments[1].address: ".
func (a *Application) Validate() error {
	if err := a.validate(); err != nil {
		return fmt.Errorf("ipuexe: %w: %w", ErrInvalid, err)
	}
	return nil
}

// present tells which physical tiles have an image.
type present [device.NumTiles]bool

func (p *present) has(physical uint32) bool {
	return physical < device.NumTiles && p[physical]
}

func (a *Application) validate() error {
	var tiles present
	if err := a.validateTiles(&tiles); err != nil {
		return err
	}
	names := make(map[string]bool)
	for _, list := range []struct {
		name     string
		bindings []Binding
	}{{"inputs", a.Inputs}, {"outputs", a.Outputs}, {"weights", a.Weights}} {
		for i := range list.bindings {
			b := &list.bindings[i]
			if err := b.validate(&tiles); err != nil {
				return fmt.Errorf("%s[%d].%w", list.name, i, err)
			}
			if names[b.Name] {
				return fmt.Errorf("%s[%d].name: %q is used twice", list.name, i, b.Name)
			}
			names[b.Name] = true
		}
	}
	if err := a.HostExchange.validate(); err != nil {
		return fmt.Errorf("hostExchange.%w", err)
	}
	if err := validateConfig(a.DeviceConfigWrites); err != nil {
		return err
	}
	if err := validateProfile(a.ProfileTiles, &tiles); err != nil {
		return err
	}
	for i, r := range a.DebugRegions {
		if r.PhysicalTile != AllTiles && !tiles.has(r.PhysicalTile) {
			return fmt.Errorf("debugRegions[%d].physicalTile: no tile %d", i, r.PhysicalTile)
		}
	}
	return nil
}

func (a *Application) validateTiles(tiles *present) error {
	n := len(a.Tiles)
	if n == 0 || n > device.NumTiles || n%device.TileBatch != 0 {
		return fmt.Errorf("tiles: %d, not a multiple of %d in %d..%d", n, device.TileBatch, device.TileBatch, device.NumTiles)
	}
	for i := range a.Tiles {
		t := &a.Tiles[i]
		p := t.PhysicalTile
		if p >= device.NumTiles {
			return fmt.Errorf("tiles[%d].physicalTile: %d not below %d", i, p, device.NumTiles)
		}
		if l := device.Logical(int(p)); l >= n {
			return fmt.Errorf("tiles[%d].physicalTile: %d is logical tile %d of a program for %d tiles", i, p, l, n)
		}
		if tiles[p] {
			return fmt.Errorf("tiles[%d].physicalTile: %d is used twice", i, p)
		}
		tiles[p] = true
		if err := t.validate(); err != nil {
			return fmt.Errorf("tiles[%d].%w", i, err)
		}
	}
	return nil
}

func (t *TileImage) validate() error {
	entry := false
	order := make([]int, len(t.Segments))
	for i := range t.Segments {
		s := &t.Segments[i]
		order[i] = i
		if err := s.validate(); err != nil {
			return fmt.Errorf("segments[%d].%w", i, err)
		}
		if s.Flags&FlagExecute != 0 && t.EntryPoint >= s.Address && t.EntryPoint-s.Address < s.MemorySize {
			entry = true
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(t.Segments[i].Address, t.Segments[j].Address) })
	for k := 1; k < len(order); k++ {
		i, j := order[k-1], order[k]
		if a, b := &t.Segments[i], &t.Segments[j]; b.Address-a.Address < a.MemorySize {
			return fmt.Errorf("segments[%d].address: %#x lies in segments[%d] at %#x, %d bytes", j, b.Address, i, a.Address, a.MemorySize)
		}
	}
	if len(order) == 0 {
		return fmt.Errorf("segments: none at %#x", device.EntryStub)
	}
	if low := t.Segments[order[0]].Address; low != device.EntryStub {
		return fmt.Errorf("segments[%d].address: lowest is %#x, not %#x", order[0], low, device.EntryStub)
	}
	if !entry || t.EntryPoint%4 != 0 {
		return fmt.Errorf("entryPoint: %#x is no word of an executable segment", t.EntryPoint)
	}
	return nil
}

func (s *Segment) validate() error {
	end := uint64(s.Address) + uint64(s.MemorySize)
	dataEnd := uint64(s.Address) + uint64(len(s.Data))
	switch {
	case s.Address < device.SRAMBase || s.Address >= device.SRAMEnd:
		return fmt.Errorf("address: %#x outside SRAM %#x..%#x", s.Address, device.SRAMBase, device.SRAMEnd)
	case s.MemorySize == 0:
		return errors.New("memorySize: 0")
	case end > device.SRAMEnd:
		return fmt.Errorf("memorySize: %#x + %d ends at %#x, behind SRAM end %#x", s.Address, s.MemorySize, end, device.SRAMEnd)
	case uint64(len(s.Data)) > uint64(s.MemorySize):
		return fmt.Errorf("data: %d bytes, memory size %d", len(s.Data), s.MemorySize)
	case dataEnd > device.LoaderEnd:
		return fmt.Errorf("data: ends at %#x, the loader at %#x", dataEnd, device.LoaderEnd)
	case s.Flags&^(FlagRead|FlagWrite|FlagExecute) != 0:
		return fmt.Errorf("flags: %#x has unknown bits", uint32(s.Flags))
	case s.Flags&FlagExecute != 0 && end > device.ExecutableEnd:
		return fmt.Errorf("flags: executable, but ends at %#x, behind %#x", end, device.ExecutableEnd)
	}
	return nil
}

func (b *Binding) validate(tiles *present) error {
	if b.Name == "" {
		return errors.New("name: empty")
	}
	size := b.DType.Size()
	if size == 0 {
		return fmt.Errorf("dtype: unknown %q", b.DType)
	}
	need := size
	for i, n := range b.Shape {
		if n == 0 {
			return fmt.Errorf("shape[%d]: 0", i)
		}
		hi, lo := bits.Mul64(need, uint64(n))
		if hi != 0 {
			return fmt.Errorf("shape: %v is too large", b.Shape)
		}
		need = lo
	}
	// A slice is at most an SRAM, so the running sum cannot overflow.
	var sum uint64
	for i := range b.Slices {
		s := &b.Slices[i]
		if err := s.validate(tiles); err != nil {
			return fmt.Errorf("slices[%d].%w", i, err)
		}
		if s.FileOffset != sum {
			return fmt.Errorf("slices[%d].fileOffset: %d, but the slices before it end at %d", i, s.FileOffset, sum)
		}
		sum += s.Size
	}
	if sum < need || sum%size != 0 {
		return fmt.Errorf("slices: %d bytes do not hold shape %v of %s, %d bytes", sum, b.Shape, b.DType, need)
	}
	return nil
}

func (s *RegionSlice) validate(tiles *present) error {
	switch {
	case !tiles.has(s.Tile):
		return fmt.Errorf("tile: no tile %d", s.Tile)
	case s.TileAddress < device.SRAMBase || s.TileAddress > device.SRAMEnd:
		return fmt.Errorf("tileAddress: %#x outside SRAM %#x..%#x", s.TileAddress, device.SRAMBase, device.SRAMEnd)
	case s.Size > uint64(device.SRAMEnd-s.TileAddress):
		return fmt.Errorf("size: %#x + %d is behind SRAM end %#x", s.TileAddress, s.Size, device.SRAMEnd)
	}
	return nil
}

func (h *HostExchange) validate() error {
	pages := make(map[uint32]uint64, len(h.Pages))
	for i, p := range h.Pages {
		if _, dup := pages[p.Index]; dup {
			return fmt.Errorf("pages[%d].index: %d is used twice", i, p.Index)
		}
		pages[p.Index] = p.Size
	}
	inside := func(page uint32, offset, size uint64) error {
		n, ok := pages[page]
		if !ok {
			return fmt.Errorf("no page %d", page)
		}
		if offset > n || size > n-offset {
			return fmt.Errorf("%d bytes at %d leave page %d of %d bytes", size, offset, page, n)
		}
		return nil
	}
	if len(h.Pages) > 0 {
		if err := inside(h.CommandPage, h.CommandOffset, 4); err != nil {
			return fmt.Errorf("commandOffset: %w", err)
		}
	}
	for i, p := range h.AttachOrder {
		if err := inside(p, 0, 0); err != nil {
			return fmt.Errorf("attachOrder[%d]: %w", i, err)
		}
	}
	for i := range h.Calls {
		c := &h.Calls[i]
		if c.Invocations == 0 {
			return fmt.Errorf("calls[%d].invocations: 0", i)
		}
		for _, side := range []struct {
			name, ends string
			slices     []HostSlice
			batchEnds  []uint32
		}{
			{"inputs", "inputBatchEnds", c.Inputs, c.InputBatchEnds},
			{"outputs", "outputBatchEnds", c.Outputs, c.OutputBatchEnds},
		} {
			for j, s := range side.slices {
				if err := inside(s.Page, s.PageOffset, s.Size); err != nil {
					return fmt.Errorf("calls[%d].%s[%d]: %w", i, side.name, j, err)
				}
				if s.FileOffset+s.Size < s.Size {
					return fmt.Errorf("calls[%d].%s[%d].fileOffset: %d is too large", i, side.name, j, s.FileOffset)
				}
			}
			last := uint32(0)
			for j, end := range side.batchEnds {
				if end < last {
					return fmt.Errorf("calls[%d].%s[%d]: %d after %d", i, side.ends, j, end, last)
				}
				last = end
			}
			if uint64(last) != uint64(len(side.slices)) {
				return fmt.Errorf("calls[%d].%s: end at %d of %d slices", i, side.ends, last, len(side.slices))
			}
		}
	}
	return nil
}

func validateConfig(writes []DeviceConfigWrite) error {
	seen := make(map[uint32]bool, len(writes))
	for i, w := range writes {
		if w.Offset%4 != 0 {
			return fmt.Errorf("deviceConfigWrites[%d].offset: %#x not a multiple of 4", i, w.Offset)
		}
		if seen[w.Offset] {
			return fmt.Errorf("deviceConfigWrites[%d].offset: %#x is used twice", i, w.Offset)
		}
		seen[w.Offset] = true
	}
	return nil
}

func validateProfile(plans []TileProfilePlan, tiles *present) error {
	var planned present
	for i := range plans {
		p := &plans[i]
		if !tiles.has(p.PhysicalTile) {
			return fmt.Errorf("profileTiles[%d].physicalTile: no tile %d", i, p.PhysicalTile)
		}
		if planned[p.PhysicalTile] {
			return fmt.Errorf("profileTiles[%d].physicalTile: %d is used twice", i, p.PhysicalTile)
		}
		planned[p.PhysicalTile] = true
		for j := range p.Steps {
			if err := p.Steps[j].validate(j); err != nil {
				return fmt.Errorf("profileTiles[%d].steps[%d].%w", i, j, err)
			}
		}
	}
	return nil
}

func (s *Step) validate(index int) error {
	if uint64(s.LocalIndex) != uint64(index) {
		return fmt.Errorf("localIndex: %d", s.LocalIndex)
	}
	if s.Kind > StepIdle {
		return fmt.Errorf("kind: unknown %d", s.Kind)
	}
	for i, a := range s.ExchangeActivities {
		if a.Kind > ActivityPartnerBusy {
			return fmt.Errorf("exchangeActivities[%d].kind: unknown %d", i, a.Kind)
		}
		if a.EndCycle < a.StartCycle {
			return fmt.Errorf("exchangeActivities[%d].endCycle: %d before %d", i, a.EndCycle, a.StartCycle)
		}
	}
	return nil
}
