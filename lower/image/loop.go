package image

import (
	"fmt"
	"math"
	"slices"

	"ipusolve/device"
	"ipusolve/lower"
)

// loop is a repeat as a tile executes it. Its frame lies on the supervisor's stack:
// word 0 counts the iterations left, word k+1 points to iterated item k (reference:
// device.md §6.6).
type loop struct {
	begin, end int // body in the work list
	count      int
	items      []int32 // that pointers point to
	addr       []uint32
	stride     []uint32
	frame      int // address
	body       int // address of the first word of the body, set by enter
	start      int // address of the tile's code
}

// frameBytes is the size of a frame with n pointers.
func frameBytes(n int) int { return (n + 1 + 1) / 2 * 8 }

// loop is the repeat of a tile; nil if it has nothing to do in one.
func (e *emitter) loop(tile int) *loop {
	r := e.prog.Repeat
	if r == nil || r.Begin[tile] == r.End[tile] {
		return nil
	}
	l := &loop{begin: int(r.Begin[tile]), end: int(r.End[tile]), count: int(r.Count), items: e.prog.Pointers(tile), start: int(e.m.Code.Start)}
	for _, x := range l.items {
		l.addr = append(l.addr, e.prog.Items[x].Addr)
		l.stride = append(l.stride, e.prog.Items[x].Stride)
	}
	l.frame = device.SupervisorStack - frameBytes(len(l.items))
	return l
}

// enter sets up the frame.
func (l *loop) enter(c *coder) {
	if l.frame < device.EndCycleWord+4 && c.err == nil {
		c.err = fmt.Errorf("a repeat with %d pointers does not fit the stack", len(l.items))
	}
	c.emit(device.SetZI(device.RegStack, l.frame))
	c.emit(device.SetZI(device.RegScratch, l.count), device.St32(device.RegScratch, device.RegStack, device.RegZero, 0))
	for k, a := range l.addr {
		c.emit(device.SetZI(device.RegScratch, int(a)), device.St32(device.RegScratch, device.RegStack, device.RegZero, k+1))
	}
	l.body = l.start + 4*len(c.words)
}

// pointer sets a register to a position in an iterated item.
func (l *loop) pointer(c *coder, reg int, a lower.Arg) error {
	k := -1
	if l != nil {
		k = slices.Index(l.items, a.Item)
	}
	if k < 0 {
		return fmt.Errorf("item %d is iterated, the work is in no repeat", a.Item)
	}
	c.emit(device.Ld32(reg, device.RegStack, device.RegZero, k+1))
	c.add(reg, a.Value)
	return nil
}

// add adds a constant to a register, in lower.AddWords(v) instructions.
func (c *coder) add(reg int, v uint32) {
	for v > 0 {
		n := min(v, math.MaxInt16)
		c.emit(device.Add(reg, reg, int(n)))
		v -= n
	}
}

// again ends the body: pointers go on, and the next iteration starts unless this
// was the last.
func (l *loop) again(c *coder) {
	for k, s := range l.stride {
		c.emit(device.Ld32(device.RegScratch, device.RegStack, device.RegZero, k+1))
		c.add(device.RegScratch, s)
		c.emit(device.St32(device.RegScratch, device.RegStack, device.RegZero, k+1))
	}
	out := l.start + 4*(len(c.words)+6)
	c.emit(device.Ld32(device.RegScratch, device.RegStack, device.RegZero, 0), device.Add(device.RegScratch, device.RegScratch, -1),
		device.St32(device.RegScratch, device.RegStack, device.RegZero, 0), device.Brz(device.RegScratch, out))
	c.emit(jump(uint32(l.body))...)
}
