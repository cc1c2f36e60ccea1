package main

import (
	"fmt"
	"io"

	"ipusolve"
)

// percent writes a gap for people.
func percent(gap float64) string { return fmt.Sprintf("%.2f %%", 100*gap) }

// phaseTable writes one line per exchange phase, cells separated by tabs.
func phaseTable(w io.Writer, phases []ipusolve.PhaseReport) {
	if len(phases) == 0 {
		return
	}
	fmt.Fprint(w, "\nphase\treason\top\tmessages\tdestinations\tendpoint\tbound\tkind\thorizon\tgap\tmethod\n")
	for i := range phases {
		p := &phases[i]
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%d\t%s\t%s\n", p.Phase, p.Reason, p.Op, p.Transfers, p.Destinations,
			p.Endpoint, p.Bound, p.BoundKind, p.Horizon, percent(p.Gap), p.Method)
	}
	fmt.Fprintln(w)
}
