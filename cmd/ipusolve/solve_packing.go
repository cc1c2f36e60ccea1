package main

import (
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
)

func isPacking(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// capacityOf is --capacity, or the number in the name: A.1048576.csv.
func capacityOf(c *cli.Context, path string) (int64, error) {
	if c.IsSet("capacity") {
		if n := c.Int64("capacity"); n >= 0 {
			return n, nil
		}
		return 0, usageError("solve: --capacity: want no negative number, found %d", c.Int64("capacity"))
	}
	parts := strings.Split(filepath.Base(path), ".")
	if len(parts) >= 3 {
		if n, err := strconv.ParseInt(parts[len(parts)-2], 10, 64); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, usageError("solve: %s: want --capacity, or a name like A.1048576.csv", path)
}

// solveBuffers packs the buffers of a CSV file.
func solveBuffers(c *cli.Context, path string, opt solve.Options) error {
	capacity, err := capacityOf(c, path)
	if err != nil {
		return err
	}
	for _, flag := range []string{"cert", "ablate"} {
		if c.IsSet(flag) {
			return usageError("solve: --%s is for models, not for buffers", flag)
		}
	}
	name := filepath.Base(path)
	p, err := readFile(path, func(r io.Reader) (*encode.Packing, error) {
		p, _, err := encode.ReadMiniMalloc(r, name, capacity)
		return p, err
	})
	if err != nil {
		return err
	}
	if out := c.String("export"); out != "" {
		m, err := encode.NewPackingModel(p)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := exportTo(out, m.Model); err != nil {
			return err
		}
	}
	console := newConsole(c.App.ErrWriter)
	opt.Log = newSolveLog(c, console, func(x *big.Rat) *big.Rat { return x })
	res, err := encode.SolvePacking(c.Context, p, opt)
	console.done()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if res.At != nil {
		if err := packcheck.Check(p, res.At); err != nil {
			return checkError("%s: %v", path, err)
		}
	}
	if err := writePacking(c, p, res); err != nil {
		return err
	}
	switch res.Status {
	case solve.Infeasible:
		return &codedError{exitInfeasible, fmt.Errorf("%s: infeasible: the buffers do not fit into %d", path, p.Capacity)}
	case solve.Unknown:
		return limitError("%s: a limit was reached before the buffers fitted into %d", path, p.Capacity)
	}
	return nil
}

func writePacking(c *cli.Context, p *encode.Packing, res *encode.PackResult) error {
	out := c.String("solution")
	if out != "" && res.At != nil {
		if err := writeFile(out, func(w io.Writer) error { return encode.WriteMiniMalloc(w, p, res.At) }); err != nil {
			return err
		}
	}
	if path := c.String("json"); path != "" {
		r := &solveResult{Schema: solveSchema, File: p.Name, Status: res.Status.String(), Bound: strconv.FormatInt(res.Bound, 10), Nodes: int(res.Stats.Nodes)}
		if res.At != nil {
			r.Objective = strconv.FormatInt(res.Height, 10)
			gap := float64(res.Height-res.Bound) / float64(max(res.Height, 1))
			r.Gap, r.Offsets = &gap, map[string]int64{}
			for i := range p.Items {
				r.Offsets[p.Items[i].ID] = res.At[i]
			}
		}
		if err := writeResult(path, c.App.Writer, func(w io.Writer) error { return writeJSON(w, r) }); err != nil {
			return err
		}
		if path == stdoutName {
			return nil
		}
	}
	w := c.App.Writer
	fmt.Fprintf(w, "packing   %s: %d buffers into %d addresses\nstatus    %s\n", p.Name, len(p.Items), p.Capacity, res.Status)
	height := "-"
	if res.At != nil {
		height = fmt.Sprintf("%d, checked", res.Height)
	}
	fmt.Fprintf(w, "height    %s\nbound     %d\nsearch    %d nodes\n", height, res.Bound, res.Stats.Nodes)
	if out != "" && res.At != nil {
		fmt.Fprintf(w, "solution  written to %s\n", out)
	}
	if path := c.String("export"); path != "" {
		fmt.Fprintf(w, "export    written to %s\n", path)
	}
	return nil
}
