package cost

import "ipusolve/model"

// Load collects what every tile sends and receives in one phase.
type Load struct {
	sent, received    []int // elements of F16
	receives, shorter []int // messages; sends of fewer than 3 words
	crossed           []int // most elements of one value that come one after the other
}

// NewLoad starts an empty phase of that many tiles.
func NewLoad(tiles int) *Load {
	return &Load{make([]int, tiles), make([]int, tiles), make([]int, tiles), make([]int, tiles), make([]int, tiles)}
}

// cross counts a value of which a tile sends and receives parts one after the other:
// through one SRAM element, or because any two parts have a receiver in common.
func (l *Load) cross(tile, elements int) { l.crossed[tile] = max(l.crossed[tile], elements) }

func (l *Load) send(tile, elements, runs int) {
	l.sent[tile] += elements
	if elements < 6*runs {
		l.shorter[tile] += runs
	}
}

func (l *Load) receive(tile, elements, runs int) {
	l.received[tile] += elements
	l.receives[tile] += runs
}

// Words is the phase's length before tail and barrier: the largest of words
// sent, words received, words of a value in place and control slots
// (receives + 1 + 2·short sends) of a tile.
func (l *Load) Words() int64 {
	var most int
	for t := range l.sent {
		slots := 0
		if l.receives[t]+l.shorter[t] > 0 {
			slots = l.receives[t] + 1 + 2*l.shorter[t]
		}
		most = max(most, (l.sent[t]+1)/2, (l.received[t]+1)/2, (l.crossed[t]+1)/2, slots)
	}
	return int64(most)
}

// Terms is the cost of the phase; nothing if nothing moves.
func (l *Load) Terms() model.Cost { return PhaseTerms(l.Words()) }

// PhaseTerms is the cost of a phase of that many words on its busiest tile.
func PhaseTerms(words int64) model.Cost {
	if words == 0 {
		return nil
	}
	return model.Cost{{Name: TermWords, Cycles: words, Exchange: true},
		{Name: TermTail, Cycles: RouteTail, Exchange: true},
		{Name: TermBarrier, Cycles: PhaseSync, Exchange: true}}
}
