package lower

import (
	"fmt"
	"sync"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Rows are reserved for schedules of at most horizonFactor times the endpoint
// bound plus horizonSlack events, so far from any that a list scheduler finds
// (the worst of the reference's reaches 13 times the bound) that a word a
// thousand events is all it costs.
const (
	horizonFactor = 16
	horizonSlack  = 4096
)

// maxRowBytes bounds the bytes of rows of any tile by exchange.RowBound, for
// every schedule of the horizon above.
func maxRowBytes(prog *Program) int {
	bounds := make([][]int, len(prog.Phases))
	var wg sync.WaitGroup
	for id := range prog.Phases {
		wg.Go(func() {
			p := prog.Exchange(id)
			bounds[id] = exchange.RowBounds(p, horizonFactor*exchange.EndpointBound(p)+horizonSlack)
		})
	}
	wg.Wait()
	most := 0
	for t := range prog.Tiles {
		_, n := rowOffsets(len(bounds), func(id int) int { return bounds[id][t] })
		most = max(most, int(n))
	}
	return most
}

// RowOffsets lays out the rows of a tile: rows[phase][tile] are its words, none
// for a tile that takes no part. at[phase] is the byte offset of the row in the
// row table, bytes the end of the last. Rows are 8-byte aligned and in phase order;
// phases without a row share a row of one word, the return.
func RowOffsets(rows [][][]uint32, tile int) (at []uint32, bytes uint32) {
	return rowOffsets(len(rows), func(id int) int { return len(rows[id][tile]) })
}

func rowOffsets(phases int, words func(id int) int) (at []uint32, bytes uint32) {
	at = make([]uint32, phases)
	shared := -1
	for id := range phases {
		n := words(id)
		if n == 0 {
			if shared >= 0 {
				at[id] = at[shared]
				continue
			}
			shared, n = id, 1
		}
		at[id] = alignUp(bytes, codeAlign)
		bytes = at[id] + 4*uint32(n)
	}
	return at, bytes
}

// CheckReserve verifies that the rows of all tiles fit into the map's row table
// with the instruction fetch's look-ahead behind them. A *ReserveError tells
// what ReserveOptions.RowBytes must be raised to.
func CheckReserve(prog *Program, m MemoryMap, rows [][][]uint32) error {
	if len(rows) != len(prog.Phases) {
		return fmt.Errorf("lower: rows of %d phases for a program of %d", len(rows), len(prog.Phases))
	}
	for id := range rows {
		if len(rows[id]) != len(prog.Tiles) {
			return fmt.Errorf("lower: phase %d: rows of %d tiles for a program of %d", id, len(rows[id]), len(prog.Tiles))
		}
	}
	need, tile := 0, -1
	for t := range prog.Tiles {
		if _, n := RowOffsets(rows, t); int(n) > need {
			need, tile = int(n), t
		}
	}
	have := max(0, int(m.RowTable.End-m.RowTable.Start)-device.FetchGuard)
	if need > have {
		return &ReserveError{What: RowTable, Tile: tile, Need: need, Have: have}
	}
	return nil
}
