package exchange

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/device"
)

// hex writes a row as the reference prints it.
func hex(row []uint32) string {
	s := make([]string, len(row))
	for i, w := range row {
		s[i] = fmt.Sprintf("%08x", w)
	}
	return strings.Join(s, " ")
}

func msg(source int32, words int32, addr uint32, dests ...Dest) Message {
	return Message{Source: source, SourceAddrs: []uint32{addr}, Dests: dests, Words: words}
}

func paired(m Message) Message {
	m.Paired = true
	return m
}

// planned schedules p at the given starts.
func planned(t testing.TB, p *Problem, starts ...int32) *Schedule {
	t.Helper()
	s := &Schedule{Start: starts}
	streams, err := TileStreams(p, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range streams {
		s.TileHorizon = append(s.TileHorizon, st.Horizon)
		s.Horizon = max(s.Horizon, st.Horizon)
	}
	return s
}

// Reference: exchange.md §8.4, absolute addressing.
func TestEncodePhaseWorkedRows(t *testing.T) {
	one := msg(5, 64, 0x60000, Dest{100, 0x68000})
	type row struct {
		tile    int
		horizon int32
		words   string
	}
	for _, c := range []struct {
		name     string
		messages []Message
		starts   []int32
		rows     []row
	}{
		{"one message", []Message{one}, []int32{32}, []row{
			{5, 96, "40a0001f 7fec0001 43a00000"},
			{100, 130, "64000082 61d9a000 6400c640 40a00040 43a00000"}}},
		{"two, contiguous", []Message{one, msg(6, 64, 0x60000, Dest{100, 0x68100})}, []int32{32, 94}, []row{
			{6, 158, "40a0005d 7fec0001 43a00000"},
			{100, 194, "64000082 61d9a000 6400c0c0 640fc640 40a00040 43a00000"}}},
		{"two, apart", []Message{one, msg(6, 64, 0x60000, Dest{100, 0x69000})}, []int32{32, 94}, []row{
			{100, 194, "64000082 61d9a000 6400c0c0 61d9a400 6400c640 40a00040 43a00000"}}},
		{"neutral and pointer coincide", []Message{msg(5, 60, 0x60000, Dest{100, 0x68000})}, []int32{32}, []row{
			{100, 126, "64000082 40a0003a f7e00000 1901a000 40a00001 43a00000"}}},
		{"pair inside a send", []Message{msg(5, 60, 0x60000, Dest{100, 0x68000}), msg(100, 100, 0x60000, Dest{200, 0x68000})}, []int32{32, 36}, []row{
			{100, 136, "64000082 40a00022 780c0001 72c00001 f7ec00c1 1901a000 71600001 43a00000"}}},
		{"paired", []Message{paired(msg(0, 128, 0x60000, Dest{2, 0x68000}, Dest{3, 0x68000}))}, []int32{31}, []row{
			{0, 95, "40a0001e 7fe60005 43a00000"},
			{1, 95, "40a0005e 43a00000"},
			{2, 125, "64002000 61a40001 6009a000 64022640 61a40000 40a00006 43a00000"},
			{3, 125, "61ac0001 6009a000 61ec0000 40a00006 43a00000"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Tiles: device.NumTiles, Messages: c.messages}
			s := planned(t, p, c.starts...)
			rows, err := EncodePhase(p, s)
			if err != nil {
				t.Fatal(err)
			}
			involved := make(map[int]bool)
			for _, m := range c.messages {
				involved[int(m.Source)] = true
				involved[int(m.Source)^1] = involved[int(m.Source)^1] || m.Paired
				for _, d := range m.Dests {
					involved[int(d.Tile)] = true
				}
			}
			for tile, row := range rows {
				if (row != nil) != involved[tile] {
					t.Errorf("tile %d: row %s", tile, hex(row))
				}
			}
			for _, r := range c.rows {
				if got := hex(rows[r.tile]); got != r.words {
					t.Errorf("tile %d\n got %s\nwant %s", r.tile, got, r.words)
				}
				if s.TileHorizon[r.tile] != r.horizon {
					t.Errorf("tile %d: horizon %d, want %d", r.tile, s.TileHorizon[r.tile], r.horizon)
				}
			}
		})
	}
}

// Stand-alone SDK rows in point form, receiver source 0 (reference: exchange.md
// §8.4); their return word is added here.
func TestEncodeTileSDKRows(t *testing.T) {
	send := func(x, n int32, ctl uint8) []RowSend { return []RowSend{{x, n, 0, ctl}} }
	receive := func(pointer, neutral int32) []RowControl {
		c := []RowControl{{113, SourceStream, 0, 0}, {pointer, PointerStream, 0, 0}, {neutral, SourceStream, 0, device.NeutralSource}}
		if neutral < pointer {
			c[1], c[2] = c[2], c[1]
		}
		return c
	}
	for _, c := range []struct {
		name     string
		sends    []RowSend
		controls []RowControl
		horizon  int32
		want     string
	}{
		{"0→1286, 3 w", send(135, 3, 1), nil, 138, "40a00086 78400001"},
		{"0→1286, 3 w, receiver", nil, receive(165, 116), 173, "641c0000 64008640 61800000 40a00007"},
		{"736→100, 52 w", send(63, 52, 2), nil, 115, "40a0003e 7e600002"},
		{"736→100, 52 w, receiver", nil, receive(172, 173), 230, "641c0000 61d00000 64000640 40a00038"},
		{"1286→1471, 65 w", send(126, 65, 2), nil, 191, "40a0007d 7fe00002 70000002"},
		{"1286→1471, 65 w, receiver", nil, receive(165, 178), 235, "641c0000 61980000 64030640 40a00038"},
		{"32→0, 4148 w", send(109, 4148, 1), nil, 4257, "40a0006c 7fe00001 766fc001"},
		{"32→0, 4148 w, receiver", nil, receive(165, 4261), 4318, "641c0000 61980000 67ffc640 40a00038"},
		// The gap-free SDK row of §2.3: sources 52 events apart, pointers trailing by 52.
		{"four back-to-back receives", nil, []RowControl{
			{1, SourceStream, 0, 130}, {53, SourceStream, 0, 192}, {53, PointerStream, 0, 0x14048},
			{105, SourceStream, 0, 194}, {105, PointerStream, 0, 0x15000},
			{157, SourceStream, 0, 256}, {157, PointerStream, 0, 0x16000},
			{209, SourceStream, 0, device.NeutralSource}, {209, PointerStream, 0, 0x17000},
		}, 266, "64000082 40a00032 f6600000 03014048 f6600000 03095000 f6600000 04016000 f7200000 19017000"},
		// The pair of §2.3's second vector: 76 words from 0x14000, controls at the 34th.
		{"pair after a 33-word send", []RowSend{{4, 76, 0x14000, 1}}, []RowControl{
			{38, PointerStream, 0, 0x15000}, {38, SourceStream, 0, device.NeutralSource}}, 80,
			"40a00003 7c0a0001 f54a0109 19015000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			row, err := EncodeTile(c.sends, c.controls, c.horizon)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := hex(row), c.want+" 43a00000"; got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// Row lengths without the return word (reference: exchange.md §8.2).
func TestEncodeTileLength(t *testing.T) {
	x := func(event int32) RowControl { return RowControl{event, SourceStream, 0, 7} }
	p := func(event int32) RowControl { return RowControl{event, PointerStream, 0, 7} }
	c := func(cs ...RowControl) []RowControl { return cs }
	const d = device.MaxDelay
	for _, tc := range []struct {
		name     string
		sends    []RowSend
		controls []RowControl
		horizon  int32
		words    int
	}{
		{"gap", nil, nil, d, 1},
		{"long gap", nil, nil, d + 1, 2},
		{"gap and send", []RowSend{{9, 64, 0, 1}}, nil, 73, 2},
		{"source control, 4096", nil, c(x(4096)), 4096, 1},
		{"source control, 4097", nil, c(x(4097)), 4097, 2},
		{"pointer control, 128", nil, c(p(128)), 128, 1},
		{"pointer control, 129", nil, c(p(129)), 129, 2},
		{"pointer control, long gap", nil, c(p(d + 129)), d + 129, 3},
		{"pair at once", nil, c(x(1), p(1)), 1, 2},
		{"pair after a gap needs two delays", nil, c(x(3), p(3)), 3, 4},
		{"pair, then the gap it covers", nil, c(x(1), p(1), x(66)), 66, 3},
		{"pair, then a longer gap", nil, c(x(1), p(1)), 66, 3},
		{"message of 64", []RowSend{{0, 64, 0, 1}}, nil, 64, 1},
		{"message of 65", []RowSend{{0, 65, 0, 1}}, nil, 65, 2},
		{"message of 4160", []RowSend{{0, 4160, 0, 1}}, nil, 4160, 2},
		{"message of 4161", []RowSend{{0, 4161, 0, 1}}, nil, 4161, 3},
		{"single inside", []RowSend{{0, 64, 0, 1}}, c(x(10)), 64, 2},
		{"single at the end", []RowSend{{0, 64, 0, 1}}, c(x(64)), 64, 2},
		{"two singles inside", []RowSend{{0, 64, 0, 1}}, c(x(10), p(20)), 64, 3},
		{"two singles, 65 apart", []RowSend{{0, 100, 0, 1}}, c(x(10), p(75)), 100, 4},
		{"pair inside", []RowSend{{0, 64, 0, 1}}, c(x(10), p(10)), 64, 4},
		{"pair inside, behind a delay", []RowSend{{1, 64, 0, 1}}, c(x(11), p(11)), 65, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			row, err := EncodeTile(tc.sends, tc.controls, tc.horizon)
			if err != nil {
				t.Fatal(err)
			}
			if len(row)-1 != tc.words {
				t.Errorf("%d words, want %d: %s", len(row)-1, tc.words, device.Disassemble(row, 0))
			}
			checkRoundTrip(t, row, tc.sends, tc.controls, tc.horizon)
		})
	}
}

// A pair on an odd word splits the latest instruction of two events, the
// reference's choice, or an earlier one (exchange.md §8.3, §14 #15).
func TestEncodeTileParity(t *testing.T) {
	x := func(event int32) RowControl { return RowControl{event, SourceStream, 0, 7} }
	p := func(event int32) RowControl { return RowControl{event, PointerStream, 0, 9} }
	for _, tc := range []struct {
		name     string
		sends    []RowSend
		controls []RowControl
		horizon  int32
		want     []string
	}{
		{"delay before", nil, []RowControl{x(4), p(4)}, 5,
			[]string{"delay 2", "delay 1", "sendpicp"}},
		{"source delay", nil, []RowControl{x(5), x(6), p(6)}, 6,
			[]string{"delay 4", "delayxpic 1", "sendpicp"}},
		{"pointer delay", nil, []RowControl{p(5), x(6), p(6)}, 6,
			[]string{"delay 4", "delaypic 1", "sendpicp"}},
		{"delay before a one-event control", nil, []RowControl{p(200), x(201), p(202), x(202)}, 202,
			[]string{"delay 72", "delay 127", "delaypic 1", "delayxpic 1", "sendpicp"}},
		{"send chunk before", []RowSend{{0, 9, 0, 1}}, []RowControl{x(8), p(8)}, 9,
			[]string{"send 1", "sendoff 6", "sendpicp 2"}},
		{"send with a control before", []RowSend{{1, 9, 0, 1}}, []RowControl{x(4), x(8), p(8)}, 10,
			[]string{"delay 1", "send 2", "sendpic 3", "sendoff 1", "sendpicp 3"}},
		{"idle pair of more events", nil, []RowControl{x(1), p(1), x(4), x(5), p(5)}, 5,
			[]string{"sendpicp 2", "delay 1", "delayxpic 1", "sendpicp"}},
		{"pair inside a send of more events", []RowSend{{0, 9, 0, 1}}, []RowControl{x(3), p(3), x(6), x(7), p(7)}, 9,
			[]string{"send 1", "sendoff 1", "sendpicp 2", "sendoff 1", "sendpic 1", "sendpicp 3"}},
		{"earlier message", []RowSend{{0, 3, 0, 1}, {3, 9, 64, 1}}, []RowControl{x(5), p(5)}, 12,
			[]string{"send 3", "send 1", "sendpicp 8"}},
		{"earlier delay", []RowSend{{2, 1, 0, 1}, {3, 9, 64, 1}}, []RowControl{x(5), p(5)}, 12,
			[]string{"delay 1", "delay 1", "send 1", "send 1", "sendpicp 8"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			row, err := EncodeTile(tc.sends, tc.controls, tc.horizon)
			if err != nil {
				t.Fatal(err)
			}
			checkRoundTrip(t, row, tc.sends, tc.controls, tc.horizon)
			words := row
			for _, want := range tc.want {
				in, used, err := device.Decode(words)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(in.String()+",", want) {
					t.Fatalf("%s instead of %s in\n%s", in, want, device.Disassemble(row, 0))
				}
				words = words[used:]
			}
		})
	}
}

func TestEncodeTileErrors(t *testing.T) {
	x := func(event int32) RowControl { return RowControl{event, SourceStream, 0, 7} }
	p := func(event int32) RowControl { return RowControl{event, PointerStream, 0, 9} }
	for _, tc := range []struct {
		name     string
		sends    []RowSend
		controls []RowControl
		horizon  int32
		rule     string
		event    int32
	}{
		{"start", []RowSend{{-1, 2, 0, 1}}, nil, 9, "R1", -1},
		{"event 0", nil, []RowControl{x(0)}, 9, "R1", 0},
		{"overlap", []RowSend{{0, 5, 0, 1}, {4, 2, 0, 1}}, nil, 9, "R2", 4},
		{"two sources", nil, []RowControl{x(3), x(3)}, 9, "R4", 3},
		{"three controls", nil, []RowControl{x(3), p(3), x(3)}, 9, "R4", 3},
		{"order", nil, []RowControl{x(3), p(2)}, 9, "R4", 2},
		{"first event of a send", []RowSend{{4, 3, 0, 1}}, []RowControl{x(5)}, 9, "R5", 5},
		{"first event of an abutting send", []RowSend{{4, 3, 0, 1}, {7, 2, 0, 1}}, []RowControl{x(7), p(8)}, 9, "R5", 8},
		{"start of an abutting one-event send", []RowSend{{6, 1, 0, 1}, {7, 2, 0, 1}}, []RowControl{x(7)}, 9, "R5", 7},
		{"negative horizon", nil, nil, -1, "R14", -1},
		{"behind the horizon", nil, []RowControl{x(10)}, 9, "R14", 10},
		{"send behind the horizon", []RowSend{{4, 6, 0, 1}}, nil, 9, "R14", 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := EncodeTile(tc.sends, tc.controls, tc.horizon)
			var re *RowError
			if !errors.As(err, &re) {
				t.Fatalf("error %v", err)
			}
			if re.Rule != tc.rule || re.Event != tc.event {
				t.Errorf("rule %s at %d, want %s at %d", re.Rule, re.Event, tc.rule, tc.event)
			}
		})
	}
	for name, controls := range map[string][]RowControl{
		"second event":        {x(2), p(2)},
		"after single events": {x(1), p(1), x(2), x(3), p(3)},
	} {
		_, err := EncodeTile(nil, controls, 9)
		var pe *ParityError
		if !errors.As(err, &pe) || pe.Event != controls[len(controls)-1].Event {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for name, s := range map[string]RowSend{
		"address": {0, 2, 1 << 18, 1},
		"ctl":     {0, 2, 0, 9},
	} {
		if _, err := EncodeTile([]RowSend{s}, nil, 9); !errors.Is(err, device.ErrOperand) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestEncodePhaseErrors(t *testing.T) {
	p := &Problem{Phase: 4, Tiles: 128, Messages: []Message{
		msg(5, 20, 0x60000, Dest{100, 0x68000}),
		msg(6, 20, 0x60000, Dest{100, 0x69000}),
	}}
	good := planned(t, p, 100, 200)
	for _, c := range []struct {
		name  string
		start []int32
		want  string
	}{
		{"count", []int32{100}, "phase 4: 1 starts for 2 messages"},
		{"negative", []int32{100, -1}, "phase 4, message 1: start -1"},
		{"horizon", []int32{101, 200}, "phase 4, tile 5: exchange: row event 120 breaks R14"},
		{"overlap", []int32{185, 200}, "phase 4, tile 5"},
	} {
		_, err := EncodePhase(p, &Schedule{Start: c.start, Horizon: good.Horizon, TileHorizon: good.TileHorizon})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var re *RowError
	if _, err := TileStreams(p, &Schedule{Start: []int32{185, 200}}); !errors.As(err, &re) || re.Rule != "R3" {
		t.Errorf("overlapping receives: %v", err)
	}
}

// Event x of a send is free for controls that an idle instruction or the last
// event of an abutting send applies (reference: simulator.md §4).
func TestEncodeTileControlAtStart(t *testing.T) {
	x := func(event int32) RowControl { return RowControl{event, SourceStream, 0, 7} }
	p := func(event int32) RowControl { return RowControl{event, PointerStream, 0, 9} }
	for name, tc := range map[string]struct {
		sends    []RowSend
		controls []RowControl
	}{
		"idle":          {[]RowSend{{5, 3, 0, 1}}, []RowControl{x(5)}},
		"idle pair":     {[]RowSend{{5, 3, 0, 1}}, []RowControl{x(5), p(5)}},
		"abutting":      {[]RowSend{{2, 3, 0, 1}, {5, 3, 0, 1}}, []RowControl{p(5)}},
		"abutting pair": {[]RowSend{{2, 3, 0, 1}, {5, 3, 0, 1}}, []RowControl{x(5), p(5)}},
	} {
		row, err := EncodeTile(tc.sends, tc.controls, 9)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkRoundTrip(t, row, tc.sends, tc.controls, 9)
	}
}

// checkRoundTrip decodes a row event by event and compares it with what was
// encoded.
func checkRoundTrip(t testing.TB, row []uint32, sends []RowSend, controls []RowControl, horizon int32) {
	t.Helper()
	gotSends, gotControls, gotHorizon := decodeRow(t, row)
	if gotHorizon != horizon {
		t.Errorf("horizon %d, want %d", gotHorizon, horizon)
	}
	normal := func(c []RowControl) []RowControl {
		c = append([]RowControl(nil), c...)
		for i := 1; i < len(c); i++ {
			if c[i].Event == c[i-1].Event && c[i].Stream < c[i-1].Stream {
				c[i], c[i-1] = c[i-1], c[i]
			}
		}
		return c
	}
	if diff := cmp.Diff(append([]RowSend(nil), sends...), gotSends); diff != "" {
		t.Errorf("sends (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(normal(controls), gotControls); diff != "" {
		t.Errorf("controls (-want +got):\n%s", diff)
	}
}

// decodeRow reads a row back: sends, controls and horizon.
func decodeRow(t testing.TB, row []uint32) (sends []RowSend, controls []RowControl, horizon int32) {
	t.Helper()
	for at := 0; at < len(row)-1; {
		in, used, err := device.Decode(row[at:])
		if err != nil {
			t.Fatal(err)
		}
		if in.Op == device.OpSendPICP && at%2 != 0 {
			t.Errorf("sendpicp at word %d", at)
		}
		if !in.IsExchange() {
			t.Fatalf("%s in a row", in)
		}
		last := len(sends) - 1
		switch in.Op {
		case device.OpSend:
			sends = append(sends, RowSend{horizon, in.N, uint32(in.Addr), uint8(in.Ctl)})
		case device.OpSendPICP:
			if in.Ctl == 0 {
				break
			}
			if s := sends[last]; s.End() != horizon || uint32(in.Addr) != s.ItemAddr+uint32(s.Items) || uint8(in.Ctl) != s.Ctl {
				t.Errorf("%s at %d does not continue %+v", in, horizon, s)
			}
			sends[last].Items += in.N
		case device.OpSendOff, device.OpSendPIC:
			s := &sends[last]
			if s.End() != horizon || in.Delta != 0 || in.Op == device.OpSendOff && uint8(in.Ctl) != s.Ctl {
				t.Errorf("%s at %d does not continue %+v", in, horizon, *s)
			}
			s.Items += in.N
		}
		cs, n := in.Controls()
		for _, c := range cs[:n] {
			stream := SourceStream
			if c.PIC {
				stream = PointerStream
			}
			controls = append(controls, RowControl{horizon + c.Event, stream, uint8(c.Sel), uint32(c.Value)})
		}
		horizon += in.N
		at += used
	}
	if row[len(row)-1] != 0x43a00000 {
		t.Errorf("last word %08x", row[len(row)-1])
	}
	return sends, controls, horizon
}

// randomRow makes sends and controls out of bytes; they break no rule but maybe
// parity. With free, pairs of controls may fall on first events of sends.
func randomRow(data []byte, free bool) (sends []RowSend, controls []RowControl, horizon int32) {
	next := func() int32 {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		if b >= 250 && len(data) > 0 { // now and then a long stretch
			b2 := data[0]
			data = data[1:]
			return int32(b-249) * int32(b2) * 33
		}
		return int32(b % 100)
	}
	taken := make(map[int32]bool)
	end := int32(0)
	for len(sends) < 1+len(data)/4 && len(data) > 0 {
		s := RowSend{end + next(), 1 + next(), uint32(next()), 1 + uint8(next()%3)}
		sends = append(sends, s)
		taken[s.Start+1] = true
		end = s.End()
		if len(sends) > 40 {
			break
		}
	}
	event := int32(0)
	for len(data) > 0 && len(controls) < 200 {
		event += 1 + next()%64
		for taken[event] && !free {
			event++
		}
		kind := next()
		if taken[event] {
			kind = kind/3*3 + 2 // both
		}
		if kind%3 != 1 {
			controls = append(controls, RowControl{event, SourceStream, uint8(kind / 3 % 2), uint32(next() % 100)})
		}
		if kind%3 != 0 {
			controls = append(controls, RowControl{event, PointerStream, uint8(kind / 3 % 2), uint32(next() % 100)})
		}
	}
	return sends, controls, max(end, event) + next()
}

func FuzzEncodeTile(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 64, 8, 1, 0, 9, 9, 9, 2, 4, 1, 5, 2, 7, 7})
	f.Add([]byte{0, 252, 200, 9, 1, 1, 1, 2, 2, 2, 1, 2, 3, 1, 2, 2, 1, 2, 2, 1, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		sends, controls, horizon := randomRow(data, false)
		row, err := EncodeTile(sends, controls, horizon)
		var pe *ParityError
		if errors.As(err, &pe) {
			if !oddForced(sends, controls, pe.Event) {
				t.Fatalf("%v, but a row exists", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, row, sends, controls, horizon)
	})
}

// oddForced tells whether the pair at the event cannot be aligned: from the pair
// before it (or the row's start) on, an instruction has to begin at every cycle,
// and they make an odd number of words.
func oddForced(sends []RowSend, controls []RowControl, event int32) bool {
	begins := make(map[int32]bool)
	busy := func(cycle int32) bool {
		for _, s := range sends {
			if s.Start <= cycle && cycle < s.End() {
				return true
			}
		}
		return false
	}
	for _, s := range sends {
		begins[s.Start], begins[s.End()] = true, true
	}
	pairs := make(map[int32]int)
	for _, c := range controls {
		pairs[c.Event]++
	}
	for e, n := range pairs {
		if n == 2 || busy(e-1) {
			begins[e-1] = true // the control is at its instruction's first event
		} else {
			begins[e] = true // and here at its last
			if pairs[e-1] == 2 {
				begins[e-1] = true // two controls, two instructions
			}
		}
	}
	words := int32(0)
	for cycle := event - 2; cycle >= 0; cycle-- {
		words++
		if pairs[cycle+1] == 2 {
			return words%2 == 0 // the sendpicp has two words
		}
		if cycle > 0 && !begins[cycle] {
			return false
		}
	}
	return words%2 == 1
}
