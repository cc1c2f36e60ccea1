package image

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/kernels"
	"ipusolve/lower"
)

// Filler stands in the place of routines. It is no instruction, so that running
// into a symbol is error 12 (reference: simulator.md §5).
const Filler uint32 = 0xcccccccc

const readExecute = ipuexe.FlagRead | ipuexe.FlagExecute

// image is what a tile is loaded with: segments by address.
func (e *emitter) image(tile int) (ipuexe.TileImage, error) {
	offsets, rowBytes := lower.RowOffsets(e.rows, tile)
	rowAt := make([]uint32, len(offsets))
	for id, at := range offsets {
		rowAt[id] = e.m.RowTable.Start + at
	}
	code, err := e.code(tile, rowAt)
	if err != nil {
		return ipuexe.TileImage{}, err
	}
	if room := e.m.Code.End - e.m.Code.Start; uint32(4*len(code)) > room {
		return ipuexe.TileImage{}, fmt.Errorf("code of %d bytes in an area of %d", 4*len(code), room)
	}
	var stub coder
	stub.emit(jump(e.m.Code.Start)...)
	if stub.err != nil {
		return ipuexe.TileImage{}, stub.err
	}
	segments := []ipuexe.Segment{
		segment(device.EntryStub, wordBytes(stub.words), readExecute),
		segment(e.m.Code.Start, wordBytes(code), readExecute),
		// The state is zero at first and belongs to the runtime.
		{Address: device.CompletionWord, MemorySize: device.RuntimeEnd - device.CompletionWord, Flags: ipuexe.FlagRead | ipuexe.FlagWrite},
	}
	if rowBytes > 0 {
		segments = append(segments, segment(e.m.RowTable.Start, e.rowTable(tile, offsets, rowBytes), readExecute))
	}
	segments = append(segments, e.symbols(tile)...)
	segments = append(segments, e.constants[tile]...)
	slices.SortFunc(segments, func(a, b ipuexe.Segment) int { return cmp.Compare(a.Address, b.Address) })
	return ipuexe.TileImage{PhysicalTile: physical(tile), EntryPoint: device.EntryStub, Segments: segments}, nil
}

func segment(addr uint32, data []byte, flags ipuexe.Flags) ipuexe.Segment {
	return ipuexe.Segment{Address: addr, MemorySize: uint32(len(data)), Data: data, Flags: flags}
}

func wordBytes(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// rowTable is the tile's rows at their offsets.
func (e *emitter) rowTable(tile int, offsets []uint32, size uint32) []byte {
	table := make([]byte, size)
	for id, at := range offsets {
		row := e.rows[id][tile]
		if len(row) == 0 {
			row = returnRow
		}
		for i, w := range row {
			binary.LittleEndian.PutUint32(table[at+4*uint32(i):], w)
		}
	}
	return table
}

// returnRow is the row of a tile that takes no part: br m10.
var returnRow = func() []uint32 {
	w, err := device.Return().Encode()
	if err != nil {
		panic(err)
	}
	return w
}()

// fillerBytes is as much filler as any image needs at a time.
var fillerBytes = bytes.Repeat(binary.LittleEndian.AppendUint32(nil, Filler), (device.ExecutableEnd-device.SRAMBase)/4)

// constants are the segments, by logical tile, of identity weights, which are part
// of the image.
func constants(prog *lower.Program) [][]ipuexe.Segment {
	list := make([][]ipuexe.Segment, len(prog.Tiles))
	for i := range prog.Items {
		if it := &prog.Items[i]; it.Kind == lower.ItemIdentity {
			list[it.Tile] = append(list[it.Tile], segment(it.Addr, kernels.Identity(int(it.Bytes)/kernels.IdentityBlock), ipuexe.FlagRead))
		}
	}
	return list
}

// symbols are the routines the tile calls, one segment for each run of
// neighbours.
func (e *emitter) symbols(tile int) []ipuexe.Segment {
	called := map[kernels.Spec]bool{}
	for _, s := range lower.RuntimeSpecs() {
		called[s] = true
	}
	for i := range e.prog.Tiles[tile] {
		if w := &e.prog.Tiles[tile][i]; w.Kind == lower.WorkCall {
			called[w.Spec] = true
		}
	}
	var list []ipuexe.Segment
	for _, s := range e.m.Symbols {
		if !called[s.Spec] {
			continue
		}
		n := uint32(s.Spec.CodeBytes())
		if k := len(list) - 1; k >= 0 && s.Addr-(list[k].Address+list[k].MemorySize) < 8 { // alignment only
			n += s.Addr - list[k].Address
			list[k].MemorySize, list[k].Data = n, fillerBytes[:n]
			continue
		}
		list = append(list, segment(s.Addr, fillerBytes[:n], readExecute))
	}
	return list
}
