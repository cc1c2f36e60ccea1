package check

import (
	"encoding/binary"
	"slices"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Opened makes the width of every message that can be paired open, whatever it is
// (reference: exchange.md §6, R11). The problem must be one that Check accepts.
func Opened(p *exchange.Problem) *exchange.Problem {
	q := *p
	q.Messages = slices.Clone(p.Messages)
	for j := range q.Messages {
		if m := &q.Messages[j]; pairable(m, p.Tiles) {
			m.Open, m.Paired = true, false
		}
	}
	return &q
}

func pairable(m *exchange.Message, tiles int) bool {
	aligned := func(a uint32) bool { return a%8 == 0 }
	if m.Words < exchange.MinPairedWords || m.Words%2 != 0 || m.Source|1 >= int32(tiles) {
		return false
	}
	for _, a := range m.SourceAddrs {
		if !aligned(a) {
			return false
		}
	}
	dests := slices.Clone(m.Dests)
	slices.SortFunc(dests, func(a, b exchange.Dest) int { return int(a.Tile - b.Tile) })
	for len(dests) >= 2 {
		a, b := dests[0], dests[1]
		row := int32(device.CoordOf(device.Physical(int(a.Tile))).Y)
		n := m.Words / 2
		if a.Tile%2 != 0 || b.Tile != a.Tile+1 || a.Addr != b.Addr || !aligned(a.Addr) || a.Tile == m.Source&^1 ||
			n == 51+2*row || n == 53+2*row {
			return false
		}
		dests = dests[2:]
	}
	return len(dests) == 0
}

// WithWidthsOf gives each message of p the width at which found, a problem that was
// reconstructed from rows, has it. Of messages equal in everything else the first
// ones are paired.
func WithWidthsOf(p, found *exchange.Problem) *exchange.Problem {
	key := func(m *exchange.Message) string {
		dests := slices.Clone(m.Dests)
		slices.SortFunc(dests, func(a, b exchange.Dest) int { return int(a.Tile - b.Tile) })
		b := binary.LittleEndian.AppendUint32(nil, uint32(m.Source))
		b = binary.LittleEndian.AppendUint32(b, m.SourceAddrs[0])
		b = binary.LittleEndian.AppendUint32(b, uint32(m.Words))
		for _, d := range dests {
			b = binary.LittleEndian.AppendUint32(b, uint32(d.Tile))
			b = binary.LittleEndian.AppendUint32(b, d.Addr)
		}
		return string(b)
	}
	paired := map[string]int{}
	for j := range found.Messages {
		if m := &found.Messages[j]; m.Paired {
			paired[key(m)]++
		}
	}
	q := *p
	q.Messages = slices.Clone(p.Messages)
	for j := range q.Messages {
		m := &q.Messages[j]
		k := key(m)
		m.Open, m.Paired = false, paired[k] > 0
		if m.Paired {
			paired[k]--
		}
	}
	return &q
}
