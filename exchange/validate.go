package exchange

import (
	"errors"
	"fmt"

	"ipusolve/device"
)

// ErrInvalid marks a problem or snapshot that breaks a constraint of
// exchange.md §11. The error text is one line: the path of the offending field,
// what was wanted and what was found.
var ErrInvalid = errors.New("exchange: invalid problem")

func invalid(path, want string, found any) error {
	return fmt.Errorf("%w: %s: want %s, found %v", ErrInvalid, path, want, found)
}

// Validate checks the constraints of exchange.md §11, and that every address
// lies in SRAM. Paths in errors are those of the snapshot below its phase, e.g.
// transfers[3].words.
func (p *Problem) Validate() error { return p.validate("") }

func (p *Problem) validate(prefix string) error {
	if p.Phase < 0 {
		return invalid(prefix+"phase", "≥ 0", p.Phase)
	}
	if p.Tiles < 1 || p.Tiles > device.NumTiles {
		return invalid("tile_count", fmt.Sprintf("1..%d", device.NumTiles), p.Tiles)
	}
	seen := make([]int, p.Tiles) // message index + 1 that last named the tile
	for i := range p.Messages {
		if path, want, found := p.Messages[i].fault(i+1, seen); path != "" {
			return invalid(fmt.Sprintf("%stransfers[%d].%s", prefix, i, path), want, found)
		}
	}
	return nil
}

// fault finds the first broken constraint of a message; an empty path means
// none. seen marks the destination tiles of this message by stamp.
func (m *Message) fault(stamp int, seen []int) (path, want string, found any) {
	tiles := fmt.Sprintf("0..%d", len(seen)-1)
	if m.Source < 0 || int(m.Source) >= len(seen) {
		return "source", tiles, m.Source
	}
	if m.Words < 1 || m.Words > MaxItems {
		return "words", fmt.Sprintf("1..%d", MaxItems), m.Words
	}
	align := uint32(4)
	if m.Paired {
		align = 8
		if m.Words%2 != 0 || m.Words < MinPairedWords {
			return "words", fmt.Sprintf("even and ≥ %d for Paired64", MinPairedWords), m.Words
		}
	}
	if len(m.SourceAddrs) == 0 {
		return "source_addresses", "at least one address", "none"
	}
	if len(m.Dests) == 0 {
		return "destinations", "at least one destination", "none"
	}
	last := uint32(device.SRAMEnd) - 4*uint32(m.Words)
	badAddr := func(a uint32) string {
		switch {
		case a%align != 0:
			return fmt.Sprintf("a multiple of %d", align)
		case a < device.SRAMBase || a > last:
			return fmt.Sprintf("%d..%d (inside SRAM)", device.SRAMBase, last)
		}
		return ""
	}
	for k, a := range m.SourceAddrs {
		if w := badAddr(a); w != "" {
			return fmt.Sprintf("source_addresses[%d]", k), w, a
		}
	}
	for k, d := range m.Dests {
		if d.Tile < 0 || int(d.Tile) >= len(seen) {
			return fmt.Sprintf("destinations[%d][0]", k), tiles, d.Tile
		}
		if d.Tile == m.Source {
			return fmt.Sprintf("destinations[%d][0]", k), "a tile other than the source", d.Tile
		}
		if seen[d.Tile] == stamp {
			return fmt.Sprintf("destinations[%d][0]", k), "distinct tiles", d.Tile
		}
		seen[d.Tile] = stamp
		if w := badAddr(d.Addr); w != "" {
			return fmt.Sprintf("destinations[%d][1]", k), w, d.Addr
		}
	}
	if m.Paired {
		return m.pairFault(stamp, seen)
	}
	return "", "", nil
}

// pairFault checks the extra conditions of paired messages (reference:
// exchange.md §6 and R11): complete receiving pairs at one address, the
// sender's partner free, and no length at which the format control would meet
// the source control.
func (m *Message) pairFault(stamp int, seen []int) (path, want string, found any) {
	partner := m.Source ^ 1
	if int(partner) >= len(seen) {
		return "source", "a tile whose partner exists, for Paired64", m.Source
	}
	addr := make(map[int32]uint32, len(m.Dests))
	for _, d := range m.Dests {
		addr[d.Tile] = d.Addr
	}
	n := m.Items()
	for k, d := range m.Dests {
		at := fmt.Sprintf("destinations[%d]", k)
		other := d.Tile ^ 1
		if d.Tile == partner {
			return at + "[0]", "a tile other than the source's partner, for Paired64", d.Tile
		}
		if int(other) >= len(seen) || seen[other] != stamp {
			return at + "[0]", "both tiles of a pair, for Paired64", d.Tile
		}
		if addr[other] != d.Addr {
			return at + "[1]", "the same address on both tiles of a pair, for Paired64", d.Addr
		}
		if l := routes().writeDelay(d.Tile); n == l-1 || n == l+1 {
			return "words", fmt.Sprintf("not %d or %d words at this receiver row, for Paired64 (R11)", 2*(l-1), 2*(l+1)), m.Words
		}
	}
	return "", "", nil
}
