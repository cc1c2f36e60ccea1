package exchange

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// finish puts the best listings in place and moves the messages whose control pairs
// no row can hold (R12) by the smallest amounts that keep everything legal.
func (l *lister) finish() (*Schedule, error) {
	worst, searched := int32(0), l.stats.Bound.Horizon
	var tiles []int32 // whose rows have to be tried
	for k := range l.components {
		c := &l.components[k]
		l.restore(c)
		if c.horizon > worst {
			worst, l.stats.Method = c.horizon, c.method
		}
		searched = max(searched, c.lower)
		if !c.encodes {
			tiles = append(tiles, c.tiles...)
		}
	}
	l.stats.Looks = l.looked
	s := &Schedule{Start: l.start, Searched: searched, Looks: l.looked}
	s.horizons(l.p)
	for {
		faults, err := parityFaults(l.roleIndex, s, tiles)
		if err != nil {
			return nil, err
		}
		if len(faults) == 0 {
			s.Repairs = l.stats.Repairs
			return s, nil
		}
		touched := map[int32]bool{}
		for _, f := range faults {
			if touched[f.tile] {
				continue // moved already; look again first
			}
			i, ok := l.pairAt(f.tile, f.event)
			if !ok {
				return nil, fmt.Errorf("exchange: list: tile %d has no control pair at event %d", f.tile, f.event)
			}
			l.stats.Repairs++
			l.postpone(i, l.start[i]+1, touched)
		}
		s.horizons(l.p)
		tiles = tiles[:0]
		for t := range l.p.Tiles {
			if touched[int32(t)] {
				tiles = append(tiles, int32(t))
			}
		}
	}
}

// fault is an event of a tile whose control pair cannot be encoded.
type fault struct{ tile, event int32 }

// parityFaults encodes the rows of some tiles and lists the first fault of each.
func parityFaults(roles *Roles, s *Schedule, tiles []int32) ([]fault, error) {
	events := make([]int32, len(tiles))
	failures := make([]error, len(tiles))
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			var stream TileStream
			for k := w; k < len(tiles); k += workers {
				var parity *ParityError
				if _, err := roles.encode(int(tiles[k]), s, &stream); errors.As(err, &parity) {
					events[k] = parity.Event
				} else {
					failures[k] = err
				}
			}
		})
	}
	wait.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, fmt.Errorf("exchange: list: %w", err)
	}
	var out []fault
	for k, e := range events {
		if e > 0 {
			out = append(out, fault{tiles[k], e})
		}
	}
	return out, nil
}

// pairAt finds the message to move for a control pair: the one whose pointer
// is written there. Moving it shifts the pair's two controls apart.
func (l *lister) pairAt(tile, event int32) (int32, bool) {
	if l.wide != nil && l.wide.tile[tile] {
		return l.pointsAt(tile, event)
	}
	r := &l.receive[tile]
	at := event - l.delay[tile]
	if k := r.after(at); k < len(r.start) && r.start[k] == at {
		return r.message[k], true
	}
	return 0, false
}

// postpone moves a message to its next start at or after x, then its R9
// successors as far as that requires, and marks the tiles it touched.
func (l *lister) postpone(i, x int32, touched map[int32]bool) {
	l.unplace(i)
	l.place(i, l.earliest(i, max(x, l.released(i)), never))
	touched[l.source[i]] = true
	if l.wide.paired(i) {
		touched[l.source[i]^1] = true
	}
	for k := l.first[i]; k < l.first[i+1]; k++ {
		touched[l.tile[k]] = true
	}
	for _, j := range l.after[i] {
		if x := l.released(j); l.start[j] < x {
			l.postpone(j, x, touched)
		}
	}
}
