package kernels

import "encoding/binary"

// reduce sets out to ((initial + remote 0) + remote 1) + …, each sum narrowed
// (reference: kernels.md §6.2). out and initial hold F16 values, remote a whole
// number of arrays of that size; out may be initial or any of the remotes.
func reduce(out, initial, remote []byte) {
	const chunk = 64 // elements held in float32 at a time
	var sum [chunk]float32
	for at := 0; at < len(out); at += 2 * chunk {
		part := sum[:min(chunk, (len(out)-at)/2)]
		loadHalves(part, initial[at:])
		for from := at; from < len(remote); from += len(out) {
			add := remote[from:][:2*len(part)]
			for i, x := range part {
				part[i] = narrow(x + widen(binary.LittleEndian.Uint16(add[2*i:])))
			}
		}
		storeHalves(out[at:], part)
	}
}
