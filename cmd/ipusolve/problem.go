package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ipusolve/device"
	"ipusolve/model"
	"ipusolve/model/workload"
)

// siglipMLP is the only named workload.
const siglipMLP = "siglip-mlp"

var workloadSizes = []struct {
	flag, usage string
	value       int
}{
	{"mlp-batch", "batch size of the workload", 1},
	{"mlp-tokens", "tokens of the workload", 729},
	{"mlp-dim", "model dimension of the workload", 1152},
	{"mlp-hidden-dim", "hidden dimension of the workload", 4304},
	{"mlp-blocks", "chained blocks of the workload", 1},
}

// defaultMemoryLimit leaves the default reserve for rows, code and tables.
const defaultMemoryLimit = (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule

// problemFlags state the problem (DESIGN §2).
func problemFlags() []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "workload", Usage: "compile a named workload instead of a graph file: " + siglipMLP},
	}
	for _, s := range workloadSizes {
		flags = append(flags, &cli.IntFlag{Name: s.flag, Usage: s.usage, Value: s.value})
	}
	return append(flags,
		&cli.IntFlag{Name: "tiles", Usage: fmt.Sprintf("tiles to use, a multiple of %d", model.TileQuantum), Value: device.NumTiles},
		&cli.StringFlag{Name: "inputs", Usage: model.InputsGathered + " or " + model.InputsPreplaced, Value: model.InputsGathered},
		&cli.StringFlag{Name: "weights", Usage: model.WeightsResident + " or " + model.WeightsOnce, Value: model.WeightsResident},
		&cli.StringFlag{Name: "outputs", Usage: model.OutputsAny + " or " + model.OutputsLinear, Value: model.OutputsAny},
		&cli.StringFlag{Name: "profile", Usage: model.ProfileC600 + ", or with --pin, --heuristic or --family " + model.FamilySeed + " " + model.ProfileSeed, Value: model.ProfileC600},
		&cli.StringFlag{Name: "family", Usage: "plan family: " + model.FamilyFull + ", " + model.FamilyNormal + " or, with --profile " + model.ProfileSeed + ", " + model.FamilySeed, Value: model.FamilyFull},
		&cli.StringSliceFlag{Name: "without", Usage: "leave a `TECHNIQUE` out of the family: " + strings.Join(model.Techniques, ", ") + "; may be given again"},
		&cli.IntFlag{Name: "memory-limit", Usage: fmt.Sprintf("data `BYTES` a tile may use, a multiple of %d", model.MemoryGranule), Value: defaultMemoryLimit},
	)
}

// problem puts together the problem of a command line. With a pinned plan it is
// the plan's, except for what flags say.
func problem(c *cli.Context, pinned *model.Plan) (*model.Problem, error) {
	p := &model.Problem{Repeat: model.RepeatUnbounded, Timing: model.TimingVersion}
	if pinned != nil {
		*p = pinned.Problem
	}
	graph, err := graphOf(c)
	if err != nil {
		return nil, err
	}
	switch {
	case graph != nil:
		p.Graph = *graph
	case pinned == nil:
		return nil, usageError("%s: want a graph file or --workload %s", c.Command.Name, siglipMLP)
	}
	given := func(name string) bool { return pinned == nil || c.IsSet(name) }
	for name, field := range map[string]*string{"inputs": &p.Inputs, "weights": &p.Weights, "outputs": &p.Outputs,
		"profile": &p.Profile, "family": &p.Family} {
		if given(name) {
			*field = c.String(name)
		}
	}
	for name, field := range map[string]*int{"tiles": &p.Tiles, "memory-limit": &p.MemoryLimit} {
		if given(name) {
			*field = c.Int(name)
		}
	}
	if c.IsSet("without") {
		p.Without = slices.Compact(slices.Sorted(slices.Values(c.StringSlice("without"))))
	}
	if c.IsSet("pin-op") {
		if p.Pins, err = pinsOf(c, &p.Graph); err != nil {
			return nil, err
		}
	}
	switch {
	case (p.Profile == model.ProfileSeed) != (p.Family == model.FamilySeed) && pinned == nil && !c.Bool("heuristic"):
		return nil, usageError("%s: --profile %s prices plans that are given, of the baseline or of the family %s; use --pin, --heuristic or both --profile %s and --family %s",
			c.Command.Name, model.ProfileSeed, model.FamilySeed, model.ProfileSeed, model.FamilySeed)
	case p.MemoryLimit > model.MaxPhysicalBytes && !c.Bool("plan-only"):
		return nil, usageError("%s: --memory-limit: want a multiple of %d up to the %d bytes of a tile, found %d; only --plan-only may exceed them", c.Command.Name,
			model.MemoryGranule, model.MaxPhysicalBytes, p.MemoryLimit)
	}
	return p, nil
}

// graphOf is the graph the command line names, nil if it names none.
func graphOf(c *cli.Context) (*model.Graph, error) {
	named := c.IsSet("workload")
	for _, s := range workloadSizes {
		named = named || c.IsSet(s.flag)
	}
	if !named {
		if !c.Args().Present() {
			return nil, nil
		}
		path, err := argument(c, "a graph file")
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(filepath.Ext(path), ".onnx") {
			return nil, usageError("%s: %s: ONNX models are not available yet; give a graph in JSON", c.Command.Name, path)
		}
		return readFile(path, model.ReadGraph)
	}
	if c.Args().Present() {
		return nil, usageError("%s: want either a graph file or a workload, found both", c.Command.Name)
	}
	if w := c.String("workload"); w != siglipMLP && c.IsSet("workload") {
		return nil, usageError("%s: unknown workload %q, want %s", c.Command.Name, w, siglipMLP)
	}
	return workload.SiglipMLP(c.Int("mlp-batch"), c.Int("mlp-tokens"), c.Int("mlp-dim"), c.Int("mlp-hidden-dim"), c.Int("mlp-blocks"))
}
