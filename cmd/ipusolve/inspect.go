package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/model"
)

func inspectCommand() *cli.Command {
	return &cli.Command{
		Name:        "inspect",
		Usage:       "show what is in a package",
		ArgsUsage:   "OUT.ipuexe",
		Description: "Example:\n  ipusolve inspect mlp.ipuexe --tile 5 --disasm",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "tile", Usage: "show logical tile `N`: segments and steps"},
			&cli.BoolFlag{Name: "disasm", Usage: "list the tile's supervisor code and rows"},
			&cli.BoolFlag{Name: "memory", Usage: "show what lies where, on the tile or on all tiles alike"},
			&cli.IntFlag{Name: "phase", Usage: "show the rows of exchange phase `P`, with --tile word by word"},
			&cli.StringFlag{Name: "svg", Usage: "draw the memory of --tile over time as a picture in file `F`"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: inspect,
	}
}

func inspect(c *cli.Context) error {
	path, err := argument(c, "a package")
	if err != nil {
		return err
	}
	if c.Bool("disasm") && !c.IsSet("tile") {
		return usageError("inspect: --disasm lists the code of one tile; give --tile")
	}
	if c.IsSet("svg") && !c.IsSet("tile") {
		return usageError("inspect: --svg draws the memory of one tile; give --tile")
	}
	if c.IsSet("svg") {
		if err := checkOutputs("inspect", []output{{flag: "--svg", path: c.String("svg")}}, path); err != nil {
			return err
		}
	}
	l, err := loadPackage(path)
	if err != nil {
		return err
	}
	v := &inspection{Summary: summarise(l)}
	if c.IsSet("tile") {
		if v.image, err = l.image(c.Int("tile")); err != nil {
			return err
		}
		v.Tile = l.tile(v.image, c.Bool("disasm"))
	}
	if c.IsSet("phase") {
		if v.Rows, err = l.rows(c.Int("phase"), v.image); err != nil {
			return err
		}
	}
	if c.Bool("memory") {
		v.Memory = l.memory(v.image)
	}
	if v.image != nil && (c.Bool("memory") || c.IsSet("svg")) {
		if v.Map, err = l.memoryMap(c.Int("tile")); err != nil {
			return err
		}
		if out := c.String("svg"); out != "" {
			if err := writeFile(out, v.Map.svg); err != nil {
				return err
			}
		}
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, v)
	}
	return v.print(c.App.Writer)
}

// inspection is what was asked for; parts that were not are nil.
type inspection struct {
	Summary *packageSummary `json:"package"`
	Tile    *tileView       `json:"tile,omitempty"`
	Rows    []rowView       `json:"rows,omitempty"`
	Memory  []memoryView    `json:"memory,omitempty"`
	Map     *memoryMap      `json:"map,omitempty"`

	image *ipuexe.TileImage
}

type packageSummary struct {
	Compiler string                 `json:"compiler"`
	Tiles    int                    `json:"tiles"`
	Segments int                    `json:"segments"`
	Bytes    int                    `json:"bytes"` // that segments load
	Problem  problemView            `json:"problem"`
	Cycles   *ipusolve.Cycles       `json:"cycles,omitempty"`
	Bindings []bindingView          `json:"bindings"`
	Symbols  []symbolView           `json:"symbols"`
	Phases   []ipusolve.PhaseReport `json:"phases"`
}

type problemView struct {
	Graph       string `json:"graph"`
	Values      int    `json:"values"`
	Operations  int    `json:"operations"`
	Profile     string `json:"profile"`
	Inputs      string `json:"inputs"`
	Weights     string `json:"weights"`
	Outputs     string `json:"outputs"`
	Family      string `json:"family"`
	MemoryLimit int    `json:"memoryLimit"`
}

type bindingView struct {
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Shape  []uint32 `json:"shape"`
	Slices int      `json:"slices"`
	Bytes  uint64   `json:"bytes"`
}

type symbolView struct {
	Address uint32 `json:"address"`
	Name    string `json:"name"`
}

func summarise(l *loaded) *packageSummary {
	q := &l.plan.Problem
	s := &packageSummary{Compiler: l.app.CompilerVersion, Tiles: len(l.app.Tiles), Cycles: l.report.Cycles, Phases: l.report.Exchange,
		Problem: problemView{q.Graph.Name, len(q.Graph.Values), len(q.Graph.Ops), q.Profile, q.Inputs, q.Weights, q.Outputs, q.FamilyText(), q.MemoryLimit}}
	for i := range l.app.Tiles {
		for j := range l.app.Tiles[i].Segments {
			s.Segments++
			s.Bytes += len(l.app.Tiles[i].Segments[j].Data)
		}
	}
	for _, x := range []struct {
		role string
		list []ipuexe.Binding
	}{{model.RoleInput, l.app.Inputs}, {model.RoleWeight, l.app.Weights}, {model.RoleOutput, l.app.Outputs}} {
		for i := range x.list {
			b := &x.list[i]
			s.Bindings = append(s.Bindings, bindingView{x.role, b.Name, string(b.DType), b.Shape, len(b.Slices), b.Bytes()})
		}
	}
	for _, y := range l.app.DebugSymbols {
		s.Symbols = append(s.Symbols, symbolView{y.Address, y.Name})
	}
	return s
}

// image finds a logical tile.
func (l *loaded) image(tile int) (*ipuexe.TileImage, error) {
	i := slices.IndexFunc(l.app.Tiles, func(t ipuexe.TileImage) bool { return device.Logical(int(t.PhysicalTile)) == tile })
	if i < 0 {
		return nil, usageError("inspect: --tile: want 0 to %d, found %d", len(l.app.Tiles)-1, tile)
	}
	return &l.app.Tiles[i], nil
}

func (v *inspection) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if v.Tile == nil && v.Rows == nil && v.Memory == nil {
		v.Summary.print(w)
	}
	if v.Tile != nil {
		v.Tile.print(w)
	}
	if v.Rows != nil {
		printRows(w, v.Rows)
	}
	if v.Memory != nil {
		printMemory(w, v.Memory)
		if v.Map != nil {
			v.Map.print(w)
		}
	}
	return w.Flush()
}

func (s *packageSummary) print(w io.Writer) {
	q := &s.Problem
	fmt.Fprintf(w, "%s: %d tiles, %d segments, %d bytes\n", s.Compiler, s.Tiles, s.Segments, s.Bytes)
	fmt.Fprintf(w, "problem %s: %d values, %d operations, profile %s, inputs %s, weights %s, outputs %s, family %s, %d data bytes a tile\n",
		q.Graph, q.Values, q.Operations, q.Profile, q.Inputs, q.Weights, q.Outputs, q.Family, q.MemoryLimit)
	if s.Cycles != nil {
		fmt.Fprintf(w, "predicted %d cycles: compute %d, exchange %d, synchronisation %d; floor %d\n",
			s.Cycles.Total, s.Cycles.Compute, s.Cycles.Exchange, s.Cycles.Sync, s.Cycles.Floor)
	}
	fmt.Fprint(w, "\nbinding\tname\ttype\tshape\tslices\tbytes\n")
	for _, b := range s.Bindings {
		fmt.Fprintf(w, "%s\t%s\t%s\t%v\t%d\t%d\n", b.Role, b.Name, b.Type, b.Shape, b.Slices, b.Bytes)
	}
	fmt.Fprint(w, "\nsymbol\tname\n")
	for _, y := range s.Symbols {
		fmt.Fprintf(w, "%#x\t%s\n", y.Address, y.Name)
	}
	phaseTable(w, s.Phases)
}
