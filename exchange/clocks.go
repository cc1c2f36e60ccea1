package exchange

// clocks are one offset per send lane and one per source selector that make
// routes look instant: x + send[s] ≈ σ + receive[d] for the messages there are.
// The delay of a route is mostly a sum of a sender and a receiver term, so one
// time axis for all machines exists up to a few events (reference: exchange.md
// §12, clock shift). It only ranks messages; starts never depend on it.
type clocks struct{ send, receive []int32 }

// newClocks fits the offsets by alternating means over the messages of each
// machine.
func newClocks(in *instance) clocks {
	const rounds = 8
	c := clocks{make([]int32, in.p.Tiles), make([]int32, in.p.Tiles)}
	sum, count := make([]int64, in.p.Tiles), make([]int64, in.p.Tiles)
	mean := func(out []int32) {
		for t := range out {
			if count[t] > 0 {
				out[t] = int32(floorDiv(2*sum[t]+count[t], 2*count[t]))
			}
			sum[t], count[t] = 0, 0
		}
	}
	for range rounds {
		for i := range in.items {
			s := in.source[i]
			for k := in.first[i]; k < in.first[i+1]; k++ {
				sum[s] += int64(in.arrival(k) + c.receive[in.tile[k]])
				count[s]++
			}
		}
		mean(c.send)
		for i := range in.items {
			s := in.source[i]
			for k := in.first[i]; k < in.first[i+1]; k++ {
				d := in.tile[k]
				sum[d] += int64(c.send[s] - in.arrival(k))
				count[d]++
			}
		}
		mean(c.receive)
	}
	return c
}

// arrival is when the first word of receive k passes the selector, after the
// message's start.
func (in *instance) arrival(k int32) int32 { return in.write[k] - in.delay[in.tile[k]] }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
