package exchange

// Problem is one exchange phase: messages that all must be delivered between
// two barriers. It is the in-memory form of a snapshot phase (reference:
// exchange.md §11). Tiles are logical ids; addresses are SRAM byte addresses.
type Problem struct {
	Phase    int // unique id within a snapshot
	Tiles    int // logical tiles 0..Tiles-1 exist
	Messages []Message
	// Freedom is what schedules may do beyond the rules: bounds, List, rows and the
	// checker go by it. It is no part of a snapshot.
	Freedom Freedom
}

// Message moves Words 32-bit words from one tile to one or more others. List
// order is program order for the memory rule R9.
type Message struct {
	Source int32
	// SourceAddrs holds one address per repeat iteration; the first is the
	// scheduled one. All of them count for the SRAM element rule R7.
	SourceAddrs []uint32
	Dests       []Dest
	Words       int32
	Paired      bool // 64-bit width (Word32 otherwise)
	// Open says that the width is a decision: bounds hold for both, and ListWidths
	// takes either. Anything else goes by Paired.
	Open bool
}

// Dest is one receiver of a message.
type Dest struct {
	Tile int32
	Addr uint32
}

// Limits of a message (reference: exchange.md §6, §11).
const (
	MaxItems       = 4148
	MinPairedWords = 128
)

// Schedule gives every message of a problem its start.
type Schedule struct {
	// Paired are the widths that ListWidths chose for messages whose width is open;
	// nil: each message has its own.
	Paired []bool
	// Freedom is what the schedule uses of the problem's freedom, Standard if it keeps
	// the rules.
	Freedom Freedom
	Start   []int32 // x_j per message: the cycle its send instruction starts at the source
	Horizon int32   // phase horizon: the largest tile horizon
	// TileHorizon is the length in events of each tile's row; 0 = inactive.
	TileHorizon []int32
	// Searched is a horizon that no schedule of the problem is below, as bounds or
	// exhaustive search found; 0: none is known. There is nothing to check it by but
	// another search.
	Searched int32
	Looks    int64 // receives looked at to find it, the unit of Options.Effort
	Repairs  int   // moves for control pairs that no row could hold (R12)
}
