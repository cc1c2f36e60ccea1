package check

import (
	"fmt"
	"strings"
)

// Rule names what a violation breaks: R1–R14 of exchange.md §5, or one of the
// rules below, which that page states outside its table.
type Rule string

// Rules of legality (reference: exchange.md §5).
const (
	R1  Rule = "R1"  // starts ≥ 0, control events ≥ 1
	R2  Rule = "R2"  // sends of a tile are disjoint
	R3  Rule = "R3"  // receives of a tile are disjoint
	R4  Rule = "R4"  // one source and one pointer control an event
	R5  Rule = "R5"  // no control at the first event of a send
	R6  Rule = "R6"  // neutral after each receive, unless cut over directly
	R7  Rule = "R7"  // send and receive at one time use distinct SRAM elements
	R8  Rule = "R8"  // no pointer for a receive that continues the one before it
	R9  Rule = "R9"  // memory accesses keep program order
	R10 Rule = "R10" // the partner of a paired sender does nothing
	R11 Rule = "R11" // paired lengths at which format and select would meet
	R12 Rule = "R12" // sendpicp on an even word
	R13 Rule = "R13" // row words and data in distinct elements
	R14 Rule = "R14" // horizon; a tile has a row if and only if it has a message
)

// Rules that the reference states elsewhere.
const (
	Problem Rule = "problem" // the messages themselves (exchange.md §6, §11)
	Row     Rule = "row"     // words decode and end with the only return (§8)
	Send    Rule = "send"    // sends are those of the messages (§4, §9)
	Select  Rule = "select"  // source selected at σ (§4.1), S (§4.2)
	Pointer Rule = "pointer" // pointer written at π (§4.1, §4.2)
	Format  Rule = "format"  // format on and off of paired receives (§4.2)
)

// Violation is the first broken rule that a check found.
type Violation struct {
	Phase   int
	Tile    int   // logical; −1 if the violation is not at a tile
	Event   int32 // on the tile's clock; −1 if no event is involved
	Rule    Rule
	Message int // index into Problem.Messages; −1 if none is involved
	What    string
}

func (v *Violation) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "check: phase %d", v.Phase)
	if v.Tile >= 0 {
		fmt.Fprintf(&b, ", tile %d", v.Tile)
	}
	if v.Event >= 0 {
		fmt.Fprintf(&b, ", event %d", v.Event)
	}
	fmt.Fprintf(&b, ", rule %s", v.Rule)
	if v.Message >= 0 {
		fmt.Fprintf(&b, ", message %d", v.Message)
	}
	b.WriteString(": ")
	b.WriteString(v.What)
	return b.String()
}
