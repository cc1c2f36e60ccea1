package exchange

import (
	"slices"
)

// trains numbers the sets of messages that are interchangeable: same sender,
// receivers and length, and the same elements on every tile where R7 matters. At
// any time all of them have the same earliest start, and as one is placed behind
// the other they never wait for each other, whatever the lags (reference:
// exchange.md §12). Lists of 10⁵ messages have some 10⁴ trains, so it pays to
// look at one message of each. A message that takes part in an R9 dependency is
// alone.
//
// The result gives the train of every message; trains are numbered by their
// first message.
func (in *instance) trains() (of []int32, count int) {
	of = make([]int32, len(in.items))
	// first is the first message of the train with a hash. Of two trains with the
	// same hash the later one falls apart, which costs time only.
	first := make(map[uint64]int32, len(in.items)/4)
	for i := range of {
		i := int32(i)
		if !in.pinned(i) {
			h := in.trainHash(i)
			if j, ok := first[h]; !ok {
				first[h] = i
			} else if in.alike(i, j) {
				of[i] = of[j]
				continue
			}
		}
		of[i] = int32(count)
		count++
	}
	return of, count
}

// trainHash is equal for messages that are alike.
func (in *instance) trainHash(i int32) uint64 {
	h := uint64(in.source[i])<<32 | uint64(in.items[i])
	for _, d := range in.tile[in.first[i]:in.first[i+1]] {
		h = (h ^ h>>29 ^ uint64(d)) * 0x9e3779b97f4a7c15
	}
	return h
}

func (in *instance) alike(i, j int32) bool {
	a, b := in.first[i], in.first[j]
	tiles := in.tile[a:in.first[i+1]]
	if in.source[i] != in.source[j] || in.items[i] != in.items[j] || in.wide.paired(i) != in.wide.paired(j) || !slices.Equal(tiles, in.tile[b:in.first[j+1]]) {
		return false
	}
	if in.shared[in.source[i]] && in.read[i] != in.read[j] {
		return false
	}
	for k, d := range tiles {
		if in.shared[d] && in.wrote[a+int32(k)] != in.wrote[b+int32(k)] {
			return false
		}
	}
	return true
}
