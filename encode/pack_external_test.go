package encode_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ipusolve/encode"
	"ipusolve/encode/packcheck"
	"ipusolve/solve"
)

// readExternal reads a set of ../shared/external/minimalloc, or skips.
func readExternal(t testing.TB, set string) *encode.Packing {
	const capacity = 1048576
	f, err := os.Open(filepath.Join("..", "..", "shared", "external", "minimalloc", set+".1048576.csv"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no external instances here")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, _, err := encode.ReadMiniMalloc(f, set, capacity)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The published sets fill 94 to 100 % of the capacity at their peak.
func TestPackExternal(t *testing.T) {
	for _, set := range []string{"A", "B", "C", "D", "E"} {
		t.Run(set, func(t *testing.T) {
			p := readExternal(t, set)
			res, err := encode.SolvePacking(context.Background(), p, solve.Options{TimeLimit: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if res.At == nil {
				t.Fatalf("%v after %d nodes", res.Status, res.Stats.Nodes)
			}
			if err := packcheck.Check(p, res.At); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, height %d, bound %d, %+v", res.Status, res.Height, res.Bound, res.Stats)
		})
	}
}

func TestPackLimits(t *testing.T) {
	p := readExternal(t, "A")
	for _, opt := range []solve.Options{{Effort: 100}, {TimeLimit: time.Millisecond}} {
		res, err := encode.SolvePacking(context.Background(), p, opt)
		if err != nil || res.Status != solve.Unknown || res.At != nil || res.Stats.Nodes > 1000 {
			t.Errorf("%+v, %v", res, err)
		}
	}
	p.Capacity *= 2
	low, err := encode.MinimisePacking(context.Background(), p, solve.Options{Effort: 3000})
	if err != nil || low.At == nil || low.Stats.Nodes > 3000 {
		t.Errorf("%+v, %v", low, err)
	}
	again, err := encode.MinimisePacking(context.Background(), p, solve.Options{Effort: 3000})
	low.Stats.Duration, again.Stats.Duration = 0, 0
	if err != nil || !slices.Equal(low.At, again.At) || low.Stats != again.Stats {
		t.Errorf("two runs differ: %+v %+v", low.Stats, again.Stats)
	}
}

// BenchmarkPack is the ablation of the inferences on the published sets.
func BenchmarkPack(b *testing.B) {
	for _, set := range []string{"A", "B", "C", "D", "E"} {
		for _, off := range append([]solve.Technique{"nothing"}, encode.PackTechniques()...) {
			b.Run(fmt.Sprintf("%s/without-%s", set, off), func(b *testing.B) {
				p := readExternal(b, set)
				for b.Loop() {
					res, err := encode.SolvePacking(context.Background(), p, solve.Options{Effort: 200_000, Disable: []solve.Technique{off}})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(res.Stats.Nodes), "nodes")
					packed := 0.0
					if res.At != nil {
						packed = 1
					}
					b.ReportMetric(packed, "packed")
				}
			})
		}
	}
}
