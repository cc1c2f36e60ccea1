package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"ipusolve/device"
)

// Measures of the picture in pixels.
const (
	svgWidth, svgHeight = 1200, 800
	svgLeft, svgTop     = 90, 40
	svgRight, svgBottom = 20, 70
)

// svgColours of items by kind; free space stays white, what is not for data grey.
var svgColours = map[string]string{"value": "#6aa5d8", "partial": "#e8a35c", "remote": "#88bf77"}

// svg draws addresses upwards against events, items as boxes, SRAM elements as
// lines.
func (v *memoryMap) svg(w io.Writer) error {
	var b bytes.Buffer
	width, height := float64(svgWidth-svgLeft-svgRight), float64(svgHeight-svgTop-svgBottom)
	x := func(event int32) float64 { return svgLeft + width*float64(event)/float64(len(v.Events)) }
	y := func(addr uint32) float64 {
		return svgTop + height*(1-float64(addr-v.Start)/float64(v.End-v.Start))
	}
	text := func(s string) string {
		var t bytes.Buffer
		_ = xml.EscapeText(&t, []byte(s)) // a buffer takes all
		return t.String()
	}
	box := func(first, last int32, start, end uint32, fill, stroke, title string) {
		fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"%s\"><title>%s</title></rect>\n",
			x(first), y(end), x(last)-x(first), y(start)-y(end), fill, stroke, text(title))
	}
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", svgWidth, svgHeight)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n<text x=\"%d\" y=\"24\" font-size=\"15\">memory of tile %d over time</text>\n", svgWidth, svgHeight, svgLeft, v.Tile)
	n := int32(len(v.Events))
	box(0, n, v.Start, v.End, "#d8d8d8", "none", "code, exchange rows")
	for _, r := range v.Free {
		box(0, n, r.Start, r.End, "white", "none", fmt.Sprintf("free, %d bytes", r.End-r.Start))
	}
	for i := range v.Items { // what is free while an item is dead shows too
		box(0, n, v.Items[i].Start, v.Items[i].End, "white", "none", "")
	}
	for e, name := range v.Events {
		if len(name) > 9 && name[:9] == "exchange " {
			fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"#000000\" fill-opacity=\"0.07\"/>\n", x(int32(e)), svgTop, width/float64(n), height)
			fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" transform=\"rotate(45 %.1f %d)\">%s</text>\n", x(int32(e)), svgHeight-svgBottom+14, x(int32(e)), svgHeight-svgBottom+14, text(name))
		}
	}
	for i := range v.Items {
		it := &v.Items[i]
		title := fmt.Sprintf("%s of %s, %d bytes at %#x, events %d to %d", it.Kind, it.Value, it.End-it.Start, it.Start, it.First, it.Last)
		box(it.First, it.Last+1, it.Start, it.End, svgColours[it.Kind], "#404040", title)
		if y(it.Start)-y(it.End) >= 11 && x(it.Last+1)-x(it.First) >= 60 {
			fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x(it.First)+3, (y(it.Start)+y(it.End))/2+4, text(it.Value))
		}
	}
	for at := v.Start; at < v.End; {
		e := device.Element(at)
		next := at
		for next < v.End && device.Element(next) == e {
			next += 16
		}
		fmt.Fprintf(&b, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#b03030\" stroke-width=\"0.5\" stroke-dasharray=\"4 3\"/>\n", svgLeft, svgWidth-svgRight, y(at), y(at))
		fmt.Fprintf(&b, "<text x=\"4\" y=\"%.1f\">%s %#x</text>\n", y(at)-2, elementText(device.Elements(at, 1)), at)
		at = next
	}
	k := 0
	for _, kind := range []string{"value", "partial", "remote"} {
		fmt.Fprintf(&b, "<rect x=\"%d\" y=\"14\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"24\">%s</text>\n", 700+90*k, svgColours[kind], 716+90*k, kind)
		k++
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}
