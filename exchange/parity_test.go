package exchange

import (
	"errors"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
)

// TestParityFaultIsEncoders holds the rule about parities against the encoder,
// which finds out by writing the row, with and without pairs at first events of sends.
func TestParityFaultIsEncoders(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	faults, begun := 0, 0
	for round := range 60000 {
		data := make([]byte, 4+rng.IntN(60))
		for k := range data {
			data[k] = byte(rng.Uint32()) & [...]byte{255, 31, 7, 3}[round%4]
		}
		free := round%8 > 3
		sends, controls, horizon := randomRow(data, free)
		_, err := encodeTile(sends, controls, horizon, free)
		var parity *ParityError
		if err != nil && !errors.As(err, &parity) {
			continue
		}
		st := TileStream{Sends: sends, Controls: controls, Horizon: horizon}
		from, event, ok := st.parityFault()
		if ok != (err != nil) || ok && event != parity.Event {
			t.Fatalf("rule: %v at %d from %d; encoder: %v\nsends %v\ncontrols %v", ok, event, from, err, sends, controls)
		}
		if _, strict := EncodeTile(sends, controls, horizon); free && err == nil && strict != nil {
			begun++
		}
		if ok {
			faults++
		}
	}
	if begun < 500 {
		t.Errorf("only %d rows with a send that a pair begins", begun)
	}
	if faults < 500 {
		t.Errorf("only %d rows with a fault", faults)
	}
}

// TestRouteParity: the delay of a route is odd or even as a sum of a term of the
// sender and one of the receiver (docs/exchange.md), and on a tile these differ
// by its field w: in clocks shifted by them, selects meet the first events of sends
// on tiles with w = 1 only.
func TestRouteParity(t *testing.T) {
	odd := func(s, d int) int { return device.RouteDelay(device.Physical(s), device.Physical(d)) & 1 }
	const other, third = 700, 1001 // reference points
	for s := range device.NumTiles {
		for d := range device.NumTiles {
			if s == d || s == other || d == third || s == third || d == other {
				continue
			}
			if odd(s, d)^odd(s, third)^odd(other, d)^odd(other, third) != 0 {
				t.Fatalf("%d → %d", s, d)
			}
		}
	}
	// send's first x+1 has the parity of the sender's term, a select that of the
	// receiver's plus the message's.
	class := map[int]int{} // of w: 0 if the two meet
	for tile := range device.NumTiles {
		if tile == other || tile == third {
			continue
		}
		apart := odd(tile, third) ^ odd(other, tile) ^ odd(other, third)
		w := device.CoordOf(device.Physical(tile)).W
		if was, ok := class[int(w)]; ok && was != apart {
			t.Fatalf("tile %d: w = %d", tile, w)
		}
		class[int(w)] = apart
	}
	if class[0] != 1 || class[1] != 0 {
		t.Errorf("want them to meet where w = 1 only: %v", class)
	}
}
