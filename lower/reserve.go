package lower

import (
	"fmt"

	"ipusolve/device"
	"ipusolve/model"
)

// ReserveOptions steers Reserve. The zero value reserves what is proven to do
// and leaves all the rest to data.
type ReserveOptions struct {
	// MemoryLimit is the data bytes of a tile; 0: all that are there. It ends the
	// interleaved region; the standard range stays and counts as
	// model.StandardShare, what planning takes it for before rows and code are
	// known (reference: simulator.md §9).
	MemoryLimit int
	// RowCap reserves at most this many bytes for exchange rows, 0: what is proven
	// to do. Real rows are often half as long as the bound; CheckReserve tells.
	RowCap int
	// RowBytes raises the room for exchange rows to at least this many bytes,
	// after CheckReserve has found it wanting.
	RowBytes int
}

// RowTable is ReserveError.What of exchange rows.
const RowTable = "exchange rows"

// ReserveError says that code or rows have too little room.
type ReserveError struct {
	// What found no room: a symbol's name, "code" or "exchange rows".
	What string
	// Tile has the most bytes of rows if those of a program exceed what was
	// reserved for them; Need is then what ReserveOptions.RowBytes must be raised
	// to. It is -1 if What does not fit into what is left of the executable memory.
	Tile       int
	Need, Have int // bytes in one piece
}

func (e *ReserveError) Error() string {
	if e.Tile >= 0 {
		return fmt.Sprintf("lower: %s of tile %d need %d bytes, %d are reserved", e.What, e.Tile, e.Need, e.Have)
	}
	return fmt.Sprintf("lower: %s of %d bytes: the largest piece of executable memory left has %d", e.What, e.Need, e.Have)
}

// Reserve fixes the address map of a program before its items are placed. All
// tiles share it (reference: lowering.md §8.5, device.md §4.1):
//
//	0x4c018  symbols, code, rows as far as they fit
//	0x50000  host window, not used
//	0x58000  runtime state
//	0x586e0  data
//	0x5c000  the rest of symbols, code, rows, up to the end of an element
//	    …    data
//	0x80000  interleaved data
//
// Symbols are all routines that some tile calls and those of the runtime. Code
// and each tile's rows take the most bytes any tile needs: code exactly, rows
// by an upper bound for every schedule of moderate horizon, which CheckReserve
// confirms. No data address shares an SRAM element with code or rows. Each
// part goes to the first of the two executable ranges that has room for it.
// The error is a *ReserveError.
func Reserve(prog *Program, opt ReserveOptions) (MemoryMap, error) {
	var m MemoryMap
	x := newExecutable()
	for _, s := range linkedSpecs(prog) {
		r, err := x.take(s.Symbol(), s.CodeBytes())
		if err != nil {
			return MemoryMap{}, err
		}
		m.Symbols = append(m.Symbols, Symbol{Spec: s, Addr: r.Start})
	}
	sortSymbols(m.Symbols)
	var err error
	if m.Code, err = x.take("code", maxCodeBytes(prog)); err != nil {
		return MemoryMap{}, err
	}
	rows := maxRowBytes(prog)
	if opt.RowCap > 0 {
		rows = min(rows, opt.RowCap)
	}
	if rows = max(rows, opt.RowBytes); rows > 0 {
		rows += device.FetchGuard
	}
	if m.RowTable, err = x.take(RowTable, rows); err != nil {
		return MemoryMap{}, err
	}
	if rows > 0 {
		// Nothing else may use the element: the rows get all of it.
		m.RowTable.End = x.close(m.RowTable)
	}
	m.Standard = x.data()
	m.InterleavedEnd = interleavedEnd(opt.MemoryLimit)
	return m, nil
}

// interleavedEnd ends region 1 where the memory limit is used up; planning makes
// the same division.
func interleavedEnd(limit int) uint32 {
	room := limit - model.StandardShare
	if limit == 0 || room >= device.InterleavedBytes {
		return device.LoaderEnd
	}
	return device.InterleaveBase + uint32(max(room, 0))/model.MemoryGranule*model.MemoryGranule
}

// executable hands out memory that instructions can be fetched from.
type executable struct {
	ranges [2]Range // what is free: Start moves up
}

// codeAlign aligns symbols, code and rows: sendpicp is fetched as 8 bytes.
const codeAlign = 8

func newExecutable() *executable {
	return &executable{ranges: [2]Range{
		{device.CodeBase, device.WindowBase},
		{device.SecondCodeBase, device.ExecutableEnd},
	}}
}

// take is the first free range of n bytes; its end is exact.
func (x *executable) take(what string, n int) (Range, error) {
	have := 0
	for i := range x.ranges {
		r := &x.ranges[i]
		free := int(r.End - r.Start)
		if n <= free {
			got := Range{r.Start, r.Start + uint32(n)}
			r.Start = min(alignUp(got.End, codeAlign), r.End)
			return got, nil
		}
		have = max(have, free)
	}
	return Range{}, &ReserveError{What: what, Tile: -1, Need: n, Have: have}
}

// close gives the rest of the element that the last range taken ends in to that
// range: its new end.
func (x *executable) close(last Range) uint32 {
	end := alignUp(last.End, device.StandardElement)
	i := 0
	if last.Start >= device.SecondCodeBase {
		i = 1
	}
	x.ranges[i].Start = end
	return end
}

// data is the standard memory that is left, in whole elements behind code.
func (x *executable) data() []Range {
	end := alignUp(x.ranges[1].Start, device.StandardElement)
	if end == device.SecondCodeBase {
		return []Range{{device.RuntimeEnd, device.ExecutableEnd}}
	}
	data := []Range{{device.RuntimeEnd, device.SecondCodeBase}}
	if end < device.ExecutableEnd {
		data = append(data, Range{end, device.ExecutableEnd})
	}
	return data
}
