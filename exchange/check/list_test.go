package check

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/exchange"
)

// Whatever the scheduler makes of random problems with overlapping data is
// accepted, as starts and as rows.
func TestCheckAcceptsListSchedules(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 300 {
		p := randomProblem(rng, 4+2*rng.IntN(20), 2+rng.IntN(40))
		p.Messages = slices.DeleteFunc(p.Messages, func(m exchange.Message) bool { // R11
			return (&exchange.Problem{Tiles: p.Tiles, Messages: []exchange.Message{m}}).Validate() != nil
		})
		s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := CheckSchedule(p, s); err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
		if _, err := Check(p, encode(t, p, s), nil); err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
	}
}
