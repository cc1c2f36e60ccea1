package model

import "fmt"

// OrderKind names how a tile stores the box of elements it holds
// (reference: planspace.md §3, kernels.md §3).
type OrderKind uint8

const (
	RowMajor             OrderKind = iota
	LeftPanel                      // streamed GEMM operand and F16 result ("AMP-left")
	OutputPanel                    // F32 GEMM result ("AMP-output")
	TransposedLeft                 // LeftPanel of the transposed box
	TransposedOutput               // OutputPanel of the transposed box
	TransposedRight                // attention keys
	BlockMajor                     // loaded GEMM operand ("right")
	TransposedBlockMajor           // BlockMajor of the transposed box
	numOrders
)

var orderNames = [numOrders]string{"row-major", "left", "output", "transposed-left", "transposed-output",
	"transposed-right", "block-major", "transposed-block-major"}

func (k OrderKind) String() string {
	if k < numOrders {
		return orderNames[k]
	}
	return fmt.Sprintf("order(%d)", uint8(k))
}

// PanelWidth is the column width of output panels and weight blocks, in
// elements, for every precision.
const PanelWidth = 16

// Order is an element order. RowBlock is the row block h of the two
// block-major kinds; 0 means the whole row (inner) extent of the shard.
type Order struct {
	Kind     OrderKind `json:"kind"`
	RowBlock int       `json:"rowBlock,omitempty"`
}

// Panelled tells whether the order stores whole 16-wide panels, so that the
// padding up to the next panel is part of the value (always zero).
func (o Order) Panelled() bool { return o.Kind != RowMajor }

// DownColumns tells whether neighbours in storage are neighbours of a column rather
// than of a row.
func (k OrderKind) DownColumns() bool {
	return k == TransposedLeft || k == TransposedOutput || k == BlockMajor
}

// Check reports whether an R×C box (physical extents) can be stored in the
// order with micro width micro.
func (o Order) Check(R, C, micro int) error {
	need := func(what string, n, m int) error {
		if m <= 0 || n%m != 0 {
			return fmt.Errorf("model: order %v needs %s %d to be a multiple of %d", o.Kind, what, n, m)
		}
		return nil
	}
	both := func(a, b error) error {
		if a != nil {
			return a
		}
		return b
	}
	switch o.Kind {
	case LeftPanel:
		return need("columns", C, micro)
	case OutputPanel:
		return need("columns", C, PanelWidth)
	case TransposedLeft:
		return need("rows", R, micro)
	case TransposedOutput:
		return need("rows", R, PanelWidth)
	case TransposedRight:
		return both(need("rows", R, 16), need("columns", C, micro))
	case BlockMajor:
		h := o.block(R)
		return both(both(need("rows", R, h), need("columns", C, PanelWidth)), need("row block", h, micro))
	case TransposedBlockMajor:
		h := o.block(C)
		return both(both(need("columns", C, h), need("rows", R, PanelWidth)), need("row block", h, micro))
	}
	return nil
}

// InnerBlock is the row block h of a block-major order that stores an R×C box
// (physical extents); 0 for the other orders.
func (o Order) InnerBlock(R, C int) int {
	switch o.Kind {
	case BlockMajor:
		return o.block(R)
	case TransposedBlockMajor:
		return o.block(C)
	}
	return 0
}

func (o Order) block(inner int) int {
	if o.RowBlock == 0 {
		return inner
	}
	return o.RowBlock
}

// Offset is the element index, from the shard's first byte, of row x and
// column y of an R×C box (physical extents); micro is the precision's micro
// width μ.
func (o Order) Offset(R, C, x, y, micro int) int {
	switch o.Kind {
	case LeftPanel:
		return y/micro*R*micro + x*micro + y%micro
	case OutputPanel:
		q := y % 16 / 2
		p := 2*(q%4) + q/4
		return y/16*16*R + 16*x + 2*p + y%2
	case TransposedLeft:
		return Order{Kind: LeftPanel}.Offset(C, R, y, x, micro)
	case TransposedOutput:
		return Order{Kind: OutputPanel}.Offset(C, R, y, x, micro)
	case TransposedRight:
		return (x/16*(C/micro)+y/micro)*16*micro + x%16*micro + y%micro
	case BlockMajor:
		h := o.block(R)
		return (x/h*(C/PanelWidth)*(h/micro)+y/PanelWidth*(h/micro)+x%h/micro)*micro*PanelWidth + y%PanelWidth*micro + x%micro
	case TransposedBlockMajor:
		return Order{Kind: BlockMajor, RowBlock: o.RowBlock}.Offset(C, R, y, x, micro)
	}
	return x*C + y
}
