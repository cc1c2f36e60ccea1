package image

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/kernels"
	"ipusolve/lower"
)

// ErrProgram reports a program, map or row that cannot be emitted.
var ErrProgram = errors.New("image: program cannot be emitted")

// Meta is what a package says about its origin.
type Meta struct {
	CompilerVersion string
	GraphJSON       string // model.Graph
	PlanJSON        string // model.Plan with its problem
	ReportJSON      string // compile report, without times and paths
}

// Emit builds the package of a placed program. rows[phase][tile] are the words
// of a tile's exchange row, return included; none for a tile that takes no
// part. Equal arguments give equal packages. The error wraps ErrProgram, names
// the tile, or is a *lower.ReserveError if rows do not fit their table.
func Emit(prog *lower.Program, m lower.MemoryMap, rows [][][]uint32, meta Meta) (*ipuexe.Application, error) {
	if err := lower.CheckReserve(prog, m, rows); err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	e := &emitter{prog: prog, m: m, rows: rows, symbol: map[kernels.Spec]uint32{}, moved: countWords(prog), constants: constants(prog)}
	for _, s := range m.Symbols {
		e.symbol[s.Spec] = s.Addr
	}
	app := &ipuexe.Application{
		CompilerVersion: meta.CompilerVersion,
		GraphJSON:       meta.GraphJSON,
		PlanJSON:        meta.PlanJSON,
		ReportJSON:      meta.ReportJSON,
		Tiles:           make([]ipuexe.TileImage, len(prog.Tiles)),
		ProfileTiles:    make([]ipuexe.TileProfilePlan, len(prog.Tiles)),
		HostExchange:    hostExchange(),
		EntryPoints:     []ipuexe.EntryPoint{{Name: runEntry}},
		DebugSymbols:    debugSymbols(m),
		DebugRegions:    debugRegions(prog, m),
	}
	err := eachTile(len(prog.Tiles), func(t int) (err error) {
		if app.Tiles[t], err = e.image(t); err == nil {
			app.ProfileTiles[t], err = e.profile(t)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := bind(prog, app); err != nil {
		return nil, err
	}
	return app, nil
}

// emitter holds what the tiles of a program share.
type emitter struct {
	prog      *lower.Program
	m         lower.MemoryMap
	rows      [][][]uint32
	symbol    map[kernels.Spec]uint32
	moved     [][]traffic        // per phase and tile
	constants [][]ipuexe.Segment // per tile
}

// traffic counts the 32-bit words a tile moves in a phase.
type traffic struct{ sent, received uint32 }

func countWords(prog *lower.Program) [][]traffic {
	moved := make([][]traffic, len(prog.Phases))
	for id := range prog.Phases {
		moved[id] = make([]traffic, len(prog.Tiles))
		for i := range prog.Phases[id].Transfers {
			t := &prog.Phases[id].Transfers[i]
			moved[id][prog.Items[t.Source.Item].Tile].sent += uint32(t.Words)
			for _, d := range t.Dests {
				moved[id][prog.Items[d.Item].Tile].received += uint32(t.Words)
			}
		}
	}
	return moved
}

// eachTile calls f for tiles 0..n−1 in parallel; the error is that of the lowest
// tile that fails.
func eachTile(n int, f func(tile int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for t := int(next.Add(1)) - 1; t < n; t = int(next.Add(1)) - 1 {
				errs[t] = f(t)
			}
		})
	}
	wg.Wait()
	for t, err := range errs {
		if err != nil {
			return fmt.Errorf("%w: tile %d: %w", ErrProgram, t, err)
		}
	}
	return nil
}

// runEntry is the one command of a package.
const runEntry = "run"

// hostExchange is the least host protocol: a command page and one call that
// moves nothing. Values travel by the bindings.
func hostExchange() ipuexe.HostExchange {
	const page = 4096 // kernels.md §11
	return ipuexe.HostExchange{
		StartupMark: ipuexe.StartupMark,
		Pages:       []ipuexe.HostPage{{Index: 0, Size: page}},
		AttachOrder: []uint32{0},
		Calls:       []ipuexe.HostCall{{Name: runEntry, Invocations: 1}},
	}
}

func physical(tile int) uint32 { return uint32(device.Physical(tile)) }
