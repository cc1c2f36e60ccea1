package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ipusolve/model"
	"ipusolve/model/space"
)

func pinOpFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "pin-op", Usage: "fix how a GEMM runs, as `OP=CANDIDATE`, such as block0.gemm1=N(3,54,9), and solve the rest; may be given again"}
}

// pinsOf are the pins of a command line in the order of the graph.
func pinsOf(c *cli.Context, g *model.Graph) ([]model.Pin, error) {
	var pins []model.Pin
	for _, text := range c.StringSlice("pin-op") {
		op, candidate, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usageError("%s: --pin-op: want OP=CANDIDATE, found %q", c.Command.Name, text)
		}
		if _, err := space.ParsePattern(candidate); err != nil {
			return nil, err
		}
		pins = append(pins, model.Pin{Op: op, Candidate: candidate})
	}
	at := func(p model.Pin) int {
		return slices.IndexFunc(g.Ops, func(op model.Op) bool { return op.Name == p.Op })
	}
	slices.SortStableFunc(pins, func(a, b model.Pin) int { return cmp.Compare(at(a), at(b)) })
	return pins, nil
}
