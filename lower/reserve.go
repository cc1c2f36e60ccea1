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
	// interleaved region (reference: simulator.md §9).
	MemoryLimit int
	// RowBytes raises the room for exchange rows to at least this many bytes,
	// after CheckReserve has found it wanting.
	RowBytes int
}

// ReserveError says that code or rows have too little room.
type ReserveError struct {
	// Area is "executable memory" if symbols, code and rows together do not fit
	// below 0x80000, "exchange rows" if the rows of a program exceed what was
	// reserved for them.
	Area string
	Tile int // with the most bytes of rows; -1 for executable memory
	// Need and Have are bytes. For rows Need is what ReserveOptions.RowBytes
	// must be raised to.
	Need, Have int
}

func (e *ReserveError) Error() string {
	where := ""
	if e.Tile >= 0 {
		where = fmt.Sprintf(" of tile %d", e.Tile)
	}
	return fmt.Sprintf("lower: %s%s: %d bytes needed, %d available", e.Area, where, e.Need, e.Have)
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
		r, err := x.take(s.CodeBytes())
		if err != nil {
			return MemoryMap{}, err
		}
		m.Symbols = append(m.Symbols, Symbol{Spec: s, Addr: r.Start})
	}
	sortSymbols(m.Symbols)
	var err error
	if m.Code, err = x.take(maxCodeBytes(prog)); err != nil {
		return MemoryMap{}, err
	}
	rows := max(maxRowBytes(prog), opt.RowBytes)
	if rows > 0 {
		rows += device.FetchGuard
	}
	if m.RowTable, err = x.take(rows); err != nil {
		return MemoryMap{}, err
	}
	if rows > 0 {
		// Nothing else may use the element: the rows get all of it.
		m.RowTable.End = x.close(m.RowTable)
	}
	m.Standard = x.data()
	m.InterleavedEnd = interleavedEnd(m.Standard, opt.MemoryLimit)
	return m, nil
}

// interleavedEnd ends region 1 where the memory limit is used up.
func interleavedEnd(standard []Range, limit int) uint32 {
	room := limit
	for _, r := range standard {
		room -= int(r.End - r.Start)
	}
	if limit == 0 || room >= device.InterleavedBytes {
		return device.LoaderEnd
	}
	return device.InterleaveBase + uint32(max(room, 0))/model.MemoryGranule*model.MemoryGranule
}

// executable hands out memory that instructions can be fetched from.
type executable struct {
	ranges [2]Range // what is free: Start moves up
	used   int
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
func (x *executable) take(n int) (Range, error) {
	x.used += n
	for i := range x.ranges {
		r := &x.ranges[i]
		if uint64(n) <= uint64(r.End-r.Start) {
			got := Range{r.Start, r.Start + uint32(n)}
			r.Start = min(alignUp(got.End, codeAlign), r.End)
			return got, nil
		}
	}
	return Range{}, &ReserveError{Area: "executable memory", Tile: -1, Need: x.used,
		Have: device.WindowBase - device.CodeBase + device.ExecutableEnd - device.SecondCodeBase}
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
