package sim

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"ipusolve/device"
)

// BarrierCycles is charged from the latest arrival to the release (reference:
// simulator.md §1).
const BarrierCycles = 600

// Result is a finished run.
type Result struct {
	// Cycles is the largest, MinCycles the smallest of Tiles' cycles.
	Cycles, MinCycles int64
	Tiles             []TileResult // by logical tile
	Phases            []Phase
	// Tail is the longest time of a tile from the end of its last row to its
	// halt.
	Tail     int64
	Warnings []Warning // lenient mode, by rule
}

// TileResult is the time of one tile.
type TileResult struct {
	Tile, Physical int
	// Cycles lie between the tile's first and last cycle sample, by the exact
	// counter; without two samples, between entry and halt.
	Cycles int64
	Total  int64 // clock at the halt
}

// Phase is an executed exchange phase. Words are of 4 bytes.
type Phase struct {
	// Work is the longest time of a tile from the end of its previous row (or
	// release, or entry) to its arrival at this phase's barrier.
	Work     int64
	Arrival  int64 // latest of all tiles
	Release  int64
	Horizon  int64 // longest row
	Longest  int   // lowest logical tile with a row of Horizon events
	Active   int   // tiles with a nonempty row
	Sent     int64 // words sent, each once
	Received int64 // words received by all tiles
	Bound    int64 // largest number of words one tile sends or receives
	Busiest  int   // lowest logical tile that moves Bound words
	RowWords int   // of the longest row in words, return included
}

// Run executes the program on all tiles from the entry point to the halt. The
// error is an *Error where the program is at fault, else that of ctx.
func (m *Machine) Run(ctx context.Context) (*Result, error) {
	m.parallel(len(m.tiles), func(i int) {
		m.tiles[i].reset()
		if m.opt.Trace != nil {
			m.tiles[i].trace = new(bytes.Buffer)
		}
	})
	result := &Result{}
	for {
		m.parallel(len(m.tiles), func(i int) { m.advance(ctx, m.tiles[i]) })
		if err := m.flushTrace(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("sim: %w", err)
		}
		if err := m.firstError(); err != nil {
			return nil, err
		}
		done, err := m.barrier(result)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	m.finish(result)
	return result, nil
}

// barrier releases the barrier all tiles have reached and executes the rows
// behind it; done if all tiles have halted.
func (m *Machine) barrier(result *Result) (done bool, err error) {
	var stuck []*tile // will never arrive
	blocked := 0
	arrival := int64(0)
	work := int64(0)
	for _, t := range m.tiles {
		if t.state == waiting {
			blocked++
		} else if !t.pending {
			stuck = append(stuck, t)
			continue
		}
		arrival = max(arrival, t.arrival)
		work = max(work, t.arrival-t.left)
	}
	if blocked == 0 {
		return true, nil
	}
	if len(stuck) > 0 {
		return false, m.deadlock(stuck, blocked)
	}
	release := arrival + BarrierCycles
	rows := false
	for _, t := range m.tiles {
		t.row.reset()
		t.in.reset()
		t.pending = false
		if t.state != waiting {
			continue
		}
		t.state = running
		t.cycle = max(t.cycle, release)
		t.left = t.cycle
		_, _, starts := m.startsRow(t)
		rows = rows || starts
	}
	if !rows {
		return false, nil
	}
	p := Phase{Work: work, Arrival: arrival, Release: release}
	if err := m.exchange(len(result.Phases), release); err != nil {
		return false, err
	}
	m.account(&p)
	result.Phases = append(result.Phases, p)
	return false, m.flushTrace()
}

// exchange executes the rows of a phase.
func (m *Machine) exchange(phase int, release int64) error {
	x := &matcher{m: m, phase: phase, lenient: m.opt.Lenient}
	m.parallel(len(m.tiles), func(i int) {
		t := m.tiles[i]
		if t.state != running {
			return
		}
		m.decodeRow(t, phase)
		if t.state == running && t.row.horizon > 0 && t.cycle > release {
			t.rowFault(phase, 0, device.ExcExchangeConfig, RuleBarrier, 0, "row starts %d cycles after the release", t.cycle-release)
		}
	})
	if err := m.firstError(); err != nil {
		return err
	}
	m.parallel(len(m.tiles), func(i int) {
		t := m.tiles[i]
		partner := m.tile(uint32(t.physical ^ 2))
		if partner == nil || t.physical < partner.physical {
			x.receive(t, partner)
		}
	})
	if err := m.firstError(); err != nil {
		return err
	}
	partials := make([][]partial, len(m.tiles))
	for _, t := range m.tiles {
		for _, p := range t.in.partials {
			partials[p.sender] = append(partials[p.sender], p)
		}
	}
	m.parallel(len(m.tiles), func(i int) {
		x.heard(m.tiles[i], partials[i])
		x.count(m.tiles[i])
	})
	if err := m.firstError(); err != nil {
		return err
	}
	x.deliver()
	return m.firstError()
}

// count compares the words a row moved with the metadata of the tile's
// exchange step; a step without metadata moves none.
func (x *matcher) count(t *tile) {
	var want counts
	if t.steps < len(t.exchange) {
		want = t.exchange[t.steps]
	}
	t.steps++
	if got := (counts{t.row.sent, t.in.received}); got != want {
		t.soft(x.lenient, softCounts, 1, func() Error {
			return Error{Phase: x.phase, Event: int64(t.row.horizon),
				Detail: fmt.Sprintf("row sends %d and receives %d words, the step's metadata says %d and %d", got.sent, got.received, want.sent, want.received)}
		})
	}
}

// account ends a phase: every tile goes on behind its own row.
func (m *Machine) account(p *Phase) {
	for i, t := range m.tiles {
		if t.state != running {
			continue
		}
		r := &t.row
		if m.opt.Trace != nil {
			t.tracef("cycle %d step %d row at %#x: horizon %d, %d words sent, %d received", t.cycle, t.step, r.base, r.horizon, r.sent, t.in.received)
		}
		t.step++
		if r.horizon > 0 {
			p.Active++
		}
		if h := int64(r.horizon); h > p.Horizon {
			p.Horizon, p.Longest = h, t.logical
		}
		if n := max(r.sent, t.in.received); n > p.Bound {
			p.Bound, p.Busiest = n, m.tiles[i].logical
		}
		p.Sent += r.sent
		p.Received += t.in.received
		p.RowWords = max(p.RowWords, int(r.end-r.base)/4)
		t.cycle += int64(r.horizon)
		t.left = t.cycle
	}
}

// deadlock reports tiles that halted before a barrier others wait at.
func (m *Machine) deadlock(stuck []*tile, blocked int) error {
	var names []string
	for _, t := range stuck[:min(len(stuck), 8)] {
		names = append(names, fmt.Sprint(t.logical))
	}
	if len(stuck) > len(names) {
		names = append(names, "…")
	}
	stuck[0].fault(device.ExcNone, RuleDeadlock, 0, "%d tiles wait at a barrier that %d tiles never reach, having halted: tiles %s",
		blocked, len(stuck), strings.Join(names, ", "))
	return m.firstError()
}

// finish collects the figures of a run whose tiles have all halted.
func (m *Machine) finish(r *Result) {
	r.Tiles = make([]TileResult, len(m.tiles))
	for i, t := range m.tiles {
		c := t.cycle
		if t.samples > 1 {
			c = (t.last - t.first) & (1<<32 - 1)
		}
		r.Tiles[i] = TileResult{Tile: t.logical, Physical: t.physical, Cycles: c, Total: t.cycle}
		r.Cycles = max(r.Cycles, c)
		if i == 0 || c < r.MinCycles {
			r.MinCycles = c
		}
		r.Tail = max(r.Tail, t.cycle-t.left)
	}
	r.Warnings = m.takeWarnings()
}

// tracef adds a line to the tile's trace.
func (t *tile) tracef(format string, args ...any) {
	fmt.Fprintf(t.trace, "tile %d (%d) ", t.logical, t.physical)
	fmt.Fprintf(t.trace, format, args...)
	t.trace.WriteByte('\n')
}

// flushTrace writes what the tiles have traced since the last call.
func (m *Machine) flushTrace() error {
	if m.opt.Trace == nil {
		return nil
	}
	for _, t := range m.tiles {
		if _, err := t.trace.WriteTo(m.opt.Trace); err != nil {
			return fmt.Errorf("sim: trace: %w", err)
		}
	}
	return nil
}
