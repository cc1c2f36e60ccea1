package sim_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/device"
	"ipusolve/device/sim"
)

// rowEvent is a control (send = false) at event at, or a send that starts at
// cycle at.
type rowEvent struct {
	at   int
	in   device.Instr
	send bool
}

// encode turns events into a row: controls end idle instructions, so none may
// fall into a send, and all have events of their own.
func encode(tb testing.TB, events []rowEvent, guard int) []uint32 {
	slices.SortFunc(events, func(a, b rowEvent) int {
		tie := 1 // a control at x comes before the send
		if b.send {
			tie = -1
		}
		return cmp.Or(cmp.Compare(a.at, b.at), tie)
	})
	var w []uint32
	now := 0
	add := func(in device.Instr) {
		var err error
		if w, err = in.Append(w); err != nil {
			tb.Fatal(err)
		}
		now += int(in.N)
	}
	for _, e := range events {
		most := 0
		switch e.in.Op {
		case device.OpDelayPIC:
			most = device.MaxDelayPIC
		case device.OpDelayXPIC:
			most = device.MaxDelayXPIC
		}
		if gap := e.at - now; gap > most {
			add(device.Delay(gap - most))
		}
		if !e.send {
			e.in.N = int32(e.at - now)
		}
		rest := int(e.in.N) - device.MaxSend
		if e.send && rest > 0 {
			e.in.N = device.MaxSend
		}
		add(e.in)
		if e.send && rest > 0 {
			add(device.SendOff(rest, 0, int(e.in.Ctl)))
		}
	}
	add(device.Delay(guard))
	add(device.Return())
	return w
}

// phaseBuilder collects the events of one phase by the timing of exchange.md
// §4.1.
type phaseBuilder struct {
	b              *builder
	events         [][]rowEvent
	sent, received []int
}

// receive adds a receive and tells its controls' events.
func (p *phaseBuilder) receive(s, d, x, n, addr int) {
	sp, dp := device.Physical(s), device.Physical(d)
	sigma := x + 1 + device.RouteDelay(sp, dp)
	p.events[d] = append(p.events[d],
		rowEvent{sigma, device.DelayXPIC(1, 0, sp), false},
		rowEvent{sigma + n, device.DelayXPIC(1, 0, device.NeutralSource), false},
		rowEvent{sigma + device.WriteDelay(dp), device.DelayPIC(1, 0, addr/4), false})
	p.received[d] += n
}

func (p *phaseBuilder) send(s, x, n int) {
	in := device.Send(1, sendBase/4, device.CtlBoth)
	in.N = int32(n) // encode splits it
	p.events[s] = append(p.events[s], rowEvent{x, in, true})
	p.sent[s] += n
}

// machine loads a chip that executes the phase once.
func (p *phaseBuilder) machine() *sim.Machine {
	for l := range p.events {
		q := p.b.tiles[l]
		q.rowAt = 0x7c000 - 0x8000
		q.block(sendBase, 1024, uint32(l))
		last := 0
		for _, e := range p.events[l] {
			last = max(last, e.at)
		}
		q.exchange(0, encode(p.b.tb, p.events[l], 1024), p.sent[l], p.received[l])
		q.halt()
	}
	return p.b.machine(sim.Options{})
}

func newPhase(b *testing.B) *phaseBuilder {
	all := make([]int, device.NumTiles)
	for l := range all {
		all[l] = l
	}
	return &phaseBuilder{b: newBuilder(b, all...), events: make([][]rowEvent, len(all)), sent: make([]int, len(all)), received: make([]int, len(all))}
}

func benchmarkRun(b *testing.B, m *sim.Machine, messages int) {
	var r *sim.Result
	for b.Loop() {
		var err error
		if r, err = m.Run(context.Background()); err != nil {
			fatal(b, err)
		}
	}
	b.ReportMetric(float64(messages), "messages")
	b.ReportMetric(float64(r.Phases[0].Received), "words")
	b.ReportMetric(float64(r.Phases[0].RowWords), "rowwords")
}

// BenchmarkPointToPoint runs a phase of 195 776 messages of 8 words: 133 rounds
// of random cyclic shifts of all tiles.
func BenchmarkPointToPoint(b *testing.B) {
	const rounds, n, pitch = 133, 8, 420
	r := rand.New(rand.NewPCG(1, 2))
	p := newPhase(b)
	tiles := device.NumTiles
	for round := range rounds {
		base := 100 + round*pitch
		shift := 1 + r.IntN(tiles-1)
		sendX := make([]int, tiles) // of this round
		controls := make([][]int, tiles)
		for s := range tiles {
			d := (s + shift) % tiles
			sp, dp := device.Physical(s), device.Physical(d)
			for x := base; ; x++ {
				sigma := x + 1 + device.RouteDelay(sp, dp)
				mine := []int{sigma, sigma + n, sigma + device.WriteDelay(dp)}
				hit := func(x int, events []int) bool {
					return slices.ContainsFunc(events, func(e int) bool { return e > x && e <= x+n })
				}
				if hit(x, controls[s]) || sendX[d] > 0 && hit(sendX[d], mine) {
					continue
				}
				sendX[s], controls[d] = x, mine
				p.send(s, x, n)
				p.receive(s, d, x, n, dataBase+4*n*round)
				break
			}
		}
	}
	m := p.machine()
	b.ResetTimer()
	benchmarkRun(b, m, rounds*tiles)
}

// BenchmarkMulticast runs a phase that stores 100 M words: every tile sends 750
// words to the 91 others of its group.
func BenchmarkMulticast(b *testing.B) {
	const group, n, pitch = 92, 750, 1300
	p := newPhase(b)
	for round := range group {
		x := 100 + round*pitch
		for first := 0; first < device.NumTiles; first += group {
			s := first + round
			p.send(s, x, n)
			for d := first; d < first+group; d++ {
				if d != s {
					p.receive(s, d, x, n, dataBase)
				}
			}
		}
	}
	m := p.machine()
	b.ResetTimer()
	benchmarkRun(b, m, device.NumTiles)
}
