package packcheck

import (
	"errors"
	"strings"
	"testing"

	"ipusolve/encode"
)

func TestCheck(t *testing.T) {
	p := &encode.Packing{Capacity: 16, Items: []encode.PackItem{
		{ID: "a", Lower: 0, Upper: 2, Size: 8},
		{ID: "b", Lower: 1, Upper: 3, Size: 4, Align: 4},
		{ID: "c", Lower: 2, Upper: 4, Size: 8},
	}}
	for _, c := range []struct {
		at   encode.Placement
		want string // "" = right
	}{
		{encode.Placement{0, 8, 0}, ""}, // a and c meet in time only
		{encode.Placement{8, 4, 8}, ""},
		{encode.Placement{0, 12, 4}, ""},
		{encode.Placement{0, 8}, "2 addresses for 3 items"},
		{encode.Placement{-1, 8, 0}, "exceeds the capacity"},
		{encode.Placement{0, 8, 9}, "exceeds the capacity"},
		{encode.Placement{0, 1<<63 - 4, 0}, "exceeds the capacity"},
		{encode.Placement{0, 10, 0}, "not aligned"},
		{encode.Placement{1, 8, 0}, `items "a" at [1, 9) and "b" at [8, 12) are both alive at 1`},
		{encode.Placement{0, 8, 1}, `items "b" at [8, 12) and "c" at [1, 9) are both alive at 2`},
		{encode.Placement{4, 4, 8}, `both alive at 1`},
	} {
		err := Check(p, c.at)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v: %v", c.at, err)
		case c.want != "" && (!errors.Is(err, ErrPlacement) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: error %v, want %q", c.at, err, c.want)
		}
	}
}
