package heuristic

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"ipusolve/device"
	"ipusolve/exchange"
)

// placement is a schedule in the making. Messages are only appended: on every
// tile a receive starts behind the last stored word of the one before it, so
// that R2–R4 hold by construction and R5, R7 and R12 remain to be looked at.
type placement struct {
	*instance
	encode bool // demand after each message that the rows of its tiles can be written (R12)

	tiles []tileState
	start []int32
	order []int32 // messages as they were placed
	done  []int32 // completion of the payload: the last word sent and stored
	cause []int32 // message that made the latest endpoint busy; -1: none
	// horizon is that of the phase (R14); rows are the lengths of the reference's
	// rows, which pads those of senders.
	horizon int32
	rows    []int32
}

// tileState is what a tile does so far.
type tileState struct {
	sendFree, receiveFree int32  // earliest offset of another send, another receive
	sender, receiver      int32  // message that made them so; -1: none
	run                   uint32 // address behind the last 32-bit receive; 0: none
	sends                 []window
	receives              []window // storing, guard included
	row                   []exchange.RowSend
	controls              []exchange.RowControl // by event
}

// window is a use of memory elements in [begin, end).
type window struct {
	begin, end int32
	elements   device.ElementSet
	message    int32
}

func (in *instance) newPlacement(encode bool) *placement {
	n := len(in.jobs)
	pl := &placement{instance: in, encode: encode, tiles: make([]tileState, in.p.Tiles), start: make([]int32, n), order: make([]int32, 0, n),
		done: make([]int32, n), cause: make([]int32, n), rows: make([]int32, in.p.Tiles)}
	for t := range pl.tiles {
		pl.tiles[t].sender, pl.tiles[t].receiver = -1, -1
	}
	return pl
}

// requested is the offset that the placing rule asks for, and the message that
// is to blame for it (reference: exchange.md §10.1). ready is when the messages
// that this one waits for are done, and cause the last of them.
func (pl *placement) requested(i, ready, cause int32) (offset, blame int32) {
	offset, blame = ready, cause
	wait := func(until, message int32) {
		if until > offset {
			offset, blame = until, message
		}
	}
	j := &pl.jobs[i]
	s := &pl.tiles[j.source]
	wait(s.sendFree, s.sender)
	for k := range j.targets {
		t := &pl.tiles[j.targets[k].tile]
		wait(t.receiveFree, t.receiver)
	}
	if j.paired {
		t := &pl.tiles[j.source^1]
		wait(t.sendFree, t.sender)
		wait(t.receiveFree, t.receiver)
	}
	return offset, blame
}

// place appends a message at the first offset from the requested one on that
// keeps the rules.
func (pl *placement) place(i, ready, cause int32) error {
	offset, blame := pl.requested(i, ready, cause)
	j := &pl.jobs[i]
	for {
		x := j.rho + offset
		if pl.meetsControl(j, x) {
			offset++
			continue
		}
		if by, other := pl.clash(j, x); by > 0 {
			offset, blame = offset+by, other
			continue
		}
		if pl.encode {
			ok, err := pl.encodes(i, x)
			if err != nil {
				return err
			}
			if !ok {
				offset++
				continue
			}
		}
		pl.commit(i, x, offset, blame)
		return nil
	}
}

// reception is what one receiver of a message does.
type reception struct {
	source  [2]int32 // events of the source selector; the second one leaves it
	sources int
	pic     [3]int32
	pics    int
	write   int32 // first word stored
}

// receive gives the events of a target when the message starts at x (reference:
// exchange.md §4). run is the address behind the receiver's previous receive.
func (j *job) receive(t *target, x int32, run uint32) (r reception) {
	sigma := x + 1 + t.lag
	r.write = sigma + t.delay
	if t.selects {
		r.source, r.sources = [2]int32{sigma, sigma + j.n}, 2
	}
	switch on := r.write - 2; {
	case j.paired: // format on, pointer, format off
		r.pic, r.pics = [3]int32{on, r.write, on + j.n}, 3
	case run != t.addr:
		r.pic, r.pics = [3]int32{r.write}, 1
	}
	return r
}

// meetsControl tells whether R5, in the reference's strict form, forbids the
// start: a control at the first event of a send or at the one before.
func (pl *placement) meetsControl(j *job, x int32) bool {
	controls := pl.tiles[j.source].controls
	k := sort.Search(len(controls), func(k int) bool { return controls[k].Event >= x })
	if k < len(controls) && controls[k].Event <= x+1 {
		return true
	}
	for k := range j.targets {
		t := &j.targets[k]
		s := &pl.tiles[t.tile]
		if len(s.row) == 0 {
			continue
		}
		r := j.receive(t, x, s.run)
		for _, e := range r.source[:r.sources] {
			if s.sendAt(e) {
				return true
			}
		}
		for _, e := range r.pic[:r.pics] {
			if s.sendAt(e) {
				return true
			}
		}
	}
	return false
}

// sendAt tells whether a send starts at the event or at the one before.
func (s *tileState) sendAt(event int32) bool {
	k := sort.Search(len(s.row), func(k int) bool { return s.row[k].Start >= event-1 })
	return k < len(s.row) && s.row[k].Start <= event
}

// clash says by how much R7 delays the message and which one is in its way.
func (pl *placement) clash(j *job, x int32) (by, message int32) {
	note := func(list []window, begin, end int32, elements device.ElementSet) {
		for k := len(list) - 1; k >= 0 && list[k].end > begin; k-- {
			w := &list[k]
			if w.begin < end && w.elements&elements != 0 {
				if w.end-begin > by {
					by, message = w.end-begin, w.message
				}
				return // they end one after the other
			}
		}
	}
	note(pl.tiles[j.source].receives, x, x+j.n, j.reads)
	for k := range j.targets {
		t := &j.targets[k]
		write := x + 1 + t.lag + t.delay
		note(pl.tiles[t.tile].sends, write, write+j.n+guard, t.writes)
	}
	return by, message
}

// controls gives a receive's controls by event; their values do not matter to
// the length of a row.
func (r *reception) controls(dst []exchange.RowControl) []exchange.RowControl {
	for _, e := range r.source[:r.sources] {
		dst = append(dst, exchange.RowControl{Event: e, Stream: exchange.SourceStream, Value: device.NeutralSource})
	}
	for _, e := range r.pic[:r.pics] {
		dst = append(dst, exchange.RowControl{Event: e, Stream: exchange.PointerStream})
	}
	slices.SortFunc(dst, func(a, b exchange.RowControl) int { return cmp.Compare(a.Event, b.Event) })
	return dst
}

func (pl *placement) rowSend(i, x int32) exchange.RowSend {
	m := &pl.p.Messages[i]
	size := uint32(4)
	if m.Paired {
		size = 8
	}
	return exchange.RowSend{Start: x, Items: pl.jobs[i].n, ItemAddr: m.SourceAddrs[0] / size, Ctl: m.Control()}
}

// encodes tells whether the rows of the message's tiles can be written with it.
func (pl *placement) encodes(i, x int32) (bool, error) {
	j := &pl.jobs[i]
	s := &pl.tiles[j.source]
	send := pl.rowSend(i, x)
	row := append(slices.Clone(s.row), send)
	if ok, err := writable(row, s.controls, max(pl.rows[j.source], send.End())); !ok {
		return false, err
	}
	var own [5]exchange.RowControl
	for k := range j.targets {
		t := &j.targets[k]
		s := &pl.tiles[t.tile]
		r := j.receive(t, x, s.run)
		controls := append(slices.Clone(s.controls), r.controls(own[:0])...)
		if ok, err := writable(s.row, controls, max(pl.rows[t.tile], pl.horizonAt(j, t, x))); !ok {
			return false, err
		}
	}
	return true, nil
}

func writable(sends []exchange.RowSend, controls []exchange.RowControl, horizon int32) (bool, error) {
	_, err := exchange.EncodeTile(sends, controls, horizon)
	var parity *exchange.ParityError
	if errors.As(err, &parity) {
		return false, nil
	}
	return err == nil, err
}

func (pl *placement) commit(i, x, offset, blame int32) {
	j := &pl.jobs[i]
	pl.start[i], pl.cause[i] = x, blame
	pl.order = append(pl.order, i)
	end := x + j.n
	s := &pl.tiles[j.source]
	s.sends = append(s.sends, window{x, end, j.reads, i})
	s.row = append(s.row, pl.rowSend(i, x))
	s.sendFree, s.sender = end, i
	pl.reach(j.source, end)
	pl.rows[j.source] = max(pl.rows[j.source], offset+minimumRow)
	if j.paired {
		t := &pl.tiles[j.source^1]
		t.sendFree, t.sender = end, i
		t.receiveFree, t.receiver = end, i
		pl.reach(j.source^1, end)
	}
	done := end
	for k := range j.targets {
		t := &j.targets[k]
		s := &pl.tiles[t.tile]
		r := j.receive(t, x, s.run)
		s.controls = append(s.controls, r.controls(make([]exchange.RowControl, 0, 5))...)
		stored := r.write + j.n
		s.receives = append(s.receives, window{r.write, stored + guard, t.writes, i})
		s.receiveFree, s.receiver = stored, i
		s.run = t.end
		if j.paired {
			s.run = 0
		}
		done = max(done, stored)
		pl.reach(t.tile, pl.horizonAt(j, t, x))
	}
	pl.done[i] = done
}

func (pl *placement) reach(tile, horizon int32) {
	pl.rows[tile] = max(pl.rows[tile], horizon)
	pl.horizon = max(pl.horizon, horizon)
}

// inOrder places messages one by one. The order must be one that R9 allows.
func (pl *placement) inOrder(ctx context.Context, order []int32) error {
	ready, cause := pl.readiness()
	for step, i := range order {
		if step%poll == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := pl.place(i, ready[i], cause[i]); err != nil {
			return err
		}
		pl.release(i, ready, cause, nil)
	}
	return nil
}

// readiness starts the bookkeeping of R9: when the messages that each one waits
// for are done, and which of them is last.
func (pl *placement) readiness() (ready, cause []int32) {
	ready, cause = make([]int32, len(pl.jobs)), make([]int32, len(pl.jobs))
	for i := range cause {
		cause[i] = -1
	}
	return ready, cause
}

// release tells the messages that waited for i that it is placed.
func (pl *placement) release(i int32, ready, cause []int32, visit func(later int32)) {
	for _, k := range pl.after[i] {
		if pl.done[i] > ready[k] {
			ready[k], cause[k] = pl.done[i], i
		}
		if visit != nil {
			visit(k)
		}
	}
}

// writable tells whether every row can be encoded.
func (pl *placement) writable() (bool, error) {
	for t := range pl.tiles {
		s := &pl.tiles[t]
		if ok, err := writable(s.row, s.controls, pl.rows[t]); !ok {
			return false, err
		}
	}
	return true, nil
}
