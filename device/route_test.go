package device

import "testing"

// TestRouteWorkedValues checks every row of the table of exchange.md §3.2.
func TestRouteWorkedValues(t *testing.T) {
	for _, c := range []struct{ s, d, dist, dir, delay, start, lag, tail int }{
		{0, 1, 2, 1, -28, 28, 25, 58}, {1, 0, 1, 1, -29, 29, 24, 58}, {0, 2, 1, 1, -31, 31, 24, 60},
		{0, 3, 2, 1, -30, 30, 25, 60}, {0, 46, 5, 1, -69, 69, 28, 102}, {0, 47, 4, 1, -70, 70, 27, 102},
		{5, 100, 7, 1, -32, 32, 29, 66}, {5, 101, 8, 1, -31, 31, 30, 66}, {100, 5, -4, 2, -17, 17, 40, 62},
		{0, 735, 46, 1, -19, 19, 34, 58}, {0, 736, 47, 1, -4, 4, 49, 58}, {0, 758, 47, 1, -26, 26, 49, 80},
		{0, 1471, 2, 1, -28, 28, 25, 58}, {1471, 0, 1, 1, -13, 13, 40, 58}, {735, 736, -1, 2, -29, 29, 24, 58},
		{90, 136, 1, 1, -78, 78, 19, 102}, {780, 0, -47, 2, 112, 0, 165, 170}, {736, 100, -41, 2, 49, 0, 110, 115},
		{1286, 1471, -10, 2, -14, 14, 39, 58}, {32, 0, 1, 1, 3, 0, 56, 61}, {0, 274, 17, 1, -23, 23, 30, 58},
		{0, 1286, 13, 1, -23, 23, 30, 58},
	} {
		s, d := Physical(c.s), Physical(c.d)
		if got := distance(CoordOf(s), CoordOf(d)); got != c.dist {
			t.Errorf("%d->%d: D = %d, want %d", c.s, c.d, got, c.dist)
		}
		delay := RouteDelay(s, d)
		y := CoordOf(d).Y
		if Direction(s, d) != c.dir || delay != c.delay || max(0, -delay) != c.start ||
			delay+1+WriteDelay(d) != c.lag || max(0, delay)+58+2*y != c.tail {
			t.Errorf("%d->%d: dir %d T %d lag %d", c.s, c.d, Direction(s, d), delay, delay+1+WriteDelay(d))
		}
	}
}

// TestRouteProperties checks exchange.md §3.3 over all pairs.
func TestRouteProperties(t *testing.T) {
	lo, hi, negative, sum := 1000, -1000, 0, 0
	for s := range NumTiles {
		for d := range NumTiles {
			if s == d {
				continue
			}
			delay := RouteDelay(s, d)
			lo, hi, sum = min(lo, delay), max(hi, delay), sum+delay
			if delay < 0 {
				negative++
			}
			if s != d^2 {
				if diff := delay - RouteDelay(s, d^2); diff != 1 && diff != -1 {
					t.Fatalf("members of pair %d differ by %d from %d", d, diff, s)
				}
			}
		}
	}
	pairs := NumTiles * (NumTiles - 1)
	if lo != -78 || hi != 112 || negative*1000/pairs != 664 || sum*10/pairs != -99 && sum*10/pairs != -98 {
		t.Errorf("T in [%d,%d], %d of %d negative, mean %.2f", lo, hi, negative, pairs, float64(sum)/float64(pairs))
	}
	for _, c := range []struct{ s, d, want int }{{0, 2, -30}, {2, 0, -26}, {0, 46, -69}, {5, 100, -31}, {780, 0, 112}, {90, 136, -77}, {100, 4, -16}} {
		if got := PairDelay(Physical(c.s), Physical(c.d)); got != c.want {
			t.Errorf("P(%d,%d) = %d, want %d", c.s, c.d, got, c.want)
		}
	}
}
