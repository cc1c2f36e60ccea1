package check_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// large is a phase of 195 776 messages of 8 words, 133 sent and received by each
// tile, as many as the largest phase of a real program has, and its schedule.
var large = sync.OnceValues(func() (*exchange.Problem, *exchange.Schedule) {
	const tiles, rounds, bytes = 1472, 133, 32
	rng := rand.New(rand.NewPCG(1, 2))
	p := &exchange.Problem{Tiles: tiles}
	for k, by := range rng.Perm(tiles - 1)[:rounds] {
		for t := range int32(tiles) {
			p.Messages = append(p.Messages, exchange.Message{
				Source: t, SourceAddrs: []uint32{0x80000 + bytes*uint32(k)}, Words: 8,
				Dests: []exchange.Dest{{Tile: (t + 1 + int32(by)) % tiles, Addr: 0x60000 + bytes*uint32(k)}},
			})
		}
	}
	s, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1})
	if err != nil {
		panic(err)
	}
	return p, s
})

func BenchmarkEncodePhase(b *testing.B) {
	p, s := large()
	words := 0
	for b.Loop() {
		rows, err := exchange.EncodePhase(p, s)
		if err != nil {
			b.Fatal(err)
		}
		words = 0
		for _, row := range rows {
			words += len(row)
		}
	}
	b.ReportMetric(float64(words)/1472, "words/row")
}

func BenchmarkCheck(b *testing.B) {
	p, s := large()
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := check.Check(p, rows, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReconstruct(b *testing.B) {
	p, s := large()
	rows, err := exchange.EncodePhase(p, s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := check.Reconstruct(rows, p.Tiles, exchange.Standard); err != nil {
			b.Fatal(err)
		}
	}
}
