package main

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// figure is a plot with its legend beside it.
type figure struct {
	plot          *plot.Plot
	legend        plot.Legend
	width, height vg.Length
}

// sans is the variant of the fonts.
const sans = "Sans"

// newPlot is an empty plot.
func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Title.Padding = title, vg.Points(6)
	for _, s := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Variant = sans
	}
	return p
}

func newLegend() plot.Legend {
	l := plot.NewLegend()
	l.Top, l.Left, l.Padding = true, true, vg.Points(3)
	l.TextStyle.Font.Variant, l.TextStyle.Font.Size = sans, 10
	return l
}

// legendWidth is what the legend takes on the right.
const legendWidth = 1.9 * vg.Inch

func writeSVG(w io.Writer, f figure) error {
	c := vgsvg.New(f.width, f.height)
	f.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

func (f *figure) draw(c draw.Canvas) {
	c.FillPolygon(color.White, corners(c.Rectangle))
	f.plot.Draw(draw.Crop(c, vg.Points(6), -legendWidth, vg.Points(6), -vg.Points(6)))
	f.legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-legendWidth+vg.Points(12), 0, 0, -vg.Points(28)))
}

// corners lists those of a rectangle, the first one twice.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
}

// swatch is a box of the legend, or a line of it.
type swatch struct {
	fill  color.Color // nil: none
	line  draw.LineStyle
	level bool // a horizontal line instead of a box
}

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	if s.level {
		y := (c.Min.Y + c.Max.Y) / 2
		c.StrokeLine2(s.line, c.Min.X, y, c.Max.X, y)
		return
	}
	if s.fill != nil {
		c.FillPolygon(s.fill, corners(c.Rectangle))
	}
	c.StrokeLines(s.line, corners(c.Rectangle))
}
