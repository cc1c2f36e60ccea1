package main

import (
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ipusolve/bench/report"
)

// studyColours are those of the entrants in order of appearance; logs come last.
var studyColours = []color.Color{
	color.NRGBA{0x33, 0x66, 0xcc, 0xff}, color.NRGBA{0xdd, 0x88, 0x33, 0xff}, color.NRGBA{0x55, 0x99, 0x55, 0xff},
	color.NRGBA{0x99, 0x55, 0x99, 0xff}, color.Gray{0x88},
}

// studyBar is the ratio of an entry's simulated cycles and those of the solved plan.
type studyBar struct {
	row, place, places int
	ratio              float64
	fill               color.Color
}

// studyFigure draws, for each problem whose solved plan ran, a bar per other entry from
// 1, the solved plan, to the entry's ratio.
func studyFigure(s *report.Study) figure {
	var bars []studyBar
	var colours []string // names of entrants by colour
	ticks := plot.ConstantTicks{}
	p := newPlot("simulated cycles of the baselines over those of the solved plan")
	p.X.Label.Text = "cycles / cycles of the solved plan"
	p.X.Min, p.X.Max = 1, 1.1
	for i := range s.Rows {
		r := &s.Rows[i]
		solved := r.Entry(report.Solved)
		if solved == nil || solved.Cycles == 0 {
			continue
		}
		row := len(ticks)
		ticks = append(ticks, plot.Tick{Value: -float64(row), Label: r.Name})
		first := len(bars)
		for k := range r.Entries {
			e := &r.Entries[k]
			if e.Name == report.Solved || e.Cycles == 0 {
				continue
			}
			name := e.Name
			if strings.HasPrefix(name, "log ") {
				name = "log"
			}
			at := indexOrAppend(&colours, name)
			ratio := float64(e.Cycles) / float64(solved.Cycles)
			p.X.Min, p.X.Max = min(p.X.Min, ratio), max(p.X.Max, ratio)
			bars = append(bars, studyBar{row: row, place: len(bars) - first, ratio: ratio, fill: studyColours[min(at, len(studyColours)-1)]})
		}
		for k := first; k < len(bars); k++ {
			bars[k].places = len(bars) - first
		}
	}
	p.X.Padding = 0
	p.Y.Min, p.Y.Max = 0.5-float64(max(len(ticks), 1)), 0.5
	p.Y.Tick.Marker = ticks
	var marks plot.ConstantTicks
	step := 0.1
	for (p.X.Max-p.X.Min)/step > 12 {
		step *= 2
	}
	for v := 1.0; v <= p.X.Max; v += step {
		marks = append(marks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', 1, 64)})
	}
	p.X.Tick.Marker = marks
	p.Add(studyBars{bars, marks})
	f := figure{p, newLegend(), 11 * vg.Inch, (1.2 + 0.35*vg.Length(max(len(ticks), 1))) * vg.Inch}
	for i, name := range colours {
		f.legend.Add(name, swatch{fill: studyColours[min(i, len(studyColours)-1)], line: outline})
	}
	return f
}

func indexOrAppend(list *[]string, name string) int {
	for i, n := range *list {
		if n == name {
			return i
		}
	}
	*list = append(*list, name)
	return len(*list) - 1
}

// studyBars is the plotter of the ratios.
type studyBars struct {
	bars  []studyBar
	marks plot.ConstantTicks
}

// Plot implements plot.Plotter.
func (b studyBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, m := range b.marks {
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0xd8}, Width: vg.Points(0.5)}, x(m.Value), c.Min.Y, x(m.Value), c.Max.Y)
	}
	for i := range b.bars {
		bar := &b.bars[i]
		height := 0.8 / float64(bar.places)
		top := -float64(bar.row) + 0.4 - height*float64(bar.place)
		c.FillPolygon(bar.fill, corners(vg.Rectangle{Min: vg.Point{X: min(x(1), x(bar.ratio)), Y: y(top - 0.9*height)},
			Max: vg.Point{X: max(x(1)+vg.Points(1), x(bar.ratio)), Y: y(top)}}))
	}
}
