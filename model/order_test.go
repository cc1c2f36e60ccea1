package model

import "testing"

// Reference: planspace.md §3 and kernels.md §3, test values.
func TestOrderOffset(t *testing.T) {
	const f16, f32, f8 = 16, 8, 32
	for _, c := range []struct {
		order            Order
		rows, cols, r, c int
		micro            int
		want             int
	}{
		{order: Order{Kind: RowMajor}, rows: 4, cols: 48, r: 2, c: 37, micro: f16, want: 133},
		{order: Order{Kind: LeftPanel}, rows: 4, cols: 48, r: 2, c: 5, micro: f16, want: 37},
		{order: Order{Kind: LeftPanel}, rows: 4, cols: 48, r: 2, c: 37, micro: f16, want: 165},
		{order: Order{Kind: LeftPanel}, rows: 4, cols: 48, r: 3, c: 47, micro: f16, want: 191},
		{order: Order{Kind: OutputPanel}, rows: 4, cols: 48, r: 2, c: 5, micro: f16, want: 41},
		{order: Order{Kind: OutputPanel}, rows: 4, cols: 48, r: 2, c: 37, micro: f16, want: 169},
		{order: Order{Kind: OutputPanel}, rows: 4, cols: 48, r: 3, c: 47, micro: f16, want: 191},
		{order: Order{Kind: LeftPanel}, rows: 4, cols: 48, r: 2, c: 37, micro: f32, want: 149},
		{order: Order{Kind: LeftPanel}, rows: 4, cols: 64, r: 2, c: 37, micro: f8, want: 197},
		{order: Order{Kind: BlockMajor, RowBlock: 32}, rows: 64, cols: 32, r: 37, c: 5, micro: f16, want: 1109},
		{order: Order{Kind: BlockMajor, RowBlock: 32}, rows: 64, cols: 32, r: 37, c: 21, micro: f16, want: 1621},
		{order: Order{Kind: BlockMajor, RowBlock: 32}, rows: 64, cols: 32, r: 5, c: 21, micro: f16, want: 597},
		{order: Order{Kind: BlockMajor, RowBlock: 64}, rows: 64, cols: 32, r: 37, c: 5, micro: f16, want: 597},
		{order: Order{Kind: BlockMajor}, rows: 64, cols: 32, r: 37, c: 5, micro: f16, want: 597},
		{order: Order{Kind: TransposedBlockMajor, RowBlock: 32}, rows: 32, cols: 64, r: 21, c: 37, micro: f16, want: 1621},
		{order: Order{Kind: TransposedLeft}, rows: 32, cols: 6, r: 18, c: 5, micro: f16, want: 178},
		{order: Order{Kind: TransposedRight}, rows: 32, cols: 48, r: 18, c: 37, micro: f16, want: 1317},
		{order: Order{Kind: LeftPanel}, rows: 366, cols: 240, r: 5, c: 17, micro: f16, want: 5937},
		{order: Order{Kind: OutputPanel}, rows: 4, cols: 32, r: 1, c: 2, micro: f16, want: 20},
		{order: Order{Kind: OutputPanel}, rows: 4, cols: 32, r: 1, c: 8, micro: f16, want: 18},
		{order: Order{Kind: BlockMajor, RowBlock: 240}, rows: 240, cols: 32, r: 17, c: 3, micro: f16, want: 305},
		{order: Order{Kind: BlockMajor, RowBlock: 240}, rows: 240, cols: 32, r: 239, c: 31, micro: f16, want: 7679},
		{order: Order{Kind: TransposedLeft}, rows: 48, cols: 14, r: 20, c: 3, micro: f16, want: 276},
	} {
		if err := c.order.Check(c.rows, c.cols, c.micro); err != nil {
			t.Errorf("%v %d×%d: %v", c.order, c.rows, c.cols, err)
		}
		if got := c.order.Offset(c.rows, c.cols, c.r, c.c, c.micro); got != c.want {
			t.Errorf("%v %d×%d (%d,%d): offset %d, want %d", c.order, c.rows, c.cols, c.r, c.c, got, c.want)
		}
	}
}

// Columns 0…15 of an output panel (reference: planspace.md §3).
func TestOutputPanelColumns(t *testing.T) {
	want := []int{0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}
	for c, w := range want {
		if got := (Order{Kind: OutputPanel}).Offset(1, 16, 0, c, 16); got != w {
			t.Errorf("column %d goes to %d, want %d", c, got, w)
		}
	}
}

// Every order is a bijection of its box onto 0…R·C−1.
func TestOrderBijective(t *testing.T) {
	for k := range numOrders {
		for _, micro := range []int{8, 16, 32} {
			o := Order{Kind: k}
			if k == BlockMajor || k == TransposedBlockMajor {
				o.RowBlock = 32
			}
			const rows, cols = 64, 96
			if err := o.Check(rows, cols, micro); err != nil {
				t.Fatalf("%v: %v", o, err)
			}
			seen := make([]bool, rows*cols)
			for r := range rows {
				for c := range cols {
					at := o.Offset(rows, cols, r, c, micro)
					if at < 0 || at >= len(seen) || seen[at] {
						t.Fatalf("%v μ=%d: (%d,%d) goes to %d, taken or outside", o, micro, r, c, at)
					}
					seen[at] = true
				}
			}
		}
	}
}

func TestOrderCheckRejects(t *testing.T) {
	for _, c := range []struct {
		order      Order
		rows, cols int
	}{
		{Order{Kind: LeftPanel}, 4, 24},
		{Order{Kind: OutputPanel}, 4, 8},
		{Order{Kind: TransposedLeft}, 24, 4},
		{Order{Kind: TransposedOutput}, 8, 4},
		{Order{Kind: TransposedRight}, 8, 16},
		{Order{Kind: TransposedRight}, 16, 8},
		{Order{Kind: BlockMajor, RowBlock: 32}, 48, 16},
		{Order{Kind: BlockMajor, RowBlock: 24}, 48, 16},
		{Order{Kind: BlockMajor}, 32, 24},
		{Order{Kind: TransposedBlockMajor, RowBlock: 32}, 16, 48},
	} {
		if c.order.Check(c.rows, c.cols, 16) == nil {
			t.Errorf("%v accepts %d×%d", c.order, c.rows, c.cols)
		}
	}
}
