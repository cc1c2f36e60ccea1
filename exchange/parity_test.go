package exchange

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestParityFaultIsEncoders holds the rule about parities against the encoder,
// which finds out by writing the row.
func TestParityFaultIsEncoders(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	faults := 0
	for round := range 60000 {
		data := make([]byte, 4+rng.IntN(60))
		for k := range data {
			data[k] = byte(rng.Uint32()) & [...]byte{255, 31, 7, 3}[round%4]
		}
		sends, controls, horizon := randomRow(data)
		_, err := EncodeTile(sends, controls, horizon)
		var parity *ParityError
		if err != nil && !errors.As(err, &parity) {
			continue
		}
		st := TileStream{sends, controls, horizon}
		from, event, ok := st.parityFault()
		if ok != (err != nil) || ok && event != parity.Event {
			t.Fatalf("rule: %v at %d from %d; encoder: %v\nsends %v\ncontrols %v", ok, event, from, err, sends, controls)
		}
		if ok {
			faults++
		}
	}
	if faults < 500 {
		t.Errorf("only %d rows with a fault", faults)
	}
}
