package lower

import "ipusolve/exchange"

// Exchange states a phase as a scheduling problem: one 32-bit message per
// transfer, with the addresses that Place gave to its items.
func (p *Program) Exchange(phase int) *exchange.Problem {
	transfers := p.Phases[phase].Transfers
	dests := 0
	for i := range transfers {
		dests += len(transfers[i].Dests)
	}
	prob := &exchange.Problem{Phase: phase, Tiles: len(p.Tiles), Messages: make([]exchange.Message, len(transfers))}
	addrs := make([]uint32, len(transfers))
	list := make([]exchange.Dest, 0, dests)
	for i := range transfers {
		t := &transfers[i]
		addrs[i] = p.Address(t.Source)
		first := len(list)
		for _, d := range t.Dests {
			list = append(list, exchange.Dest{Tile: p.Items[d.Item].Tile, Addr: p.Address(d)})
		}
		prob.Messages[i] = exchange.Message{
			Source:      p.Items[t.Source.Item].Tile,
			SourceAddrs: addrs[i : i+1 : i+1],
			Dests:       list[first:len(list):len(list)],
			Words:       t.Words,
		}
	}
	return prob
}

// Address is the SRAM address of a position after Place.
func (p *Program) Address(r Ref) uint32 { return p.Items[r.Item].Addr + r.Offset }

// ArgValues resolves the arguments of a call to register values after Place.
func (p *Program) ArgValues(w *Work) []uint32 {
	v := make([]uint32, len(w.Args))
	for i, a := range w.Args {
		v[i] = a.Value
		if a.Item >= 0 {
			v[i] += p.Items[a.Item].Addr
		}
	}
	return v
}
