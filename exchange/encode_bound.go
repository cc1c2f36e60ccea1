package exchange

import "ipusolve/device"

// RowLoad is what is known of a tile's row before its messages are scheduled.
type RowLoad struct {
	Sends []int32 // items of each send, 1..MaxItems
	XPIC  int     // source controls at most: 2 a 32-bit receive, 2 a paired one's early member
	PIC   int     // pointer and format controls at most: 1 a 32-bit receive, 3 a paired one
}

// RowBound is an upper bound on the words of the tile's row, return included,
// for every schedule that keeps R1–R14 and whose tile horizon is at most horizon events. Memory for
// rows is reserved from it; exact lengths are known only after scheduling.
//
// Proof. By exchange.md §8.1 a row consists of
//
//   - one word for each control: a single control is a one-word instruction, a
//     pair is a two-word one. At most XPIC + PIC words;
//   - one send word for each send, at most one delay before each and one before
//     the horizon, and the return: 2m + 2 words;
//   - fillers: a delay (idle) or sendoff (in a send) before a control
//     instruction, or a sendoff after the last one of a send;
//   - splits for parity, at most one a pair.
//
// Every filler is one word as long as delays take at most 2^19 events and
// messages at most 4148 items (after a full 64-item instruction at most 4084
// remain, a sendoff takes 4096); each further word of a delay consumes 2^19
// events of its own, ⌊horizon/2^19⌋ words in all.
//
// A filler in a send needs a 64-item instruction before it: a send of n items
// holds at most ⌊n/65⌋. An idle filler before a single source control follows
// from a wait of more than 4096 events, so there are at most ⌊horizon/4097⌋;
// before a single pointer control likewise ⌊horizon/129⌋, of those that are not
// in a pair. A pair costs at most two words, its filler and its split.
//
// With p pairs, single controls and send tails have at most
// f(p) = min(XPIC+PIC−2p+l, a + min(PIC−p, ⌊horizon/129⌋)) fillers, where l
// counts the sends of more than 64 items and a = Σ⌊n/65⌋ + ⌊horizon/4097⌋.
// From p to p+1, f falls by at most 2 while the pair adds 2: the sum 2p + f(p)
// is largest at p = min(XPIC, PIC).
//
// Independently, every instruction consumes an event and a pair two words, so
// the row has at most horizon + p + 1 words.
func RowBound(load RowLoad, horizon int32) int {
	h := int(horizon)
	long, inside := 0, 0
	for _, n := range load.Sends {
		if n > device.MaxSend {
			long++
		}
		inside += int(n) / (device.MaxSend + 1)
	}
	pairs := min(load.XPIC, load.PIC)
	fillers := min(load.XPIC+load.PIC-2*pairs+long,
		inside+h/(device.MaxDelayXPIC+1)+min(load.PIC-pairs, h/(device.MaxDelayPIC+1)))
	words := load.XPIC + load.PIC + 2*len(load.Sends) + 2 + 2*pairs + fillers + h/device.MaxDelay
	return min(words, h+pairs+1)
}

// RowBounds is RowBound for every tile of the problem; 0 marks a tile without a
// row.
func RowBounds(p *Problem, horizon int32) []int {
	loads := make([]RowLoad, p.Tiles)
	active := make([]bool, p.Tiles)
	for j := range p.Messages {
		m := &p.Messages[j]
		loads[m.Source].Sends = append(loads[m.Source].Sends, m.Items())
		active[m.Source] = true
		if m.Paired {
			active[m.Source^1] = true
		}
		pic := 1
		if m.Paired {
			pic = 3
		}
		for _, d := range m.Dests {
			loads[d.Tile].XPIC += 2
			loads[d.Tile].PIC += pic
			active[d.Tile] = true
		}
	}
	bounds := make([]int, p.Tiles)
	for t, load := range loads {
		if active[t] {
			bounds[t] = RowBound(load, horizon)
		}
	}
	return bounds
}
