package device

// Tile counts and clock of the C600 (reference: device.md §1).
const (
	NumTiles   = 1472 // tiles, physical ids 0..1471, all usable
	NumWorkers = 6    // worker contexts per tile
	ClockHz    = 1_500_000_000
	// MACsPerCycle is the F16 multiply-adds one tile's matrix unit issues a cycle.
	MACsPerCycle = 64
	// TileBatch divides every program's tile count: the loader works in
	// batches of 64 tiles (device.md §2).
	TileBatch = 64

	numRows = 23 // rows of 64 tiles
)

// Coord is the place of a tile on the chip (device.md §2).
type Coord struct {
	U int // sub-column, 0..1
	W int // lane within the tile pair, 0..1
	C int // column, 0..15
	Y int // row, 0..22
}

// Half tells which side of the chip the column lies on, 0 or 1.
func (c Coord) Half() int { return c.C >> 3 }

// Fold is the folded column F: both halves count from the same edge, 0..7.
func (c Coord) Fold() int {
	if c.C <= 7 {
		return c.C
	}
	return 15 - c.C
}

// CoordOf splits a physical tile id into its fields.
func CoordOf(physical int) Coord {
	return Coord{U: physical & 1, W: physical >> 1 & 1, C: physical >> 2 & 15, Y: physical >> 6}
}

// ID is the physical tile id of the coordinate.
func (c Coord) ID() int { return c.Y<<6 | c.C<<2 | c.W<<1 | c.U }

// Physical maps a logical tile, 0..1471, to its physical id by the C600 order
// of device.md §2: 32 blocks of 23 pairs, each pair snaking along a sub-column.
func Physical(logical int) int {
	pair, w := logical/2, logical%2
	block, r := pair/numRows, pair%numRows
	u, c := block%2, block/2
	y := r
	if u == 1 {
		y = numRows - 1 - r
	}
	return Coord{U: u, W: w, C: c, Y: y}.ID()
}

// Logical is the inverse of Physical.
func Logical(physical int) int {
	c := CoordOf(physical)
	r := c.Y
	if c.U == 1 {
		r = numRows - 1 - c.Y
	}
	return 2*(numRows*(2*c.C+c.U)+r) + c.W
}

// Partner is the other tile of a logical (or, with bit 1, physical) pair; it
// takes and gives logical ids.
func Partner(logical int) int { return logical ^ 1 }
