package check

import (
	"runtime"
	"sync"
	"sync/atomic"

	"ipusolve/exchange"
)

// Result is what verified rows or starts amount to.
type Result struct {
	Horizon     int32   // events: the largest tile horizon
	TileHorizon []int32 // events of each tile's row; 0 = no part in the phase
	Starts      []int32 // per message: the cycle its send starts at
}

// Check verifies the rows of a phase, indexed by logical tile (nil or a bare
// return = no part in it), against its problem (reference: exchange.md §9): decoded events against
// the sends and controls the problem demands, and rules R1–R14, less what its freedom
// takes off R5. addrs holds the
// byte address of each tile's row; nil leaves R13 unchecked. The error is a
// *Violation, the same for the same input.
func Check(p *exchange.Problem, rows [][]uint32, addrs []uint32) (*Result, error) {
	if v := wellFormed(p); v != nil {
		return nil, v
	}
	if len(rows) != p.Tiles || addrs != nil && len(addrs) != p.Tiles {
		return nil, &Violation{Phase: p.Phase, Tile: -1, Event: -1, Rule: Row, Message: -1, What: "one row and one address a tile are needed"}
	}
	decoded, v := decodeAll(p.Phase, rows, p.Freedom)
	if v != nil {
		return nil, v
	}
	roles := rolesOf(p)
	m := matcher{p: p, rows: decoded, heard: make([][]heard, p.Tiles), start: make([]int32, len(p.Messages))}
	if v := eachTile(p.Tiles, func(t int) *Violation {
		m.heard[t] = decoded[t].hear(int32(t))
		return nil
	}); v != nil {
		return nil, v
	}
	if v := eachTile(p.Tiles, func(t int) *Violation { return m.tile(t, roles.of(t)) }); v != nil {
		return nil, v
	}
	c := checker{p: p, start: m.start, rows: decoded}
	result, v := c.run(roles)
	if v != nil {
		return nil, v
	}
	if addrs != nil {
		if v := eachTile(p.Tiles, func(t int) *Violation { return c.placement(t, roles.of(t), addrs[t], len(rows[t])) }); v != nil {
			return nil, v
		}
	}
	return result, nil
}

// CheckSchedule verifies starts alone: all rules but those about words and
// their place (R12, R13), and the horizons of the schedule. The error is a
// *Violation.
func CheckSchedule(p *exchange.Problem, s *exchange.Schedule) (*Result, error) {
	if v := wellFormed(p); v != nil {
		return nil, v
	}
	c := checker{p: p, start: s.Start}
	if len(s.Start) != len(p.Messages) || len(s.TileHorizon) != p.Tiles {
		return nil, c.violation(-1, Problem, -1, -1, "%d starts and %d tile horizons for %d messages and %d tiles",
			len(s.Start), len(s.TileHorizon), len(p.Messages), p.Tiles)
	}
	for j, x := range s.Start {
		if x < 0 || x > maxEvents {
			return nil, c.violation(int(p.Messages[j].Source), R1, -1, int32(j), "start %d", x)
		}
	}
	result, v := c.run(rolesOf(p))
	if v != nil {
		return nil, v
	}
	for t, h := range result.TileHorizon {
		if s.TileHorizon[t] != h {
			return nil, c.violation(t, R14, -1, -1, "horizon %d, but the messages need %d", s.TileHorizon[t], h)
		}
	}
	if s.Horizon != result.Horizon {
		return nil, c.violation(-1, R14, -1, -1, "phase horizon %d, but the largest tile horizon is %d", s.Horizon, result.Horizon)
	}
	return result, nil
}

// run checks the rules tile by tile.
func (c *checker) run(roles roles) (*Result, *Violation) {
	r := &Result{TileHorizon: make([]int32, c.p.Tiles), Starts: c.start}
	if v := eachTile(c.p.Tiles, func(t int) (v *Violation) {
		if r.TileHorizon[t], v = c.tile(t, roles.of(t)); v == nil {
			v = c.memory(t, roles.of(t))
		}
		return v
	}); v != nil {
		return nil, v
	}
	for _, h := range r.TileHorizon {
		r.Horizon = max(r.Horizon, h)
	}
	return r, nil
}

func decodeAll(phase int, rows [][]uint32, freedom exchange.Freedom) ([]tileRow, *Violation) {
	decoded := make([]tileRow, len(rows))
	free := freedom == exchange.FirstEvent
	v := eachTile(len(rows), func(t int) (v *Violation) {
		if decoded[t], v = decode(rows[t], free); v != nil {
			v.Phase, v.Tile = phase, t
		}
		return v
	})
	if v != nil || !free {
		return decoded, v
	}
	return decoded, eachTile(len(rows), func(t int) *Violation {
		decoded[t].settle(t, decoded)
		return nil
	})
}

// eachTile runs check for every tile, in parallel, and returns the violation of
// the lowest one that has any.
func eachTile(tiles int, check func(tile int) *Violation) *Violation {
	const few = 32 // not worth a second thread
	if tiles <= few {
		for t := range tiles {
			if v := check(t); v != nil {
				return v
			}
		}
		return nil
	}
	found := make([]*Violation, tiles)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), tiles) {
		wg.Go(func() {
			for t := int(next.Add(1)) - 1; t < tiles; t = int(next.Add(1)) - 1 {
				found[t] = check(t)
			}
		})
	}
	wg.Wait()
	for _, v := range found {
		if v != nil {
			return v
		}
	}
	return nil
}
