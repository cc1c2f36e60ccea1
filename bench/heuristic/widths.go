package heuristic

import (
	"context"
	"fmt"
	"slices"

	"ipusolve/exchange"
)

// ScheduleWidths schedules a phase of 32-bit messages and sends as paired 64-bit
// ones those where that shortens it (reference: exchange.md §10.5): of the
// critical messages that may be paired, the one that helps most, then others as
// long as each makes the phase strictly shorter. It returns the problem with the
// widths chosen, which is p if pairing does not help, and its schedule. Limits are
// those of Schedule.
func ScheduleWidths(ctx context.Context, p *exchange.Problem) (*exchange.Problem, *exchange.Schedule, Stats, error) {
	plain, stats, err := Schedule(ctx, p, Options{})
	if err != nil {
		return nil, nil, stats, err
	}
	wrap := func(err error) error { return fmt.Errorf("heuristic: phase %d, widths: %w", p.Phase, err) }
	first := newInstance(p, false).newPlacement(false)
	if err := first.list(ctx); err != nil {
		return nil, nil, stats, wrap(err)
	}
	// horizon is that of the first order with some messages paired.
	horizon := func(paired []int32) (int32, error) {
		pl := newInstance(withPaired(p, paired), false).newPlacement(false)
		err := pl.inOrder(ctx, first.order)
		return pl.horizon, err
	}
	// extend gives the candidates that make the phase shorter than best when added,
	// and the first of the shortest.
	extend := func(chosen, candidates []int32, best int32) (helpful []int32, pick, shortest int32, err error) {
		shortest = best
		for _, i := range candidates {
			h, err := horizon(append(slices.Clone(chosen), i))
			if ctx.Err() != nil {
				return nil, 0, best, nil // stopped
			}
			if err != nil {
				return nil, 0, best, err
			}
			if h < best {
				helpful = append(helpful, i)
			}
			if h < shortest {
				pick, shortest = i, h
			}
		}
		return helpful, pick, shortest, nil
	}
	candidates := slices.DeleteFunc(first.critical(), func(i int32) bool { return !pairable(p, i) })
	var chosen []int32
	for best := first.horizon; ; {
		helpful, pick, h, err := extend(chosen, candidates, best)
		if err != nil {
			return nil, nil, stats, wrap(err)
		}
		if h >= best {
			break
		}
		if len(chosen) == 0 {
			candidates = helpful
		}
		chosen, best = append(chosen, pick), h
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(i int32) bool { return i == pick })
	}
	if len(chosen) == 0 {
		return p, plain, stats, nil
	}
	wide := withPaired(p, chosen)
	pl, paired, err := newInstance(wide, false).run(context.WithoutCancel(ctx), ctx, first.order)
	if err != nil {
		return nil, nil, stats, wrap(err)
	}
	if pl.horizon >= plain.Horizon {
		return p, plain, stats, nil
	}
	return wide, pl.schedule(), paired, nil
}

// critical lists the messages that complete last and those that made them wait,
// directly or through others.
func (pl *placement) critical() []int32 {
	in := make([]bool, len(pl.jobs))
	latest := int32(0)
	for _, d := range pl.done {
		latest = max(latest, d)
	}
	for i := range pl.done {
		if pl.done[i] == latest {
			for k := int32(i); k >= 0 && !in[k]; k = pl.cause[k] {
				in[k] = true
			}
		}
	}
	var out []int32
	for i, yes := range in {
		if yes {
			out = append(out, int32(i))
		}
	}
	return out
}

// pairable tells whether a message may be sent as a paired one (reference:
// exchange.md §6).
func pairable(p *exchange.Problem, i int32) bool {
	m := p.Messages[i]
	m.Paired = true
	one := exchange.Problem{Tiles: p.Tiles, Messages: []exchange.Message{m}}
	return !p.Messages[i].Paired && one.Validate() == nil
}

func withPaired(p *exchange.Problem, list []int32) *exchange.Problem {
	out := *p
	out.Messages = slices.Clone(p.Messages)
	for _, i := range list {
		out.Messages[i].Paired = true
	}
	return &out
}
