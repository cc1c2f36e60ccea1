package heuristic

import (
	"ipusolve/device"
	"ipusolve/exchange"
)

const (
	guard = 5 // events a row and its memory stay busy after the last word (R7, R14)
	// pointBase is the offset of the point form (reference: exchange.md §4.3): a
	// lone receive always selects its source at event 113.
	pointBase = 112
	// minimumRow is the shortest row of a sender in the reference, counted from its
	// offset (reference: exchange.md §4.1, second quirk).
	minimumRow = 6
	// quirkWords is the length whose pointer the reference writes an event early
	// (reference: exchange.md §4.1).
	quirkWords = 52
)

// instance is a problem with what placing needs precomputed.
type instance struct {
	p     *exchange.Problem
	jobs  []job
	after [][]int32 // messages that wait for this one (R9)
	waits []int32   // how many messages each one waits for
	early bool      // write the pointer of a 52-word receive an event early
}

// job is a message.
type job struct {
	source  int32
	n       int32 // items
	rho     int32 // x = rho + offset
	paired  bool
	reads   device.ElementSet
	targets []target
}

// target is a receiver of a job.
type target struct {
	tile    int32
	lag     int32 // κ: σ = x + 1 + κ
	delay   int32 // π − σ
	selects bool  // this member writes the source selector
	addr    uint32
	end     uint32 // address behind the data
	writes  device.ElementSet
}

func newInstance(p *exchange.Problem, earlyPointer bool) *instance {
	in := &instance{p: p, jobs: make([]job, len(p.Messages)), after: make([][]int32, len(p.Messages)),
		waits: make([]int32, len(p.Messages)), early: earlyPointer}
	receives := make([]int32, p.Tiles)
	total := 0
	for i := range p.Messages {
		for _, d := range p.Messages[i].Dests {
			receives[d.Tile]++
			total++
		}
	}
	arena := make([]target, 0, total)
	for i := range p.Messages {
		m := &p.Messages[i]
		bytes := 4 * uint32(m.Words)
		j := job{source: m.Source, n: m.Items(), rho: m.Head(), paired: m.Paired}
		for _, a := range m.SourceAddrs {
			j.reads |= device.Elements(a, bytes)
		}
		first := len(arena)
		for _, d := range m.Dests {
			physical := device.Physical(int(d.Tile))
			t := target{tile: d.Tile, lag: m.Lag(d.Tile), delay: int32(device.WriteDelay(physical)), selects: true,
				addr: d.Addr, end: d.Addr + bytes, writes: device.Elements(d.Addr, bytes)}
			switch {
			case m.Paired:
				s := device.Physical(int(m.Source))
				t.delay++
				t.selects = device.RouteDelay(s, physical) < device.RouteDelay(s, physical^2)
			case earlyPointer && m.Words == quirkWords:
				t.delay--
			}
			arena = append(arena, t)
		}
		j.targets = arena[first:len(arena):len(arena)]
		if !m.Paired && len(m.Dests) == 1 && receives[m.Dests[0].Tile] == 1 {
			j.rho = pointBase - j.targets[0].lag
		}
		in.jobs[i] = j
	}
	for _, d := range exchange.MemoryOrder(p) {
		in.after[d[0]] = append(in.after[d[0]], d[1])
		in.waits[d[1]]++
	}
	return in
}

// unicast tells whether every message has one receiver.
func (in *instance) unicast() bool {
	for i := range in.jobs {
		if len(in.jobs[i].targets) != 1 {
			return false
		}
	}
	return true
}

// endpoints calls visit with each tile of a job: sender, receivers, and the
// sender's partner if the message is paired.
func (j *job) endpoints(visit func(tile int32)) {
	visit(j.source)
	for k := range j.targets {
		visit(j.targets[k].tile)
	}
	if j.paired {
		visit(j.source ^ 1)
	}
}
