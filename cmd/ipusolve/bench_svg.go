package main

import (
	"image/color"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// benchSVG draws one row per family on a logarithmic axis of horizon / bound: a
// bar for our schedule, a hollow one for the baseline, a tick for the target.
func benchSVG(out io.Writer, lines []benchLine) error { return writeSVG(out, benchFigure(lines)) }

func benchFigure(lines []benchLine) figure {
	p := newPlot("exchange schedules against their bounds")
	p.X.Label.Text = "horizon / bound"
	p.X.Min, p.X.Max = 1, 1.1
	ticks := plot.ConstantTicks{}
	for i := range lines {
		p.X.Max = max(p.X.Max, lines[i].Ratio, lines[i].Target)
		if b := lines[i].Baseline; b != nil {
			p.X.Max = max(p.X.Max, b.Ratio)
		}
		ticks = append(ticks, plot.Tick{Value: -float64(i), Label: lines[i].Family})
	}
	p.X.Scale, p.X.Padding = plot.LogScale{}, 0
	p.Y.Min, p.Y.Max = 0.5-float64(len(lines)), 0.5
	p.Y.Tick.Marker = ticks
	marks := plot.ConstantTicks{}
	for _, v := range []float64{1, 1.01, 1.02, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100} {
		if n := len(marks); v <= p.X.Max && (n == 0 || p.X.Max < 1.5 || v >= 1.1*marks[n-1].Value) {
			marks = append(marks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
		}
	}
	p.X.Tick.Marker = marks
	p.Add(benchBars{lines, marks})
	f := figure{p, newLegend(), 11 * vg.Inch, (1.2 + 0.3*vg.Length(len(lines))) * vg.Inch}
	f.legend.Add("horizon", swatch{fill: benchFill, line: outline})
	f.legend.Add("baseline", swatch{line: outline})
	f.legend.Add("target", swatch{line: benchTarget, level: true})
	return f
}

var (
	benchFill   = color.NRGBA{0x33, 0x66, 0xcc, 0xff}
	benchTarget = draw.LineStyle{Color: color.NRGBA{0xcc, 0, 0, 0xff}, Width: vg.Points(1.5)}
)

// benchBars is the plotter of the families.
type benchBars struct {
	lines []benchLine
	marks plot.ConstantTicks
}

// Plot implements plot.Plotter.
func (b benchBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, m := range b.marks {
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0xd8}, Width: vg.Points(0.5)}, x(m.Value), c.Min.Y, x(m.Value), c.Max.Y)
	}
	bar := func(i int, ratio, half float64) []vg.Point {
		right := max(x(ratio), x(1)+vg.Points(1)) // a bar at its bound shows
		return corners(vg.Rectangle{Min: vg.Point{X: x(1), Y: y(-float64(i) - half)}, Max: vg.Point{X: right, Y: y(-float64(i) + half)}})
	}
	for i := range b.lines {
		l := &b.lines[i]
		if l.Baseline != nil {
			c.StrokeLines(outline, bar(i, l.Baseline.Ratio, 0.36))
		}
		c.FillPolygon(benchFill, bar(i, max(l.Ratio, 1), 0.2))
		if l.Target > 0 {
			c.StrokeLine2(benchTarget, x(l.Target), y(-float64(i)-0.44), x(l.Target), y(-float64(i)+0.44))
		}
	}
}
