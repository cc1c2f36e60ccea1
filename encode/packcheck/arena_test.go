package packcheck

import (
	"errors"
	"strings"
	"testing"

	"ipusolve/encode"
)

func TestCheckArena(t *testing.T) {
	a := &encode.Arena{Name: "a", Banks: []int64{8, 16}, Classes: []encode.ArenaClass{
		{Name: "low", Ranges: []encode.Interval{{Start: 0, End: 6}, {Start: 6, End: 24}}}, {Name: "high", Ranges: []encode.Interval{{Start: 8, End: 24}}}},
		Items: []encode.ArenaItem{
			{ID: "x", Lower: 0, Upper: 2, Size: 4, Align: 2},
			{ID: "y", Class: 1, Lower: 1, Upper: 3, Size: 4},
			{ID: "part", Lower: 0, Upper: 4, Size: 2, Inside: &encode.Inside{Host: 0, Offset: 2}},
			{ID: "z", Space: 1, Lower: 0, Upper: 4, Size: 4, Forbidden: []encode.Interval{{Start: 10, End: 12}}}},
		Apart:  []encode.Apart{{A: encode.Part{Item: 0, End: 4}, B: encode.Part{Item: 1, End: 4}}},
		Equal:  []encode.Equal{{A: 0, B: 3, Weight: 1}},
		Border: &encode.Border{Below: 1, Above: 0, From: 8, At: []int64{12, 16}}}
	for _, c := range []struct {
		at   encode.Placement
		want string // "" = right
	}{
		{encode.Placement{0, 8, 2, 0}, ""},
		{encode.Placement{0, 8, 2, 2}, ""}, // equal addresses are a wish
		{encode.Placement{18, 8, 20, 0}, ""},
		{encode.Placement{0, 8, 2}, "3 addresses"},
		{encode.Placement{4, 8, 6, 0}, "in no range"}, // across the border of two ranges
		{encode.Placement{0, 4, 2, 0}, "in no range"},
		{encode.Placement{1, 8, 3, 0}, "not aligned"},
		{encode.Placement{0, 8, 0, 0}, `not at 2 of item "x"`},
		{encode.Placement{0, 8, 2, 9}, "forbidden"},
		{encode.Placement{10, 8, 12, 0}, "share addresses"},
		{encode.Placement{12, 8, 14, 0}, "share a bank"},
		{encode.Placement{16, 14, 18, 0}, "share addresses"},
		{encode.Placement{0, 20, 2, 0}, "no border"},
		{encode.Placement{16, 12, 18, 0}, ""},
	} {
		err := CheckArena(a, c.at)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.at, err)
		case c.want != "" && (!errors.Is(err, ErrPlacement) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: error %v, want %q", c.at, err, c.want)
		}
	}
}

// An item in two parts: each keeps the rules of the item, and it is cut where it may be.
func TestCheckCuts(t *testing.T) {
	a := &encode.Arena{Name: "a", Banks: []int64{8, 16}, Classes: []encode.ArenaClass{{Name: "all", Ranges: []encode.Interval{{Start: 0, End: 10}, {Start: 12, End: 24}}}},
		Items: []encode.ArenaItem{
			{ID: "x", Lower: 0, Upper: 2, Size: 12, Align: 2, Split: &encode.Split{At: []int64{4, 8}, Price: 294}, Forbidden: []encode.Interval{{Start: 22, End: 23}}},
			{ID: "y", Lower: 1, Upper: 3, Size: 4}},
		Apart: []encode.Apart{{A: encode.Part{Item: 0, Start: 8, End: 12}, B: encode.Part{Item: 1, End: 4}}}}
	for _, c := range []struct {
		at   encode.Placement
		cuts []encode.Cut
		want string
	}{
		{encode.Placement{12, 0}, nil, "forbidden"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 0, Bytes: 8, Address: 12}}, ""},
		{encode.Placement{12, 4}, []encode.Cut{{Item: 0, Bytes: 4, Address: 16}}, "forbidden"},
		{encode.Placement{16, 12}, []encode.Cut{{Item: 0, Bytes: 4, Address: 2}}, "share a bank"},
		{encode.Placement{16, 12}, []encode.Cut{{Item: 0, Bytes: 4, Address: 0}}, ""},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 0, Bytes: 6, Address: 12}}, "cut at 6"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 1, Bytes: 2, Address: 12}}, "cut at 2"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 0, Bytes: 8, Address: 12}, {Item: 0, Bytes: 4, Address: 20}}, "cut of item 0"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 2, Bytes: 8, Address: 12}}, "cut of item 2"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 0, Bytes: 8, Address: 13}}, "not aligned"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 0, Bytes: 8, Address: 8}}, "in no range"},
		{encode.Placement{0, 16}, []encode.Cut{{Item: 0, Bytes: 8, Address: 4}}, "share addresses"},
		{encode.Placement{0, 18}, []encode.Cut{{Item: 0, Bytes: 8, Address: 16}}, "share addresses"},
	} {
		err := CheckCuts(a, c.at, c.cuts)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v %v: %v", c.at, c.cuts, err)
		case c.want != "" && (!errors.Is(err, ErrPlacement) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v %v: error %v, want %q", c.at, c.cuts, err, c.want)
		}
	}
}
