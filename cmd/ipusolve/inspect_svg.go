package main

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ipusolve/device"
)

// mapColours of items by kind, in the order of the legend; free space stays
// white, what is not for data grey.
var mapColours = []struct {
	kind  string
	color color.NRGBA
}{
	{"value", color.NRGBA{0x6a, 0xa5, 0xd8, 0xff}},
	{"partial", color.NRGBA{0xe8, 0xa3, 0x5c, 0xff}},
	{"remote", color.NRGBA{0x88, 0xbf, 0x77, 0xff}},
	{"free", color.NRGBA{0xff, 0xff, 0xff, 0xff}},
	{"code, exchange rows", color.NRGBA{0xd0, 0xd0, 0xd0, 0xff}},
}

func mapColour(kind string) color.NRGBA {
	for _, c := range mapColours {
		if c.kind == kind {
			return c.color
		}
	}
	panic("no colour of " + kind)
}

// svg draws addresses upwards against events: items as boxes, exchange events
// shaded, SRAM elements ruled.
func (v *memoryMap) svg(w io.Writer) error { return writeSVG(w, v.figure()) }

func (v *memoryMap) figure() figure {
	p := newPlot(fmt.Sprintf("memory of tile %d over time", v.Tile))
	p.X.Label.Text, p.Y.Label.Text = "event", "address, by SRAM element"
	p.X.Min, p.X.Max = 0, float64(len(v.Events))
	p.Y.Min, p.Y.Max = float64(v.Start), float64(v.End)
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = v.eventTicks(), v.elementTicks()
	p.X.Tick.Label.Rotation = -0.6
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XLeft, draw.YTop
	p.Add(mapBoxes{v})
	f := figure{p, newLegend(), 14 * vg.Inch, 9 * vg.Inch}
	for _, c := range mapColours {
		f.legend.Add(c.kind, swatch{fill: c.color, line: outline})
	}
	f.legend.Add("exchange", swatch{fill: exchangeShade, line: outline})
	f.legend.Add("SRAM elements", swatch{line: elementRule, level: true})
	return f
}

var (
	outline       = draw.LineStyle{Color: color.Gray{0x40}, Width: vg.Points(0.5)}
	elementRule   = draw.LineStyle{Color: color.NRGBA{0xb0, 0x30, 0x30, 0xff}, Width: vg.Points(0.4), Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}
	exchangeShade = color.NRGBA{0, 0, 0, 0x18}
)

// eventTicks name the exchanges and the ends of the program. They stand in the
// middle of their events.
func (v *memoryMap) eventTicks() plot.ConstantTicks {
	var t plot.ConstantTicks
	for e, name := range v.Events {
		if e == 0 || e == len(v.Events)-1 || strings.HasPrefix(name, exchangeEvent) {
			t = append(t, plot.Tick{Value: float64(e) + 0.5, Label: name})
		}
	}
	return t
}

// elementTicks name the first address of every SRAM element, or of every pair of
// an interleaved region.
func (v *memoryMap) elementTicks() plot.ConstantTicks {
	var t plot.ConstantTicks
	for _, at := range v.borders() {
		t = append(t, plot.Tick{Value: float64(at), Label: fmt.Sprintf("%s  %#x", elementText(device.Elements(at, 1)), at)})
	}
	return t
}

// borders lists the first data address and where other elements begin.
func (v *memoryMap) borders() []uint32 {
	var list []uint32
	for at := v.Start; at < v.End; {
		list = append(list, at)
		step := uint32(device.StandardElement)
		if at >= device.InterleaveBase {
			step = device.InterleaveElement
		}
		at = at/step*step + step
	}
	return list
}

// mapBoxes is the plotter of a memory map.
type mapBoxes struct{ *memoryMap }

// Plot implements plot.Plotter.
func (v mapBoxes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	box := func(first, last int, start, end uint32, fill color.Color) []vg.Point {
		list := corners(vg.Rectangle{Min: vg.Point{X: x(float64(first)), Y: y(float64(start))}, Max: vg.Point{X: x(float64(last)), Y: y(float64(end))}})
		c.FillPolygon(fill, list)
		return list
	}
	n := len(v.Events)
	white := mapColour("free")
	box(0, n, v.Start, v.End, mapColour("code, exchange rows"))
	for _, r := range v.Free {
		box(0, n, r.Start, r.End, white)
	}
	for i := range v.Items { // what is free while an item is dead shows too
		box(0, n, v.Items[i].Start, v.Items[i].End, white)
	}
	name := p.X.Tick.Label
	name.Rotation, name.XAlign, name.YAlign, name.Color = 0, draw.XCenter, draw.YCenter, color.Black
	// write puts a text into a box if it fits.
	write := func(edge []vg.Point, style draw.TextStyle, text string) {
		wide, high := edge[2].X-edge[0].X, edge[2].Y-edge[0].Y
		if style.Width(text) < wide && style.Height(text) < high {
			c.FillText(style, vg.Point{X: edge[0].X + wide/2, Y: edge[0].Y + high/2}, text)
		}
	}
	// The largest first, so that what lies inside another item is seen.
	items := slices.Clone(v.Items)
	slices.SortStableFunc(items, func(a, b mapItem) int { return cmp.Compare(b.End-b.Start, a.End-a.Start) })
	for i := range items {
		it := &items[i]
		edge := box(int(it.First), int(it.Last)+1, it.Start, it.End, mapColour(it.Kind))
		c.StrokeLines(outline, edge)
		label := fmt.Sprintf("%s of %s", it.Kind, it.Value)
		if it.Kind == "value" {
			label = it.Value
		}
		write(edge, name, label)
	}
	for e, name := range v.Events {
		if strings.HasPrefix(name, exchangeEvent) {
			box(e, e+1, v.Start, v.End, exchangeShade)
		}
	}
	faint := name
	faint.Color = color.Gray{0x80}
	for _, r := range v.Free {
		edge := corners(vg.Rectangle{Min: vg.Point{X: x(0), Y: y(float64(r.Start))}, Max: vg.Point{X: x(float64(n)), Y: y(float64(r.End))}})
		write(edge, faint, fmt.Sprintf("free: %d bytes", r.End-r.Start))
	}
	for _, at := range v.borders() {
		c.StrokeLine2(elementRule, c.Min.X, y(float64(at)), c.Max.X, y(float64(at)))
	}
}
