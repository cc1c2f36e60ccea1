package ipusolve_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/exchange"
)

// FuzzRows follows code that nobody emitted: rows or an error, never a panic.
func FuzzRows(f *testing.F) {
	c := compileSmall(f)
	for _, s := range c.Package.Tiles[0].Segments {
		if s.Address == c.Map.Code.Start || s.Address == c.Map.RowTable.Start {
			f.Add(s.Data)
		}
	}
	jump := append(device.LoadConst(device.M0, device.CodeBase), binary.LittleEndian.Uint32([]byte{0, 0, 0, 0x43}))
	f.Add(words(jump)) // to itself, for ever
	symbols := c.Package.DebugSymbols
	f.Fuzz(func(t *testing.T, code []byte) {
		app := &ipuexe.Application{DebugSymbols: symbols, Tiles: []ipuexe.TileImage{{EntryPoint: device.CodeBase, Segments: []ipuexe.Segment{
			{Address: device.CodeBase, MemorySize: uint32(len(code)), Data: code, Flags: ipuexe.FlagRead | ipuexe.FlagExecute}}}}}
		rows, err := ipusolve.Rows(app, 0)
		for _, r := range rows {
			if len(r.Words) == 0 || err != nil {
				t.Errorf("row %+v with error %v", r, err)
			}
		}
	})
}

// FuzzReadSchedule reads and checks schedule files that nobody wrote.
func FuzzReadSchedule(f *testing.F) {
	snap := &exchange.Snapshot{Tiles: 4, Phases: []*exchange.Problem{{Tiles: 4, Messages: []exchange.Message{
		{Source: 0, SourceAddrs: []uint32{0x60000}, Words: 3, Dests: []exchange.Dest{{Tile: 1, Addr: 0x68000}, {Tile: 2, Addr: 0x68000}}}}}}}
	file, err := ipusolve.ScheduleSnapshot(context.Background(), snap, ipusolve.List{}, func(int, int) {})
	if err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := file.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := ipusolve.ReadSchedule(bytes.NewReader(text))
		if err != nil {
			return
		}
		ipusolve.VerifySchedule(file, nil)
		ipusolve.VerifySchedule(file, snap)
	})
}

// FuzzReadReport reads and checks reports that nobody wrote.
func FuzzReadReport(f *testing.F) {
	var b bytes.Buffer
	if err := compileSmall(f).Report.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := ipusolve.ReadReport(bytes.NewReader(text)); err == nil {
			ipusolve.VerifyReport(r)
		}
	})
}
