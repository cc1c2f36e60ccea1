package model

import (
	"errors"
	"fmt"
)

// ErrUsage marks a problem that asks for something the compiler does not offer
// (tiles, choices, memory limit): the command line's fault, not the graph's.
var ErrUsage = errors.New("model: usage")

// PathError says what is wrong at which place of a record.
type PathError struct {
	Path   string // JSON path from the record's root, e.g. "values[3].shape[0]"; "" is the root
	Reason string // what was expected and what was found
	Err    error  // sentinel or cause, may be nil
}

func (e *PathError) Error() string {
	if e.Path == "" {
		return "model: " + e.Reason
	}
	return "model: " + e.Path + ": " + e.Reason
}

// Unwrap gives the sentinel or cause.
func (e *PathError) Unwrap() error { return e.Err }

func pathErrorf(path, format string, args ...any) *PathError {
	return &PathError{Path: path, Reason: fmt.Sprintf(format, args...)}
}

// under prefixes the path of err with the place that holds the checked record
// and drops its sentinel: inside a file, a wrong choice is a wrong file.
func under(prefix string, err error) error {
	var p *PathError
	if !errors.As(err, &p) {
		return err
	}
	path := prefix
	if p.Path != "" {
		path += "." + p.Path
	}
	return &PathError{Path: path, Reason: p.Reason}
}
