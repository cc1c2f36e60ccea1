package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// benchSVG draws one row per family on a logarithmic axis of horizon / bound: a
// bar for our schedule, a hollow one for the baseline, a tick for the target.
func benchSVG(out io.Writer, lines []benchLine) error {
	const left, width, row, top = 130.0, 560.0, 22.0, 30.0
	most := 2.0
	for i := range lines {
		most = max(most, lines[i].Ratio)
		if b := lines[i].Baseline; b != nil {
			most = max(most, b.Ratio)
		}
	}
	at := func(ratio float64) float64 { return left + width*math.Log(ratio)/math.Log(most) }
	height := top + row*float64(len(lines)) + 30
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="12">`+"\n", left+width+60, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	fmt.Fprintf(w, `<text x="%.0f" y="18">horizon / bound: filled ours, hollow the baseline, red tick the target</text>`+"\n", left)
	for _, v := range []float64{1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50} {
		if v > most {
			break
		}
		fmt.Fprintf(w, `<path d="M%.1f %.1fV%.1f" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="middle">%g</text>`+"\n", at(v), top, height-25, at(v), height-8, v)
	}
	for i := range lines {
		l := &lines[i]
		y := top + row*float64(i)
		fmt.Fprintf(w, `<text x="%.0f" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, y+14, l.Family)
		if b := l.Baseline; b != nil {
			fmt.Fprintf(w, `<rect x="%.0f" y="%.1f" width="%.1f" height="14" fill="none" stroke="#888"/>`+"\n", left, y+3, at(b.Ratio)-left)
		}
		fmt.Fprintf(w, `<rect x="%.0f" y="%.1f" width="%.1f" height="8" fill="#36c"/>`+"\n", left, y+6, max(1, at(l.Ratio)-left))
		if l.Target > 0 {
			fmt.Fprintf(w, `<path d="M%.1f %.1fv18" stroke="#c00" stroke-width="2"/>`+"\n", at(l.Target), y+1)
		}
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}
