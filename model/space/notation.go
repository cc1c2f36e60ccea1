package space

import (
	"fmt"
	"strconv"
	"strings"

	"ipusolve/model"
)

// String names a candidate: orientation and compute grid, result parts of a block,
// class of the loaded operand, storage of the weights, and the matrix unit if it adds
// the partials. ParsePattern reads it.
func (c Gemm) String() string {
	text := fmt.Sprintf("%s(%d,%d,%d)/%dx%d/%s", orientation(c.Swapped), c.R, c.Q, c.K, c.Rho, c.Kappa, c.storage())
	if c.Matrix {
		text += "/" + sumMatrix
	}
	return text
}

func orientation(swapped bool) string {
	if swapped {
		return "S"
	}
	return "N"
}

// Words of the notation.
const (
	sumMatrix = "matrix"
	sumKernel = "kernel"
)

func (c Gemm) storage() string {
	text := "standard"
	if c.Interleaved {
		text = "interleaved"
	}
	if c.Gathered {
		text += "-gathered"
		if c.Slices > 0 {
			text += fmt.Sprint("-", c.Slices)
		}
	}
	if c.InPlace {
		text += "-in-place"
	}
	return text
}

// Pattern fixes parts of a candidate; the zero value of a field leaves it open.
type Pattern struct {
	Orientation string // "N" or "S"
	R, Q, K     int32
	Rho, Kappa  int32 // both or neither
	Storage     string
	Sum         string // "matrix" or "kernel"
}

// ParsePattern reads the name of a candidate or a part of it: an orientation or
// *, then perhaps a grid in brackets, in which * leaves a number open, then any of the
// result parts, the storage and the unit that adds the partials, behind slashes: "S",
// "N(3,54,9)", "*/kernel", "N(*,18,16)/2x8/interleaved-gathered-4/matrix". A unit that
// is not named is open, "kernel" names the reduction kernel.
func ParsePattern(text string) (Pattern, error) {
	var p Pattern
	wrong := func(format string, args ...any) (Pattern, error) {
		return Pattern{}, fmt.Errorf("space: candidate %q: %s: %w", text, fmt.Sprintf(format, args...), model.ErrUsage)
	}
	parts := strings.Split(text, "/")
	head, grid, bracket := strings.Cut(parts[0], "(")
	switch head {
	case "N", "S":
		p.Orientation = head
	case "*":
	default:
		return wrong("want N, S or * and a grid, such as N(3,54,9)")
	}
	if bracket {
		inner, closed := strings.CutSuffix(grid, ")")
		numbers := strings.Split(inner, ",")
		if !closed || len(numbers) != 3 {
			return wrong("want a grid of three numbers, such as (3,54,9), found (%s", grid)
		}
		for i, field := range []*int32{&p.R, &p.Q, &p.K} {
			if numbers[i] == "*" {
				continue
			}
			n, err := strconv.ParseUint(numbers[i], 10, 31)
			if err != nil || n == 0 {
				return wrong("want a positive number or * in the grid, found %q", numbers[i])
			}
			*field = int32(n)
		}
	}
	for _, part := range parts[1:] {
		rho, kappa, result := strings.Cut(part, "x")
		a, errA := strconv.ParseUint(rho, 10, 31)
		b, errB := strconv.ParseUint(kappa, 10, 31)
		class, _, _ := strings.Cut(part, "-")
		switch {
		case result && errA == nil && errB == nil && a > 0 && b > 0 && p.Rho == 0:
			p.Rho, p.Kappa = int32(a), int32(b)
		case (part == sumMatrix || part == sumKernel) && p.Sum == "":
			p.Sum = part
		case (class == "standard" || class == "interleaved") && p.Storage == "":
			p.Storage = part
		default:
			return wrong("want result parts such as 2x8, a storage such as interleaved-gathered, %s or %s, each once; found %q", sumMatrix, sumKernel, part)
		}
	}
	return p, nil
}

// Matches tells whether a candidate has all that a pattern fixes.
func (p Pattern) Matches(c Gemm) bool {
	return p.grid(c) && (p.Rho == 0 || p.Rho == c.Rho && p.Kappa == c.Kappa) && (p.Storage == "" || p.Storage == c.storage()) &&
		(p.Sum == "" || (p.Sum == sumMatrix) == c.Matrix)
}

// grid tells whether orientation and compute grid are those of the pattern.
func (p Pattern) grid(c Gemm) bool {
	open := func(want, found int32) bool { return want == 0 || want == found }
	return (p.Orientation == "" || p.Orientation == orientation(c.Swapped)) && open(p.R, c.R) && open(p.Q, c.Q) && open(p.K, c.K)
}

// Refusal says which rule of the plan family rules out all candidates that match a
// pattern; empty if there are some.
func (s Shape) Refusal(p Pattern, o Options) string {
	swapped := p.Orientation == "S"
	if swapped && !o.Swapped {
		return "the family has no swapped candidates"
	}
	o.Grid = p.grid
	found := false
	var grid, near *Gemm // some candidate of the grid, and with these result parts too
	s.Each(o, func(c Gemm) {
		if !p.grid(c) {
			return
		}
		grid = &c
		if p.Rho == 0 || p.Rho == c.Rho && p.Kappa == c.Kappa {
			near = &c
		}
		found = found || p.Matches(c)
	})
	rows, cols := s.streamed(swapped), s.loaded(swapped)
	switch {
	case found:
		return ""
	case grid != nil && near != nil:
		return s.storageRefusal(p, *near, o)
	case grid != nil && p.K > 0 && p.Rho*p.Kappa != p.K && p.Rho*p.Kappa != 1:
		return fmt.Sprintf("result parts %dx%d: want %d in all, one per inner part, or 1x1", p.Rho, p.Kappa, p.K)
	case grid != nil:
		return fmt.Sprintf("result parts %dx%d: some would be empty, or are not one per inner part", p.Rho, p.Kappa)
	case int(p.R) > rows.n:
		return fmt.Sprintf("%d parts of the streamed rows: there are %d, in units of %d", p.R, rows.n, rows.size)
	case int(p.Q) > cols:
		return fmt.Sprintf("%d parts of the loaded columns: there are %d blocks of %d", p.Q, cols, model.PanelWidth)
	case int(p.K) > s.InnerBlocks():
		return fmt.Sprintf("%d inner parts: there are %d blocks of %d", p.K, s.InnerBlocks(), model.PanelWidth)
	}
	return fmt.Sprintf("the grid needs %d tiles, there are %d", int64(max(1, p.R))*int64(max(1, p.Q))*int64(max(1, p.K)), s.Tiles)
}

// storageRefusal says why no candidate of a grid, of which c is one, has the storage or
// the unit that a pattern wants.
func (s Shape) storageRefusal(p Pattern, c Gemm, o Options) string {
	holders := c.WeightHolders()
	gathered := strings.Contains(p.Storage, "-gathered")
	switch {
	case p.Sum == sumMatrix && c.K == 1:
		return "one inner part has no partials to add"
	case p.Sum == sumMatrix && !o.MatrixSums:
		return "the family is without " + model.MatrixSums
	case gathered && holders == 1:
		return "one tile needs a block of the weights: nothing is gathered"
	case p.Storage != "" && !gathered && o.WeightsOnce && holders > 1:
		return fmt.Sprintf("weights are stored once, but %d tiles need a block: they are gathered", holders)
	case strings.HasSuffix(p.Storage, "-in-place") && !o.InPlace:
		return "own slices of gathered weights lie in place only where weights are stored once"
	case p.Storage != "":
		return fmt.Sprintf("storage %s: %d tiles need a block; no such way to store or slice it", p.Storage, holders)
	}
	return "no candidate of the family is like this"
}
