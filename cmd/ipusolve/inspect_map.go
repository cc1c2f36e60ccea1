package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/lower"
)

// memoryMap is the memory of a tile over time.
type memoryMap struct {
	Tile   int        `json:"tile"`
	Events []string   `json:"events"` // what happens at each event
	Items  []mapItem  `json:"items"`  // by address
	Free   []mapRange `json:"free"`   // data addresses that no item ever holds
	Start  uint32     `json:"start"`  // of the data addresses
	End    uint32     `json:"end"`
}

// exchangeEvent begins the names of events that are exchanges.
const exchangeEvent = "exchange "

// mapItem is one item: its addresses, its life in events, both inclusive.
type mapItem struct {
	Start uint32 `json:"start"`
	End   uint32 `json:"end"`
	First int32  `json:"first"`
	Last  int32  `json:"last"`
	Kind  string `json:"kind"`
	Class string `json:"class"`
	Value string `json:"value"`
}

type mapRange struct {
	Start uint32 `json:"start"`
	End   uint32 `json:"end"`
}

// memoryMap draws the package's plan at its addresses.
func (l *loaded) memoryMap(tile int) (*memoryMap, error) {
	prog, m, err := ipusolve.Placed(l.app)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.path, err)
	}
	v := &memoryMap{Tile: tile, Events: []string{"start"}, Items: []mapItem{}, Free: []mapRange{}, Start: device.InterleaveBase, End: m.InterleavedEnd}
	for i := range prog.Tiles[tile] {
		w := &prog.Tiles[tile][i]
		if w.Kind == lower.WorkExchange {
			v.Events = append(v.Events, fmt.Sprintf("%s%d", exchangeEvent, w.Phase))
		} else {
			v.Events = append(v.Events, w.Spec.Symbol())
		}
	}
	v.Events = append(v.Events, "end")
	for i := range prog.Items {
		it := &prog.Items[i]
		if int(it.Tile) == tile && it.Bytes > 0 {
			v.Items = append(v.Items, mapItem{it.Addr, it.Addr + it.Bytes, it.First, it.Last, it.Kind.String(), it.Class.String(), prog.Plan.Values[it.Value].Name})
		}
	}
	slices.SortStableFunc(v.Items, func(a, b mapItem) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.First, b.First)) })
	for _, r := range append(slices.Clone(m.Standard), lower.Range{Start: device.InterleaveBase, End: m.InterleavedEnd}) {
		v.Start = min(v.Start, r.Start)
		at := r.Start
		for i := range v.Items { // by start
			x := &v.Items[i]
			if x.Start >= r.End || x.End <= at {
				continue
			}
			if x.Start > at {
				v.Free = append(v.Free, mapRange{at, x.Start})
			}
			at = max(at, x.End)
		}
		if at < r.End {
			v.Free = append(v.Free, mapRange{at, r.End})
		}
	}
	return v, nil
}

// mapColumns is the most characters of a life in the text map.
const mapColumns = 64

// print writes one line per item, by address, with its life as a bar.
func (v *memoryMap) print(w io.Writer) {
	n := len(v.Events)
	per := (n + mapColumns - 1) / mapColumns
	fmt.Fprintf(w, "\ntile %d over time: %d events, %d a column; | exchange, . kernels\n\n", v.Tile, n, per)
	head := make([]byte, (n+per-1)/per)
	for k := range head {
		head[k] = '.'
		for e := k * per; e < min(n, (k+1)*per); e++ {
			if strings.HasPrefix(v.Events[e], exchangeEvent) {
				head[k] = '|'
			}
		}
	}
	fmt.Fprintf(w, "addresses\tbytes\telements\titem\tevents\t%s\n", head)
	for i := range v.Items {
		x := &v.Items[i]
		bar := []byte(strings.Repeat(" ", len(head)))
		for k := int(x.First) / per; k <= int(x.Last)/per; k++ {
			bar[k] = '#'
		}
		fmt.Fprintf(w, "%#x-%#x\t%d\t%s\t%s of %s\t%d-%d\t%s\n", x.Start, x.End, x.End-x.Start,
			elementText(device.Elements(x.Start, x.End-x.Start)), x.Kind, x.Value, x.First, x.Last, strings.TrimRight(string(bar), " "))
	}
	for _, r := range v.Free {
		fmt.Fprintf(w, "%#x-%#x\t%d\t%s\tfree\t-\t\n", r.Start, r.End, r.End-r.Start, elementText(device.Elements(r.Start, r.End-r.Start)))
	}
}
