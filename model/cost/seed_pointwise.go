package cost

import "ipusolve/model"

// SeedGelu is GELU on the largest shard's elements (reference: costmodel.md §5).
func SeedGelu(elements int64) int64 { return seedGelu*elements + seedLaunch }

// SeedAdd is an addition on the largest shard's elements.
func SeedAdd(elements int64) int64 { return ceilDiv(elements, seedAddRate) + seedLaunch }

// SeedCast converts bytes in to bytes out on one tile.
func SeedCast(in, out int64) int64 { return ceilDiv(in+out, seedLoadRate) + seedLaunch }

// SeedPack is packing row-major elements into an order; blocks64 says that the
// order is made of 64×16 blocks exactly (reference: costmodel.md §6).
func SeedPack(elements int64, to model.OrderKind, blocks64 bool) int64 {
	switch {
	case to == model.RowMajor:
		return 0
	case to == model.TransposedRight:
		return 3*elements + seedLaunch
	case to == model.LeftPanel:
		return 4*elements + seedLaunch
	case to == model.BlockMajor && blocks64:
		return 4*elements + 4096
	}
	return 10*elements + seedLaunch
}

// SeedUnpack is unpacking an order into row-major.
func SeedUnpack(elements int64, from model.OrderKind) int64 {
	if from == model.OutputPanel || from == model.TransposedLeft {
		return 10*elements + seedLaunch
	}
	return 0
}

// seedFillRate is the bytes per cycle of zero-fill.
const seedFillRate = 48

// SeedFill zeroes bytes of a padded destination.
func SeedFill(bytes int64) int64 { return ceilDiv(bytes, seedFillRate) + seedLaunch }
