package model

import (
	"fmt"
	"slices"
)

// checkPins checks the operations of pins; planning knows the notation.
func (p *Problem) checkPins() error {
	if len(p.Pins) > 0 && p.Family != FamilyNormal && p.Family != FamilyFull {
		return &PathError{Path: "pins", Reason: fmt.Sprintf("the family %s knows no pins", p.Family), Err: ErrUsage}
	}
	next := 0
	for i, pin := range p.Pins {
		at := slices.IndexFunc(p.Graph.Ops, func(op Op) bool { return op.Name == pin.Op })
		reason := ""
		switch {
		case at < 0 || p.Graph.Ops[at].Kind != OpGemm:
			reason = fmt.Sprintf("want a gemm of the graph, found %q", pin.Op)
		case at < next:
			reason = fmt.Sprintf("%q must come once and in the order of the graph", pin.Op)
		case pin.Candidate == "":
			reason = fmt.Sprintf("%s: want a candidate, found none", pin.Op)
		}
		if reason != "" {
			return &PathError{Path: fmt.Sprintf("pins[%d]", i), Reason: reason, Err: ErrUsage}
		}
		next = at + 1
	}
	return nil
}
