package ipusolve

import (
	"ipusolve/exchange"
)

// reportPhase says what is known of a scheduled phase. Where the schedule chose
// widths, the bound holds for any; where it uses a freedom, for all schedules under it.
func reportPhase(p *exchange.Problem, s *exchange.Schedule, method string) PhaseReport {
	open := s.Paired != nil
	bounded := p.WithFreedom(s.Freedom)
	if open {
		bounded = bounded.Opened()
	}
	p = p.Chosen(s)
	bound := exchange.Best(bounded)
	r := PhaseReport{Phase: p.Phase, Transfers: len(p.Messages), Endpoint: exchange.EndpointBound(p),
		Bound: bound.Horizon, BoundKind: string(bound.Witness.Kind), Witness: bound.Witness, Horizon: s.Horizon,
		Status: statusWord(int64(s.Horizon), int64(bound.Horizon)), Gap: gap(int64(s.Horizon), int64(bound.Horizon)), Method: method, OpenWidths: open, Freedom: s.Freedom}
	for i := range p.Messages {
		r.Destinations += len(p.Messages[i].Dests)
		if p.Messages[i].Paired {
			r.Paired++
		}
	}
	return r
}

// rowWords is the length of the longest row, return included.
func rowWords(rows [][]uint32) int {
	n := 0
	for _, r := range rows {
		n = max(n, len(r))
	}
	return n
}
