package cost

import "errors"

// Calibration constants (reference: costmodel.md §1), in cycles and bytes.
const (
	seedPayloadRate   = 4     // X: exchange bytes per cycle, direction and endpoint
	seedLoadRate      = 8     // LS: standard memory
	seedLoadRate2     = 16    // LI: interleaved memory
	seedCopyRate      = 8     // CP: local copies
	seedCopyCall      = 288   // CC: one local copy call
	seedPanelRate     = 6     // CI: standard → interleaved panel copy
	seedLaunch        = 11    // KL: one supervisor call
	seedFragment      = 160   // FR: one fragment of a fragmented conversion
	seedStridedCopy   = 512   // CS: largest strided copy merged into one call
	seedTransfer      = 16592 // MX: largest single transfer
	seedKernelCall    = 294   // G0
	seedFeed          = 940   // GI: per 16 columns and 64 inner elements, interleaved weights
	seedFeedStandard  = 1063  // GS: the same, standard weights
	seedMicro         = 16    // columns and inner elements of a micro-block
	seedGelu          = 10    // GE: per element
	seedAddRate       = 16    // AD: elements per cycle
	seedRowChunkWords = 7 * 6 // RW·RC: words of an exchange row per chunk
	f16Bytes          = 2
)

// SeedSync is the synchronisation of one exchange phase (PH).
const SeedSync = 600

// Names of cost terms, after the table of costmodel.md §14.
const (
	SeedTermRowWork           = "AMP row work"
	SeedTermFeeding           = "weight feeding"
	SeedTermCallOverhead      = "kernel call overhead"
	SeedTermReduction         = "reduction arithmetic"
	SeedTermRearrangement     = "rearrangement exchange"
	SeedTermWeightBroadcast   = "weight broadcast"
	SeedTermOperandBroadcast  = "operand broadcast" // the streamed operand moves, too
	SeedTermGelu              = "GELU"
	SeedTermReductionExchange = "reduction exchange"
	SeedTermSync              = "synchronization"
	SeedTermResultCopy        = "result copies"
	SeedTermLocalCopy         = "local copies"
	SeedTermFragments         = "exchange fragments"
	SeedTermOwnerPenalty      = "owner penalty"
	SeedTermIdleTiles         = "idle tiles"
	SeedTermLocalStaging      = "local staging"
)

// ErrImpossible marks what the profile prices as infinite: a conversion whose
// runs are not whole words.
var ErrImpossible = errors.New("cost: impossible under profile seed")

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func seedAlign(a, m int64) int64 { return ceilDiv(a, m) * m }
