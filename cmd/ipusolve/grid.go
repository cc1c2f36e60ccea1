package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ipusolve"
	"ipusolve/encode/planning"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/solve/mip"
)

// gridView is the answer of grid.
type gridView struct {
	Rows        int       `json:"rows"`
	Inner       int       `json:"inner"`
	Cols        int       `json:"cols"`
	Tiles       int       `json:"tiles"`
	Inputs      string    `json:"inputs"`
	Weights     string    `json:"weights"`
	Outputs     string    `json:"outputs"`
	Family      string    `json:"family"`
	MemoryLimit int       `json:"memoryLimit"`
	Candidates  int       `json:"candidates"` // within memory, all looked at
	Floor       int64     `json:"floor"`      // no program takes less
	Grids       []gridRow `json:"grids"`      // best first
}

// gridRow is a way to run the GEMM.
type gridRow struct {
	Candidate string               `json:"candidate"`
	Cycles    int64                `json:"cycles"`
	Terms     model.Cost           `json:"terms"`
	Words     int64                `json:"words"`  // exchanged by the busiest tiles, all phases
	Bytes     int64                `json:"bytes"`  // most on a tile at a time
	Memory    []ipusolve.MemoryUse `json:"memory"` // by limit
}

var gridSizes = []string{"rows", "inner", "cols"}

func gridCommand() *cli.Command {
	return &cli.Command{
		Name:      "grid",
		Usage:     "list the best ways to run a single GEMM Y[M×N] = A[M×K]·B[K×N]",
		ArgsUsage: "[M K N]",
		Description: "Example:\n  ipusolve grid 729 1152 4304 --top 5\n\n" +
			"Every candidate that fits in memory is priced or bounded; the first line is optimal.",
		Flags: append(gridProblemFlags(),
			&cli.IntFlag{Name: "rows", Usage: "`M`, instead of the first argument"},
			&cli.IntFlag{Name: "inner", Usage: "`K`, instead of the second argument"},
			&cli.IntFlag{Name: "cols", Usage: "`N`, instead of the third argument"},
			&cli.StringFlag{Name: "orientation", Usage: "normal (A streamed), swapped (B streamed) or both", Value: "both"},
			&cli.StringFlag{Name: "only", Usage: "only candidates like this `PATTERN`, such as N(*,18,*)"},
			&cli.IntFlag{Name: "top", Usage: "list the best `N`", Value: 10},
			&cli.BoolFlag{Name: "variants", Usage: "list also candidates that share a compute grid"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
		Action: grid,
	}
}

// gridProblemFlags are those problem flags that say something about a single GEMM.
func gridProblemFlags() []cli.Flag {
	var list []cli.Flag
	for _, f := range problemFlags() {
		switch f.Names()[0] {
		case "tiles", "inputs", "weights", "outputs", "without", "memory-limit":
			list = append(list, f)
		}
	}
	return list
}

func grid(c *cli.Context) error {
	v, p, err := gridProblem(c)
	if err != nil {
		return err
	}
	list, n, err := planning.Grids(c.Context, p, c.Int("top"), !c.Bool("variants"), mip.Solver{})
	if err != nil {
		return err
	}
	v.Candidates = n
	for _, g := range list {
		row := gridRow{Candidate: g.Gemm.String(), Cycles: g.Plan.Total(), Terms: planTerms(g.Plan), Memory: memoryUses(g.Uses)}
		for _, t := range row.Terms {
			if t.Name == cost.TermWords {
				row.Words = t.Cycles
			}
		}
		for _, m := range row.Memory {
			if strings.HasPrefix(m.Limit, "memory/total/") {
				row.Bytes = max(row.Bytes, m.Bytes)
			}
		}
		v.Grids = append(v.Grids, row)
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, v)
	}
	return v.print(c.App.Writer)
}

// gridProblem states the problem of a single GEMM.
func gridProblem(c *cli.Context) (*gridView, *model.Problem, error) {
	var size [3]int
	for i, name := range gridSizes {
		switch {
		case c.IsSet(name) && c.NArg() > 0:
			return nil, nil, usageError("grid: want the sizes as arguments or as flags, found both")
		case c.NArg() == 3:
			n, err := strconv.Atoi(c.Args().Get(i))
			if err != nil {
				return nil, nil, usageError("grid: %s: want a number, found %q", name, c.Args().Get(i))
			}
			size[i] = n
		case c.NArg() == 0 && c.IsSet(name):
			size[i] = c.Int(name)
		default:
			return nil, nil, usageError("grid: want three sizes M K N, or --rows, --inner and --cols")
		}
	}
	if c.Int("top") < 1 {
		return nil, nil, usageError("grid: --top: want a positive number, found %d", c.Int("top"))
	}
	m, k, n := size[0], size[1], size[2]
	p := &model.Problem{Tiles: c.Int("tiles"), Profile: model.ProfileC600, Inputs: c.String("inputs"), Weights: c.String("weights"), Outputs: c.String("outputs"),
		Repeat: model.RepeatUnbounded, Family: model.FamilyNormal, MemoryLimit: c.Int("memory-limit"), Timing: model.TimingVersion,
		Graph: model.Graph{Schema: model.GraphSchema, Name: "gemm", Outputs: []string{"y"},
			Values: []model.GraphValue{{Name: "a", Shape: []int{m, k}, Type: "f16", Role: model.RoleInput}, {Name: "b", Shape: []int{k, n}, Type: "f16", Role: model.RoleWeight},
				{Name: "y", Shape: []int{m, n}, Type: "f16"}},
			Ops: []model.Op{{Name: "gemm", Kind: model.OpGemm, Inputs: []string{"a", "b"}, Output: "y"}}}}
	only := ""
	switch o := c.String("orientation"); o {
	case model.OrientationNormal:
	case "both":
		p.Family = model.FamilyFull
	case model.OrientationSwapped:
		p.Family, only = model.FamilyFull, "S"
	default:
		return nil, nil, usageError("grid: --orientation: want normal, swapped or both, found %q", o)
	}
	if c.IsSet("only") {
		if only != "" {
			return nil, nil, usageError("grid: --only says the orientation; leave out --orientation %s", model.OrientationSwapped)
		}
		only = c.String("only")
	}
	if only != "" {
		p.Pins = []model.Pin{{Op: "gemm", Candidate: only}}
	}
	if c.IsSet("without") {
		p.Without = slices.Compact(slices.Sorted(slices.Values(c.StringSlice("without"))))
	}
	for i, name := range gridSizes {
		if size[i] < 1 || size[i] > model.MaxExtent {
			return nil, nil, usageError("grid: %s: want a number from 1 to %d, found %d", name, model.MaxExtent, size[i])
		}
	}
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	return &gridView{Rows: m, Inner: k, Cols: n, Tiles: p.Tiles, Inputs: p.Inputs, Weights: p.Weights, Outputs: p.Outputs, Family: p.FamilyText(),
		MemoryLimit: p.MemoryLimit, Floor: cost.Floor(&p.Graph, p.Tiles), Grids: []gridRow{}}, p, nil
}

func (v *gridView) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "gemm %d×%d×%d: %d tiles, inputs %s, weights %s, outputs %s, family %s, memory %d B\n", v.Rows, v.Inner, v.Cols, v.Tiles, v.Inputs, v.Weights, v.Outputs, v.Family, v.MemoryLimit)
	fmt.Fprintf(w, "%d candidates fit; no program takes less than %d cycles\n\n", v.Candidates, v.Floor)
	var names []string
	for _, g := range v.Grids {
		for _, t := range g.Terms {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	fmt.Fprintf(w, "\tcandidate\tcycles\t%s\tbytes\n", strings.Join(names, "\t"))
	for i, g := range v.Grids {
		fmt.Fprintf(w, "%d\t%s\t%d", i+1, g.Candidate, g.Cycles)
		for _, name := range names {
			at := slices.IndexFunc(g.Terms, func(t model.Term) bool { return t.Name == name })
			if at < 0 {
				fmt.Fprint(w, "\t-")
				continue
			}
			fmt.Fprintf(w, "\t%d", g.Terms[at].Cycles)
		}
		fmt.Fprintf(w, "\t%d\n", g.Bytes)
	}
	return w.Flush()
}
