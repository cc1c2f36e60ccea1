package ipusolve

import (
	"context"
	"testing"

	"ipusolve/exchange"
)

// counted counts what it is asked.
type counted struct {
	Scheduler
	asked int
}

func (c *counted) Schedule(ctx context.Context, p *exchange.Problem) (*exchange.Schedule, string, error) {
	c.asked++
	return c.Scheduler.Schedule(ctx, p)
}

// TestSchedulesOfEqualMessages takes a schedule for the same messages at other
// addresses, unless these make it illegal: tile 0 then reads the element that it
// receives in.
func TestSchedulesOfEqualMessages(t *testing.T) {
	both := func(from, to uint32) *exchange.Problem {
		return &exchange.Problem{Tiles: 64, Messages: []exchange.Message{
			{Source: 0, SourceAddrs: []uint32{from}, Words: 40, Dests: []exchange.Dest{{Tile: 1, Addr: 0x70000}}},
			{Source: 1, SourceAddrs: []uint32{0x78000}, Words: 40, Dests: []exchange.Dest{{Tile: 0, Addr: to}}},
		}}
	}
	first, moved, shared := both(0x60000, 0x70000), both(0x64000, 0x74000), both(0x60000, 0x60100)
	for _, p := range []*exchange.Problem{moved, shared} {
		if messagesOf(p, 0) != messagesOf(first, 0) {
			t.Fatal("equal messages have different names")
		}
	}
	if messagesOf(first, 0) == messagesOf(first, 1) {
		t.Error("phases with and without shared elements have one name")
	}
	other := both(0x60000, 0x70000)
	other.Messages[1].Words = 41
	if messagesOf(first, 0) == messagesOf(other, 0) {
		t.Error("different messages have one name")
	}

	a, s := &alike{}, &counted{Scheduler: List{}}
	for i, c := range []struct {
		p     *exchange.Problem
		asked int
	}{{first, 1}, {moved, 1}, {shared, 2}, {moved, 2}, {shared, 2}} {
		got, err := a.schedule(context.Background(), c.p, s)
		if err != nil {
			t.Fatal(err)
		}
		if !got.holds(c.p) {
			t.Errorf("phase %d: no schedule of it", i)
		}
		if s.asked != c.asked {
			t.Errorf("phase %d: the scheduler was asked %d times, want %d", i, s.asked, c.asked)
		}
	}
}
