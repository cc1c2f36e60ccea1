package lower

import (
	"ipusolve/kernels"
	"ipusolve/model"
)

// Program is a plan expanded to tiles: one storage item per shard or buffer, one
// ordered work list per tile, and the exchange phases that all tiles share.
// After Place every item has an address. Tiles are logical ids.
type Program struct {
	Plan   *model.Plan
	Items  []Item
	Tiles  [][]Work // work list of every logical tile 0..Problem.Tiles-1
	Phases []Phase  // in program order; Phases[i].ID == i
	// Shards tells where the shards of every plan value lie, in the order of
	// Layout.Shards.
	Shards [][]Location
	// Roots counts the reduction roots of every plan step (lowering.md §4.2);
	// zero for steps that sum nothing.
	Roots []int
	// Repeat, if set, runs a part of every work list several times (Fold).
	Repeat *Repeat
}

// ItemKind says what an item is for; it names the item in messages and maps.
type ItemKind uint8

// Kinds of items.
const (
	ItemValue   ItemKind = iota // shards of a plan value
	ItemPartial                 // partial sum of one GEMM call
	ItemRemote                  // packed remote partials of a reduction
	// ItemIdentity is a stack of 16×16 identity blocks (kernels.Identity), the
	// weights of sums on the matrix unit: part of the image, alive throughout.
	ItemIdentity
	// ItemStaging is a copy of an iterated item at an address that does not move:
	// exchange rows of a repeat's body send from it.
	ItemStaging
)

func (k ItemKind) String() string {
	return [...]string{"value", "partial", "remote", "identity", "staging"}[k]
}

// Item is one contiguous allocation on one tile.
type Item struct {
	Tile  int32    `json:"tile"`
	Kind  ItemKind `json:"kind"`
	Value int32    `json:"value"` // plan value that it stores or serves
	Bytes uint32   `json:"bytes"`
	// Tail bytes behind the item may be read and thrown away by a kernel; they
	// only have to exist in SRAM (kernels.md §5.5).
	Tail  uint32            `json:"tail,omitempty"`
	Align uint32            `json:"align"` // power of two ≥ 4
	Class model.MemoryClass `json:"class"`
	// First and Last are the inclusive lifetime in events of the tile: 0 is
	// program start, 1+i is Work[i], 1+len(Work) is program end.
	First int32 `json:"first"`
	Last  int32 `json:"last"`
	// Apart lists items of the same tile that must not share a memory element
	// with this one while both live (a GEMM's streamed operand and its result).
	Apart []int32 `json:"apart,omitempty"`
	// Inside, if set, is where the item lies in another one of its tile: while both
	// live, its bytes are bytes of that item, which nobody else writes.
	Inside *Ref `json:"inside,omitempty"`
	// Stride, if not 0, makes this an iterated item: it holds Repeat.Count copies
	// at this distance in bytes, and in iteration i an argument that names it means
	// i·Stride behind what it says.
	Stride uint32 `json:"stride,omitempty"`
	Addr   uint32 `json:"addr,omitempty"` // set by Place
}

// holds tells whether item i takes memory of its own at an event: it is alive, and
// not a part of another item that is.
func (p *Program) holds(i, event int32) bool {
	alive := func(it *Item) bool { return it.First <= event && event <= it.Last }
	it := &p.Items[i]
	return alive(it) && (it.Inside == nil || !alive(&p.Items[it.Inside.Item]))
}

// inside tells whether item i is a part of item j.
func (p *Program) inside(i, j int32) bool {
	return p.Items[i].Inside != nil && p.Items[i].Inside.Item == j
}

// Ref is a byte position in an item.
type Ref struct {
	Item   int32
	Offset uint32
}

// Location is where one shard lies.
type Location struct {
	Ref
	Bytes uint32
}

// WorkKind is the kind of a work item.
type WorkKind uint8

// Kinds of work.
const (
	WorkExchange WorkKind = iota // run phase Phase; every tile has every phase once
	WorkCall                     // call a kernel or runtime routine
)

// Work is one entry of a tile's work list.
type Work struct {
	Kind  WorkKind
	Phase int32 // WorkExchange
	Step  int32 // plan step that it serves
	Spec  kernels.Spec
	Args  []Arg // WorkCall: values of m2, m3, … in call order
}

// Arg is one register argument: an address (Item ≥ 0, Value is the byte offset)
// or a constant (Item < 0).
type Arg struct {
	Item  int32
	Value uint32
}

// Const and Addr build arguments.
func Const(v uint32) Arg { return Arg{Item: -1, Value: v} }
func Addr(r Ref) Arg     { return Arg{Item: r.Item, Value: r.Offset} }

// Phase is one exchange between two barriers.
type Phase struct {
	ID     int      `json:"id"`
	Reason string   `json:"reason"` // as in the reference's logs: OperatorInput, OperatorInputs, LayoutRearrangement
	Op     string   `json:"op"`     // graph operation it serves
	Values []string `json:"values"` // plan values that it fills
	// Transfers in program order (lowering.md §5, exchange.md §6): at most 4148
	// words each, contiguous at the source and at every destination.
	Transfers []Transfer `json:"transfers"`
}

// Transfer moves Words 32-bit words from one tile to one or more others.
type Transfer struct {
	Source Ref   `json:"source"`
	Dests  []Ref `json:"dests"` // distinct tiles, none the source's
	Words  int32 `json:"words"`
}

// MemoryMap is the common address map of all tiles (reference: lowering.md
// §8.5). Row and code areas have the same addresses everywhere.
type MemoryMap struct {
	Symbols  []Symbol // kernels and runtime routines, by address
	Code     Range    // generated tile code
	RowTable Range    // exchange rows; whole elements, guard included
	// Standard lists the data ranges below 0x80000; the interleaved region is
	// [0x80000, InterleavedEnd).
	Standard       []Range
	InterleavedEnd uint32
}

// Range is a half-open address range.
type Range struct{ Start, End uint32 }

// Symbol is a routine at its linked address.
type Symbol struct {
	Spec kernels.Spec
	Addr uint32
}
