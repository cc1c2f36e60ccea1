package device

import "testing"

func TestPhysicalWorkedValues(t *testing.T) {
	for _, c := range []struct {
		l, p int
		want Coord
	}{
		{0, 0, Coord{0, 0, 0, 0}}, {1, 2, Coord{0, 1, 0, 0}}, {2, 64, Coord{0, 0, 0, 1}},
		{3, 66, Coord{0, 1, 0, 1}}, {44, 1408, Coord{0, 0, 0, 22}}, {45, 1410, Coord{0, 1, 0, 22}},
		{46, 1409, Coord{1, 0, 0, 22}}, {90, 1, Coord{1, 0, 0, 0}}, {92, 4, Coord{0, 0, 1, 0}},
		{100, 260, Coord{0, 0, 1, 4}}, {735, 31, Coord{1, 1, 7, 0}}, {736, 32, Coord{0, 0, 8, 0}},
		{780, 1440, Coord{0, 0, 8, 22}}, {1286, 53, Coord{1, 0, 13, 0}}, {1470, 61, Coord{1, 0, 15, 0}},
		{1471, 63, Coord{1, 1, 15, 0}},
	} {
		if got := Physical(c.l); got != c.p {
			t.Errorf("Physical(%d) = %d, want %d", c.l, got, c.p)
		}
		if got := CoordOf(c.p); got != c.want {
			t.Errorf("CoordOf(%d) = %+v, want %+v", c.p, got, c.want)
		}
	}
	seen := map[int]bool{}
	for l := range NumTiles {
		p := Physical(l)
		if seen[p] || p < 0 || p >= NumTiles || Logical(p) != l || CoordOf(p).ID() != p {
			t.Fatalf("logical %d -> physical %d is not a bijection", l, p)
		}
		seen[p] = true
		if Physical(Partner(l)) != p^2 {
			t.Fatalf("partner of %d is not physical xor 2", l)
		}
	}
}
