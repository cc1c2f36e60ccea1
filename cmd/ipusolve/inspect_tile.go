package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
)

// tileView is one tile's image and program.
type tileView struct {
	Tile     int           `json:"tile"`
	Physical uint32        `json:"physical"`
	Entry    uint32        `json:"entry"`
	Segments []segmentView `json:"segments"`
	Steps    []stepView    `json:"steps"`
	Code     string        `json:"code,omitempty"` // disassembled
}

type segmentView struct {
	Address uint32 `json:"address"`
	Size    uint32 `json:"size"`
	Loaded  int    `json:"loaded"`
	Flags   string `json:"flags"`
}

type stepView struct {
	Step      uint32            `json:"step"`
	Kind      string            `json:"kind"`
	Operation string            `json:"operation"`
	Kernel    string            `json:"kernel,omitempty"`
	Events    uint32            `json:"events,omitempty"`
	Metadata  map[string]uint32 `json:"metadata,omitempty"`
}

var stepKinds = map[ipuexe.StepKind]string{ipuexe.StepExchange: "exchange", ipuexe.StepCompute: "compute",
	ipuexe.StepSynchronization: "synchronization", ipuexe.StepIdle: "idle"}

func (l *loaded) tile(image *ipuexe.TileImage, disassemble bool) *tileView {
	v := &tileView{Tile: device.Logical(int(image.PhysicalTile)), Physical: image.PhysicalTile, Entry: image.EntryPoint}
	for i := range image.Segments {
		s := &image.Segments[i]
		v.Segments = append(v.Segments, segmentView{s.Address, s.MemorySize, len(s.Data), flagText(s.Flags)})
	}
	for i := range l.app.ProfileTiles {
		if l.app.ProfileTiles[i].PhysicalTile != image.PhysicalTile {
			continue
		}
		for _, s := range l.app.ProfileTiles[i].Steps {
			step := stepView{s.LocalIndex, stepKinds[s.Kind], s.Operation, s.Kernel, s.ExchangeEventCycles, nil}
			for _, m := range s.Metadata {
				if step.Metadata == nil {
					step.Metadata = map[string]uint32{}
				}
				step.Metadata[m.Name] = m.Value
			}
			v.Steps = append(v.Steps, step)
		}
	}
	if disassemble {
		v.Code = l.disassembly(image)
	}
	return v
}

func flagText(f ipuexe.Flags) string {
	text := []byte("---")
	for i, c := range []byte("rwx") {
		if f>>i&1 != 0 {
			text[i] = c
		}
	}
	return string(text)
}

// disassembly lists executable segments. Routines, whose bytes are no
// instructions, are named only; call targets get their names.
func (l *loaded) disassembly(image *ipuexe.TileImage) string {
	names := map[uint32]string{}
	for _, s := range l.app.DebugSymbols {
		names[s.Address] = s.Name
	}
	var b strings.Builder
	for i := range image.Segments {
		s := &image.Segments[i]
		if s.Flags&ipuexe.FlagExecute == 0 {
			continue
		}
		fmt.Fprintf(&b, "segment %#x, %d bytes\n", s.Address, s.MemorySize)
		if _, routine := names[s.Address]; routine {
			for _, y := range l.app.DebugSymbols {
				if y.Address >= s.Address && y.Address-s.Address < s.MemorySize {
					fmt.Fprintf(&b, "%05x  routine %s\n", y.Address, y.Name)
				}
			}
			continue
		}
		words := make([]uint32, len(s.Data)/4)
		for k := range words {
			words[k] = binary.LittleEndian.Uint32(s.Data[4*k:])
		}
		for line := range strings.Lines(device.Disassemble(words, s.Address)) {
			b.WriteString(nameTarget(line, names))
		}
	}
	return b.String()
}

// nameTarget adds the name of a called routine to a line of disassembly.
func nameTarget(line string, names map[uint32]string) string {
	_, target, call := strings.Cut(line, "call m")
	if !call {
		return line
	}
	_, text, _ := strings.Cut(strings.TrimSpace(target), ", 0x")
	address, err := strconv.ParseUint(text, 16, 32)
	if name := names[uint32(address)]; err == nil && name != "" {
		return strings.TrimRight(line, "\n") + "  ; " + name + "\n"
	}
	return line
}

func (v *tileView) print(w io.Writer) {
	fmt.Fprintf(w, "tile %d, physical %d, entry %#x\n\nsegment\tbytes\tloaded\tflags\n", v.Tile, v.Physical, v.Entry)
	for _, s := range v.Segments {
		fmt.Fprintf(w, "%#x\t%d\t%d\t%s\n", s.Address, s.Size, s.Loaded, s.Flags)
	}
	fmt.Fprint(w, "\nstep\tkind\toperation\tkernel\tevents\tsent\treceived\n")
	for _, s := range v.Steps {
		if s.Kind == stepKinds[ipuexe.StepExchange] {
			fmt.Fprintf(w, "%d\t%s\t%s\t-\t%d\t%d\t%d\n", s.Step, s.Kind, s.Operation, s.Events, s.Metadata[ipuexe.SentWords], s.Metadata[ipuexe.ReceivedWords])
		} else {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t-\t-\t-\n", s.Step, s.Kind, s.Operation, s.Kernel)
		}
	}
	if v.Code != "" {
		fmt.Fprintf(w, "\n%s", v.Code)
	}
}

// rowView is a tile's row in one phase.
type rowView struct {
	Tile    int    `json:"tile"`
	Address uint32 `json:"address"`
	Words   int    `json:"words"`
	Events  int64  `json:"events"`
	Code    string `json:"code,omitempty"` // disassembled, of one tile only
}

// rows lists the rows of a phase: of every tile that takes part, or word by word
// of one tile.
func (l *loaded) rows(phase int, only *ipuexe.TileImage) ([]rowView, error) {
	if phase < 0 || phase >= len(l.report.Exchange) {
		return nil, usageError("inspect: --phase: the package has %d phases, found %d", len(l.report.Exchange), phase)
	}
	list := []rowView{}
	for i := range l.app.Tiles {
		image := &l.app.Tiles[i]
		if only != nil && image.PhysicalTile != only.PhysicalTile {
			continue
		}
		rows, err := ipusolve.Rows(l.app, i)
		tile := device.Logical(int(image.PhysicalTile))
		if err != nil {
			return nil, fmt.Errorf("%s: tile %d: %w", l.path, tile, err)
		}
		if phase >= len(rows) {
			return nil, fmt.Errorf("%s: tile %d has %d exchange steps, the report %d phases", l.path, tile, len(rows), len(l.report.Exchange))
		}
		r := &rows[phase]
		v := rowView{Tile: tile, Address: r.Address, Words: len(r.Words)}
		for at := 0; at < len(r.Words); {
			in, n, err := device.Decode(r.Words[at:])
			if err != nil {
				return nil, fmt.Errorf("%s: tile %d: %w", l.path, tile, err)
			}
			if in.IsExchange() {
				v.Events += int64(in.N)
			}
			at += n
		}
		if only != nil {
			v.Code = device.Disassemble(r.Words, r.Address)
		}
		if only != nil || r.Active {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b rowView) int { return cmp.Compare(a.Tile, b.Tile) })
	return list, nil
}

func printRows(w io.Writer, rows []rowView) {
	fmt.Fprint(w, "\ntile\trow\twords\tevents\n")
	for _, r := range rows {
		fmt.Fprintf(w, "%d\t%#x\t%d\t%d\n", r.Tile, r.Address, r.Words, r.Events)
	}
	for _, r := range rows {
		if r.Code != "" {
			fmt.Fprintf(w, "\n%s", r.Code)
		}
	}
}

// memoryView is one named range.
type memoryView struct {
	Start    uint32 `json:"start"`
	End      uint32 `json:"end"`
	Elements string `json:"elements"`
	Name     string `json:"name"`
}

// memory lists what lies where: regions common to all tiles, and with an image
// its own regions and bindings.
func (l *loaded) memory(image *ipuexe.TileImage) []memoryView {
	list := []memoryView{}
	add := func(start, size uint32, name string) {
		list = append(list, memoryView{start, start + size, elementText(device.Elements(start, size)), name})
	}
	for _, r := range l.app.DebugRegions {
		if r.PhysicalTile == ipuexe.AllTiles || image != nil && r.PhysicalTile == image.PhysicalTile {
			add(r.Address, r.Size, r.Name)
		}
	}
	if image != nil {
		for _, x := range []struct {
			role string
			list []ipuexe.Binding
		}{{"input", l.app.Inputs}, {"weight", l.app.Weights}, {"output", l.app.Outputs}} {
			for i := range x.list {
				for _, s := range x.list[i].Slices {
					if s.Tile == image.PhysicalTile {
						add(s.TileAddress, uint32(s.Size), "binding "+x.role+" "+x.list[i].Name)
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b memoryView) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return list
}

// elementText names the elements S19..S31 and I0.. of a set.
func elementText(set device.ElementSet) string {
	name := func(e int) string {
		if e >= 32 {
			return fmt.Sprintf("I%d", e-32)
		}
		return fmt.Sprintf("S%d", e)
	}
	if set == 0 {
		return "-"
	}
	first, last := bits.TrailingZeros64(uint64(set)), bits.Len64(uint64(set))-1
	if first == last {
		return name(first)
	}
	return name(first) + "-" + name(last)
}

func printMemory(w io.Writer, list []memoryView) {
	fmt.Fprint(w, "\nstart\tend\tbytes\telements\tname\n")
	for _, m := range list {
		fmt.Fprintf(w, "%#x\t%#x\t%d\t%s\t%s\n", m.Start, m.End, m.End-m.Start, m.Elements, m.Name)
	}
}
