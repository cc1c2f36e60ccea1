package exchange

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// EncodePhase encodes the rows of all tiles, indexed by logical tile; nil marks
// a tile that takes no part. The result does not depend on the number of
// processors. The error names phase and tile (the lowest one that fails) and
// wraps what TileStreams or EncodeTile found.
func EncodePhase(p *Problem, s *Schedule) ([][]uint32, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := checkStarts(p, s); err != nil {
		return nil, err
	}
	if len(s.TileHorizon) != p.Tiles {
		return nil, fmt.Errorf("exchange: phase %d: %d tile horizons for %d tiles", p.Phase, len(s.TileHorizon), p.Tiles)
	}
	roles := NewRoles(p)
	rows := make([][]uint32, p.Tiles)
	errs := make([]error, p.Tiles)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), p.Tiles) {
		wg.Go(func() {
			var stream TileStream
			for t := int(next.Add(1)) - 1; t < p.Tiles; t = int(next.Add(1)) - 1 {
				rows[t], errs[t] = roles.encode(t, s, &stream)
			}
		})
	}
	wg.Wait()
	for t, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("exchange: phase %d, tile %d: %w", p.Phase, t, err)
		}
	}
	return rows, nil
}

func (r *Roles) encode(t int, s *Schedule, stream *TileStream) ([]uint32, error) {
	if err := r.Tile(t, s.Start, stream); err != nil {
		return nil, err
	}
	if h := s.TileHorizon[t]; h != stream.Horizon {
		return nil, &RowError{"R14", h, fmt.Sprintf("the schedule's horizon is %d, its messages need %d", h, stream.Horizon)}
	}
	if stream.Horizon == 0 {
		return nil, nil
	}
	return encodeTile(stream.Sends, stream.Controls, stream.Horizon, stream.Begun > 0)
}
