package exchange

import "fmt"

// Stream is one of the two control streams of a row (reference: exchange.md §1).
type Stream uint8

const (
	SourceStream  Stream = iota // XPIC: which lane is listened to
	PointerStream               // PIC: where the next arriving word is stored
)

func (s Stream) String() string {
	if s == SourceStream {
		return "source"
	}
	return "pointer"
}

// Control selectors, RowControl.Sel (reference: exchange.md §2.1).
const (
	SelOwnLane    = 0 // source stream: the tile's own lane
	SelPairedLane = 1 // source stream: the lane borrowed in 64-bit mode
	SelPointer    = 0 // pointer stream: receive pointer, a word address
	SelFormat     = 1 // pointer stream: 0 = 32-bit, 1 or 2 = paired
)

// RowSend is one message leaving a tile: item k leaves at event Start+1+k.
type RowSend struct {
	Start    int32  // cycle the send instruction starts at, ≥ 0
	Items    int32  // words, or 8-byte items if Ctl has bit 2
	ItemAddr uint32 // SRAM address of the first item divided by the item's bytes
	Ctl      uint8  // bits 0, 1: fabric directions; bit 2: 8-byte items
}

// End is the cycle after the last item's instruction: Start + Items.
func (s RowSend) End() int32 { return s.Start + s.Items }

// RowControl is one control event of a tile: in force for data at Event and
// later.
type RowControl struct {
	Event  int32 // ≥ 1
	Stream Stream
	Sel    uint8
	Value  uint32 // physical source or NeutralSource; word address or format
}

// RowError reports a row that cannot exist because its sends and controls break
// a rule (reference: exchange.md §5: R1, R2, R4, R5 or R14), or because an
// operand does not fit its field (then Rule is empty).
type RowError struct {
	Rule  string
	Event int32
	What  string
}

func (e *RowError) Error() string {
	if e.Rule == "" {
		return fmt.Sprintf("exchange: row event %d: %s", e.Event, e.What)
	}
	return fmt.Sprintf("exchange: row event %d breaks %s: %s", e.Event, e.Rule, e.What)
}

// ParityError reports a pair of controls at Event that no row can hold: its
// sendpicp would start on an odd word, and every instruction since the last
// aligned one consumes a single event, so none can be split (R12).
type ParityError struct {
	Event int32
}

func (e *ParityError) Error() string {
	return fmt.Sprintf("exchange: row event %d breaks R12: the control pair starts on an odd word and no earlier instruction can be split", e.Event)
}
