package check

import (
	"fmt"
	"slices"

	"ipusolve/device"
)

// access is a read or write of a byte range by one message, in tile events.
type access struct {
	message    int32
	lo, hi     uint32 // bytes
	begin, end int32  // cycles [x, x+n) of a send; events [π, π+n) of a receive
	write      bool
}

// accesses lists what the tile's messages touch, in program order. A message
// with several source addresses reads all of them, since each belongs to a
// repeat iteration.
func (c *checker) accesses(roles []role) []access {
	list := make([]access, 0, len(roles))
	for _, r := range roles {
		m := &c.p.Messages[r.message]
		x, bytes := c.start[r.message], 4*uint32(m.Words)
		switch r.dest {
		case sender:
			for _, a := range m.SourceAddrs {
				list = append(list, access{r.message, a, a + bytes, x, x + items(m), false})
			}
		case partner:
		default:
			in := receiveOf(c.p, r.message, m.Dests[r.dest], x)
			list = append(list, access{r.message, in.addr, in.addr + bytes, in.pointer, in.writeEnd(), true})
		}
	}
	return list
}

// memory is R9 on one tile.
func (c *checker) memory(tile int, roles []role) *Violation {
	list := c.accesses(roles)
	if !meet(list) {
		return nil
	}
	return c.order(tile, list)
}

// meet tells whether any byte is written and accessed a second time.
func meet(list []access) bool {
	order := make([]uint64, len(list)) // by first byte; numbers sort faster than structs
	for k := range list {
		order[k] = uint64(list[k].lo)<<32 | uint64(k)
	}
	slices.Sort(order)
	var any, written uint32 // ends of the ranges so far
	for _, key := range order {
		a := &list[uint32(key)]
		if a.lo < written || a.write && a.lo < any {
			return true
		}
		any = max(any, a.hi)
		if a.write {
			written = max(written, a.hi)
		}
	}
	return false
}

// cell is a byte range that no access covers in part, with the accesses so far
// in program order that a later one has to wait for. Earlier ones need no
// record: each access waits for those before it, so the distances add up.
type cell struct {
	writer, reader   int32 // message + 1; 0 = none
	written, readEnd int32
}

// cutCells makes the cells of the accesses; cuts holds their first bytes and
// ends with the last cell's end.
func cutCells(list []access) (cuts []uint32, cells []cell) {
	for _, a := range list {
		cuts = append(cuts, a.lo, a.hi)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	return cuts, make([]cell, len(cuts))
}

// order walks the accesses in program order.
func (c *checker) order(tile int, list []access) *Violation {
	cuts, cells := cutCells(list)
	for _, a := range list {
		first, _ := slices.BinarySearch(cuts, a.lo)
		for i := first; cuts[i] < a.hi; i++ {
			e := &cells[i]
			fault := func(other int32, format string, args ...any) *Violation {
				return c.violation(tile, R9, max(a.begin, 0), a.message, "address %#x: "+format+" (message %d)",
					append(append([]any{cuts[i]}, args...), other-1)...)
			}
			switch {
			case !a.write && e.writer != 0 && a.begin < e.written+guard:
				return fault(e.writer, "read from cycle %d, but written until event %d and %d for the guard", a.begin, e.written-1, guard)
			case a.write && e.writer != 0 && a.begin < e.written:
				return fault(e.writer, "written from event %d, but written by an earlier message until event %d", a.begin, e.written-1)
			case a.write && e.reader != 0 && a.begin < e.readEnd:
				return fault(e.reader, "written from event %d, but read until event %d", a.begin, e.readEnd)
			}
			if a.write {
				*e = cell{writer: a.message + 1, written: a.end}
			} else if e.reader == 0 || a.end > e.readEnd {
				e.reader, e.readEnd = a.message+1, a.end
			}
		}
	}
	return nil
}

// placement is R13, and the alignment that R12 needs: the row at the byte
// address, and the words the fetch reads ahead, share no element with data.
func (c *checker) placement(tile int, roles []role, addr uint32, words int) *Violation {
	if words == 0 {
		return nil
	}
	if addr%8 != 0 {
		return c.violation(tile, R12, -1, -1, "row at %#x, not a multiple of 8", addr)
	}
	if addr < device.SRAMBase || addr > device.ExecutableEnd || uint32(words)*4 > device.ExecutableEnd-addr {
		return c.violation(tile, R13, -1, -1, "row of %d words at %#x is not in executable memory", words, addr)
	}
	code := device.Elements(addr, uint32(words)*4+device.FetchGuard)
	for _, r := range roles {
		m := &c.p.Messages[r.message]
		data := device.ElementSet(0)
		switch r.dest {
		case sender:
			for _, a := range m.SourceAddrs {
				data |= device.Elements(a, 4*uint32(m.Words))
			}
		case partner:
		default:
			data = device.Elements(m.Dests[r.dest].Addr, 4*uint32(m.Words))
		}
		if data&code != 0 {
			return c.violation(tile, R13, -1, r.message, "%s shares an element with the row at %#x", roleName(r), addr)
		}
	}
	return nil
}

func roleName(r role) string {
	if r.dest == sender {
		return "source data"
	}
	return fmt.Sprintf("destination %d", r.dest)
}
