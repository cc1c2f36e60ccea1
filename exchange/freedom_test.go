package exchange_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
	"ipusolve/exchange/check"
)

// shortPhase is a random phase of short messages, some to several receivers, some
// longer ones, with addresses that continue runs of sends and receives now and then.
func shortPhase(rng *rand.Rand, tiles, each int) *exchange.Problem {
	p := &exchange.Problem{Tiles: tiles}
	from, to := make([]uint32, tiles), make([]uint32, tiles)
	for range tiles * each {
		perm := rng.Perm(tiles)
		s, words := perm[0], 1+rng.IntN(3)
		if rng.IntN(60) == 0 {
			words = 40 + rng.IntN(60)
		}
		m := exchange.Message{Source: int32(s), SourceAddrs: []uint32{0x60000 + from[s]}, Words: int32(words)}
		from[s] += uint32(4 * (words + rng.IntN(2)))
		receivers := 1
		if rng.IntN(4) == 0 {
			receivers = 1 + rng.IntN(3)
		}
		for _, d := range perm[1 : 1+receivers] {
			to[d] += uint32(4 * rng.IntN(2))
			m.Dests = append(m.Dests, exchange.Dest{Tile: int32(d), Addr: 0x80000 + to[d]})
			to[d] += uint32(4 * words)
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// TestFirstEvent: schedules under the freedom are legal under it, rows included, and
// show it in their rows; where they use it they break R5 and nothing else.
func TestFirstEvent(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 4))
	used, changed := 0, 0
	for range 24 {
		p := shortPhase(rng, 6+rng.IntN(14), 12+rng.IntN(20))
		strict, _, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		s, stats, err := exchange.List(context.Background(), p, exchange.Options{Effort: 1, Freedom: exchange.FirstEvent})
		if err != nil {
			t.Fatal(err)
		}
		if s.Horizon < stats.Bound.Horizon {
			t.Fatalf("horizon %d, bound %d", s.Horizon, stats.Bound.Horizon)
		}
		chosen := p.Chosen(s)
		if _, err := check.CheckSchedule(chosen, s); err != nil {
			t.Fatal(err)
		}
		rows, err := exchange.EncodePhase(chosen, s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := check.Check(chosen, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Horizon != s.Horizon {
			t.Fatalf("rows have horizon %d, schedule %d", got.Horizon, s.Horizon)
		}
		_, again, err := check.Reconstruct(rows, p.Tiles, exchange.FirstEvent)
		if err != nil {
			t.Fatal(err)
		}
		if again.Horizon != s.Horizon {
			t.Fatalf("rebuilt rows have horizon %d, schedule %d", again.Horizon, s.Horizon)
		}
		if s.Freedom == exchange.Standard {
			if s.Horizon != strict.Horizon {
				t.Fatalf("horizon %d, %d without the freedom, which is not used", s.Horizon, strict.Horizon)
			}
			continue
		}
		if used++; s.Horizon >= strict.Horizon || s.Searched > stats.Bound.Horizon {
			t.Fatalf("horizon %d, %d without the freedom; searched %d", s.Horizon, strict.Horizon, s.Searched)
		}
		var fault *check.Violation
		if _, err := check.CheckSchedule(p, s); !errors.As(err, &fault) || fault.Rule != check.R5 {
			t.Fatalf("without the freedom: %v", err)
		}
		if _, err := check.Check(p, rows, nil); !errors.As(err, &fault) || fault.Rule != check.R5 && fault.Rule != check.Send {
			t.Fatalf("rows without the freedom: %v", err)
		}
		if _, err := exchange.EncodePhase(p, s); err == nil {
			t.Fatal("rows written without the freedom")
		}
		changed += changeBegins(t, chosen, rows, rng)
	}
	t.Logf("%d phases use it, %d changed words found", used, changed)
	if used < 8 || changed < 50 {
		t.Errorf("%d phases use it, %d changed words found", used, changed)
	}
}

// changeBegins changes source or pointer of some of the sendpicps in the rows, that
// repeat what is in force or do not: no change is accepted. It counts them.
func changeBegins(t *testing.T, p *exchange.Problem, rows [][]uint32, rng *rand.Rand) int {
	t.Helper()
	changed := 0
	for tile, row := range rows {
		for at := 0; at < len(row); {
			in, used, err := device.Decode(row[at:])
			if err != nil {
				t.Fatal(err)
			}
			if in.Op == device.OpSendPICP && in.Ctl != 0 && rng.IntN(8) == 0 {
				bit := []int{0, 1, 18, 19, 30}[rng.IntN(5)] // PIC value below 18, XPIC value above
				row[at+1] ^= 1 << bit
				if _, err := check.Check(p, rows, nil); err == nil {
					t.Fatalf("tile %d, word %d: bit %d of the payload changed: accepted", tile, at+1, bit)
				}
				row[at+1] ^= 1 << bit
				changed++
			}
			at += used
		}
	}
	return changed
}
