package cost

// SeedTraffic is the load of a set of exchange phases on its endpoints:
// outgoing bytes and fragments by tile pair, incoming by tile (reference:
// costmodel.md §3).
type SeedTraffic struct {
	out, in []seedLoad
}

type seedLoad struct{ bytes, fragments int64 }

func (l *seedLoad) add(bytes, fragments int64) {
	l.bytes += bytes
	l.fragments += fragments
}

// NewSeedTraffic is the empty traffic between tiles 0…tiles−1.
func NewSeedTraffic(tiles int) *SeedTraffic {
	return &SeedTraffic{out: make([]seedLoad, (tiles+1)/2), in: make([]seedLoad, tiles)}
}

// Send adds what a tile sends; a region counts once however many tiles receive it.
func (t *SeedTraffic) Send(tile int, bytes, fragments int64) { t.out[tile/2].add(bytes, fragments) }

// Receive adds what a tile receives.
func (t *SeedTraffic) Receive(tile int, bytes, fragments int64) { t.in[tile].add(bytes, fragments) }

func mostLoaded(loads []seedLoad) (most seedLoad) {
	for _, l := range loads {
		most.bytes = max(most.bytes, l.bytes)
		most.fragments = max(most.fragments, l.fragments)
	}
	return most
}

// PairOut is the most bytes a pair sends, TileIn the most a tile receives.
func (t *SeedTraffic) PairOut() int64 { return mostLoaded(t.out).bytes }
func (t *SeedTraffic) TileIn() int64  { return mostLoaded(t.in).bytes }

// Payload is the bytes through the busiest endpoint.
func (t *SeedTraffic) Payload() int64 { return max(t.PairOut(), t.TileIn()) }

// Chunks is the row memory unit count of the traffic in the given phases.
func (t *SeedTraffic) Chunks(phases int64) int64 {
	return SeedChunks(t.Payload(), max(mostLoaded(t.out).fragments, mostLoaded(t.in).fragments), phases)
}

// SeedExchange is the cycles of phases exchange phases with the given payload in
// bytes; none without payload (reference: costmodel.md §3).
func SeedExchange(payload, phases int64) int64 {
	if payload == 0 || phases == 0 {
		return 0
	}
	return ceilDiv(payload, seedPayloadRate) + SeedSync*phases
}

// SeedChunks is the chunk count of a phase set whose busiest endpoints have
// payload bytes and fragments pieces.
func SeedChunks(payload, fragments, phases int64) int64 {
	return max(ceilDiv(payload, seedTransfer), fragments, phases)
}

// SeedRowBytes is the memory reserved on every tile for the exchange rows of an
// operation (reference: costmodel.md §8).
func SeedRowBytes(phases, chunks int64) int64 { return (phases + chunks*seedRowChunkWords) * 4 }

// SeedTransfers is the number of single transfers that bytes take.
func SeedTransfers(bytes int64) int64 { return ceilDiv(bytes, seedTransfer) }
