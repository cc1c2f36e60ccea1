package model

import "io"

// ReadPlan reads and validates a plan file (docs/formats.md). Errors are
// *PathError, or wrap the reader's.
func ReadPlan(r io.Reader) (*Plan, error) {
	p := new(Plan)
	if err := readStrict(r, p); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// Write writes the plan as indented JSON that ReadPlan accepts.
func (p *Plan) Write(w io.Writer) error { return writeJSON(w, p) }
