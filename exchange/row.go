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
	Sel    uint8  // device.SelSource, SelPairSource; device.SelPointer, SelFormat
	Value  uint32 // physical source or device.NeutralSource; word address or format
}

// RowError reports a row that cannot exist because its sends and controls break
// a rule (reference: exchange.md §5).
type RowError struct {
	Rule  string // R1, R2, R3, R4, R5 or R14
	Event int32
	What  string
}

func (e *RowError) Error() string {
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
