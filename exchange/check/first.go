package check

import (
	"slices"
	"sort"

	"ipusolve/device"
	"ipusolve/exchange"
)

// Under exchange.FirstEvent a sendpicp may begin a message (reference: exchange.md
// §14, freedom 4). It sets both controls, one of which may only repeat what is in
// force. settle takes such repeats out of a row, so that everything else is about
// controls that do something:
//
//   - a source that is selected already, unless its tile begins another message for
//     that event: then it is the select of a second receive;
//   - the address at which the next word would be stored anyway;
//   - a pointer before the first one that a receive needs, if it has the same value.
//
// rows are those of all tiles; of others only sends are read.
func (r *tileRow) settle(tile int, rows []tileRow) {
	if len(r.began) == 0 {
		return
	}
	to := device.Physical(tile)
	current := int32(device.NeutralSource)
	kept := make([]control, 0, len(r.source))
	for _, c := range r.source {
		if r.begins(c.event) && c.sel == device.SelSource && c.value == current && !beginsFor(rows, to, c) {
			continue
		}
		if c.sel == device.SelSource {
			current = c.value
		}
		kept = append(kept, c)
	}
	r.source = kept
	r.settlePointers(int32(device.WriteDelay(to)))
}

// begins tells whether a sendpicp sets its controls at the event while it begins a
// message.
func (r *tileRow) begins(event int32) bool {
	_, ok := slices.BinarySearch(r.began, event)
	return ok
}

// beginsFor tells whether the tile that a control selects begins a message whose first
// word passes at the event.
func beginsFor(rows []tileRow, to int, c control) bool {
	if c.value < 0 || c.value >= device.NumTiles || device.Logical(int(c.value)) >= len(rows) {
		return false
	}
	sends := rows[device.Logical(int(c.value))].sends
	x := c.event - 1 - int32(device.RouteDelay(int(c.value), to))
	i := sort.Search(len(sends), func(i int) bool { return sends[i].start >= x })
	return i < len(sends) && sends[i].start == x
}

// settlePointers follows the pointer: it advances with each word that was selected
// delay events before.
func (r *tileRow) settlePointers(delay int32) {
	// heard[i] counts the selected events before source control i.
	heard := make([]int32, len(r.source))
	first := int32(-1) // event of the first select
	for i, c := range r.source {
		if i > 0 {
			heard[i] = heard[i-1]
			if before := r.source[i-1]; before.value != device.NeutralSource {
				heard[i] += c.event - before.event
			}
		}
		if first < 0 && c.value != device.NeutralSource {
			first = c.event
		}
	}
	// until counts those before an event.
	until := func(event int32) int32 {
		i := sort.Search(len(r.source), func(i int) bool { return r.source[i].event >= event }) - 1
		if i < 0 {
			return 0
		}
		n := heard[i]
		if r.source[i].value != device.NeutralSource {
			n += event - r.source[i].event
		}
		return n
	}
	start, ok := at(r.pic, first+delay, device.SelPointer)
	ok = ok && first >= 0
	kept := make([]control, 0, len(r.pic))
	var last *control
	for i := range r.pic {
		c := &r.pic[i]
		if r.begins(c.event) && c.sel == device.SelPointer {
			switch {
			case last != nil && c.value == last.value+until(c.event-delay)-until(last.event-delay):
				continue
			case last == nil && ok && c.event < first+delay && c.value == start:
				continue
			}
		}
		if c.sel == device.SelPointer {
			last = c
		}
		kept = append(kept, *c)
	}
	r.pic = kept
}

// mayBegin tells whether send k of the tile may begin with controls.
func (c *checker) mayBegin(v *view, k int) bool {
	if c.p.Freedom != exchange.FirstEvent || slices.ContainsFunc(v.receives, func(r receive) bool { return r.paired }) {
		return false
	}
	m := &c.p.Messages[v.sends[k].message]
	if m.Paired {
		return false
	}
	if k == 0 || v.sends[k-1].end() != v.sends[k].x {
		return true
	}
	before := &c.p.Messages[v.sends[k-1].message]
	return ctl(before) != ctl(m) || before.SourceAddrs[0]+4*uint32(before.Words) != m.SourceAddrs[0]
}
