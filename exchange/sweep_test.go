package exchange

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// sweepCase is a kind of random phase: every tile sends so many messages of so many
// words to random receivers.
type sweepCase struct {
	tiles, each, low, high int
	fan                    int // receivers at most; 3 messages in 10 have several
	memory                 sweepMemory
}

// sweepMemory says where data lies.
type sweepMemory int

const (
	inDifferentElements sweepMemory = iota // sends and receives of a tile in different elements
	inCommonElements                       // in common elements, at different bytes (R7)
	inCommonBytes                          // anywhere in a common range (R9), with repeats
)

func (c sweepCase) String() string {
	s := fmt.Sprintf("%d tiles x %d of %d-%d words", c.tiles, c.each, c.low, c.high)
	if c.fan > 1 {
		s += fmt.Sprintf(" to 1-%d", c.fan)
	}
	return s + [...]string{"", " in common elements", " in common bytes"}[c.memory]
}

func (c sweepCase) problem(seed uint64) *Problem {
	const size = 0x18000 // bytes of sends, and of receives
	rng := rand.New(rand.NewPCG(seed, 77))
	p := &Problem{Tiles: c.tiles}
	sent, filled := make([]uint32, c.tiles), make([]uint32, c.tiles)
	for range c.each {
		for s := range c.tiles {
			n := c.low + rng.IntN(c.high-c.low+1)
			b := 4 * uint32(n)
			next := func(base uint32, used *uint32, skip uint32) uint32 {
				if c.memory == inCommonBytes {
					return destBase + 4*uint32(rng.IntN(int(size-b)/4))
				}
				if *used+skip+b > size {
					*used = 0
				}
				a := base + *used + skip
				*used += skip + b
				return a
			}
			from := uint32(sourceBase)
			if c.memory == inCommonElements {
				from = destBase + size
			}
			m := Message{Source: int32(s), Words: int32(n), SourceAddrs: []uint32{next(from, &sent[s], 0)}}
			for c.memory == inCommonBytes && rng.IntN(3) == 0 {
				m.SourceAddrs = append(m.SourceAddrs, next(from, &sent[s], 0))
			}
			fan := 1
			if c.fan > 1 && rng.IntN(10) < 3 {
				fan = 1 + rng.IntN(min(c.fan, c.tiles-1))
			}
			for used := map[int]bool{s: true}; len(m.Dests) < fan; {
				if d := rng.IntN(c.tiles); !used[d] {
					used[d] = true
					m.Dests = append(m.Dests, Dest{int32(d), next(destBase, &filled[d], 4*uint32(rng.IntN(2)))})
				}
			}
			p.Messages = append(p.Messages, m)
		}
	}
	return p
}

// sweepCases are phases of every kind: a number of messages for each of some lengths,
// to one or more receivers, in every arrangement of memory.
func sweepCases(tiles int, loads [][3]int) []sweepCase {
	var out []sweepCase
	for _, l := range loads {
		for _, fan := range []int{1, 8} {
			for _, m := range []sweepMemory{inDifferentElements, inCommonElements, inCommonBytes} {
				out = append(out, sweepCase{tiles, l[0], l[1], l[2], fan, m})
			}
		}
	}
	return out
}

// TestSweep lists phases of every kind: schedules are legal and have rows, and the
// work stays in proportion to the effort.
func TestSweep(t *testing.T) {
	var cases []sweepCase
	for _, tiles := range []int{2, 5, 40} {
		cases = append(cases, sweepCases(tiles, [][3]int{{40, 1, 1}, {30, 1, 2}, {25, 1, 4}, {20, 1, 16}, {8, 1, 200}, {3, 1, MaxItems}})...)
	}
	for k, c := range cases {
		if testing.Short() && k%5 != 0 {
			continue
		}
		p := c.problem(uint64(k))
		s, stats := list(t, p, Options{Effort: 1})
		if err := illegal(p, s); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		receives := 0
		for i := range p.Messages {
			receives += len(p.Messages[i].Dests)
		}
		// A unit is 16 looks, twice that with ejection; listings that are not counted
		// ask at every event that may be free, of which short phases have few.
		if most := int64(600 * receives); stats.Looks > most {
			t.Errorf("%v: %d looks for %d receives, want at most %d", c, stats.Looks, receives, most)
		}
		if stats.Repairs > receives/4 {
			t.Errorf("%v: %d repairs for %d receives", c, stats.Repairs, receives)
		}
	}
}

// TestCancelledListing: where only a dense listing has rows, one is made after the
// context has ended, and nothing else.
func TestCancelledListing(t *testing.T) {
	p := sweepCase{200, 60, 1, 2, 8, inDifferentElements}.problem(1)
	s, stats, err := List(&cancelAfter{context.Background(), 2}, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := illegal(p, s); err != nil {
		t.Error(err)
	}
	if _, err := EncodePhase(p, s); err != nil {
		t.Error(err)
	}
	_, whole := list(t, p, Options{})
	if stats.Tries != 2 || 4*stats.Looks > whole.Looks {
		t.Errorf("%d listings and %d looks after a context that has ended, %d and %d without", stats.Tries, stats.Looks, whole.Tries, whole.Looks)
	}
}

// BenchmarkSweep lists phases of all tiles at two units of effort.
func BenchmarkSweep(b *testing.B) {
	for k, c := range sweepCases(tileCount, [][3]int{{60, 1, 1}, {60, 1, 2}, {136, 1, 4}, {60, 1, 16}, {20, 1, 200}, {5, 1, MaxItems}}) {
		b.Run(c.String(), func(b *testing.B) {
			p := c.problem(uint64(k))
			receives := 0
			for i := range p.Messages {
				receives += len(p.Messages[i].Dests)
			}
			for b.Loop() {
				begin, first := time.Now(), time.Duration(0)
				s, stats, err := List(context.Background(), p, Options{Effort: 2, Progress: func(int32) {
					if first == 0 {
						first = time.Since(begin)
					}
				}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(s.Horizon)/float64(stats.Bound.Horizon), "horizon/bound")
				b.ReportMetric(float64(stats.Looks)/float64(receives), "looks/receive")
				b.ReportMetric(first.Seconds(), "s/first")
			}
		})
	}
}
