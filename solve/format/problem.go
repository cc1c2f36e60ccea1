package format

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"ipusolve/solve"
)

// ErrSyntax is wrapped by every error of a reader about its text.
var ErrSyntax = errors.New("syntax")

// ErrUnsupported is wrapped when a file, or a format, states what the other side
// cannot: quadratic terms, special ordered sets, integers in DIMACS.
var ErrUnsupported = errors.New("not supported")

// Problem is a model as a file states it.
type Problem struct {
	Model *solve.Model
	// Maximize tells that the file maximises; the model minimises the negated
	// objective.
	Maximize bool
	// Scale is by how much the model's objective is larger than the file's, whose
	// coefficients need not be integers.
	Scale int64
	// Assumed lists the bounds that the file lacks and no row implies.
	Assumed []Assumed
}

// Assumed is a bound of ±AssumedBound that stands for infinity.
type Assumed struct {
	Var   int
	Upper bool
}

// AssumedBound is the distance from the finite bound of a variable, or from 0, at
// which a missing bound is assumed.
const AssumedBound = 1 << 31

// Objective is a value of the model's objective in the file's terms; nil stays nil.
func (p *Problem) Objective(x *big.Rat) *big.Rat {
	if x == nil {
		return nil
	}
	y := new(big.Rat).Quo(x, new(big.Rat).SetInt64(p.Scale))
	if p.Maximize {
		y.Neg(y)
	}
	return y
}

// Limits of what readers take, so that a short text cannot ask for much memory.
const (
	maxText  = 1 << 28 // bytes
	maxVars  = 1 << 22
	maxTerms = 1 << 26
)

// readText reads all of a file.
func readText(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxText {
		return "", fmt.Errorf("%w: more than %d bytes", ErrUnsupported, maxText)
	}
	return string(text), nil
}

// place is a position in a text, counted from 1.
type place struct{ line, column int }

// wrong is a syntax error: what was expected and what was found.
func (p place) wrong(want, found string) error {
	if found == "" {
		found = "nothing"
	} else {
		found = fmt.Sprintf("%q", clip(found))
	}
	return fmt.Errorf("line %d, column %d: %w: want %s, found %s", p.line, p.column, ErrSyntax, want, found)
}

func (p place) unsupported(what string) error {
	return fmt.Errorf("line %d, column %d: %w: %s", p.line, p.column, ErrUnsupported, what)
}

// clip shortens a text for a message.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
