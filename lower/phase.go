package lower

import (
	"fmt"

	"ipusolve/exchange"
	"ipusolve/model"
)

// maxElements is the longest transfer in F16 elements (exchange.md §6).
const maxElements = 2 * exchange.MaxItems

// openPhase collects what the steps of one exchange phase contribute.
type openPhase struct {
	left, last int // steps still to come; index of the last one
	transfers  []Transfer
	outs       []*value
	reason, op string
	post       []func() error // work behind the exchange
	inside     []int32        // items that lie inside others from the exchange on
}

// Reasons of phases, as in the reference's logs (reference: lowering.md §6).
const (
	ReasonOperand   = "OperatorInput"       // weights or inputs to their consumers
	ReasonOperands  = "OperatorInputs"      // partial sums, or several reasons at once
	ReasonRearrange = "LayoutRearrangement" // a computed value into another layout

)

// provenance notes why a step needs the phase.
func (ph *openPhase) provenance(reason, op string) {
	if ph.reason != "" && (ph.reason != reason || ph.op != op) {
		reason = ReasonOperands
	}
	ph.reason, ph.op = reason, op
}

// transfer appends a transfer of n elements, given in element offsets of the
// items, or extends the last one that it continues on every side
// (reference: exchange.md §6, coalescing). It joins only transfers from index
// from on.
func (b *builder) transfer(ph *openPhase, from int, source Ref, dests []Ref, n int) error {
	bytes := uint32(n * elementBytes)
	odd := (source.Offset | bytes) & 3
	for _, d := range dests {
		odd |= d.Offset & 3
	}
	if odd != 0 {
		return fmt.Errorf("%w: a transfer of %d bytes from offset %d is not made of whole words", ErrOrder, bytes, source.Offset)
	}
	if len(ph.transfers) > from {
		if last := &ph.transfers[len(ph.transfers)-1]; last.continuedBy(source, dests) && int(last.Words)+n/2 <= exchange.MaxItems {
			last.Words += int32(n / 2)
			return nil
		}
	}
	start := len(b.refs)
	if cap(b.refs)-start < len(dests) {
		b.refs, start = make([]Ref, 0, max(1<<16, len(dests))), 0
	}
	b.refs = append(b.refs, dests...)
	ph.transfers = append(ph.transfers, Transfer{Source: source, Dests: b.refs[start:len(b.refs):len(b.refs)], Words: int32(n / 2)})
	return nil
}

// continuedBy tells whether data at source for dests follows t on every side.
func (t *Transfer) continuedBy(source Ref, dests []Ref) bool {
	step := uint32(t.Words) * 4
	if len(dests) != len(t.Dests) || source != (Ref{t.Source.Item, t.Source.Offset + step}) {
		return false
	}
	for i, d := range dests {
		if d != (Ref{t.Dests[i].Item, t.Dests[i].Offset + step}) {
			return false
		}
	}
	return true
}

// closePhase appends the exchange to every tile, then the work behind it.
func (b *builder) closePhase(id int) error {
	ph := b.open[id]
	if id != len(b.prog.Phases) {
		return fmt.Errorf("phase %d ends before phase %d", id, len(b.prog.Phases))
	}
	rec := Phase{ID: id, Reason: ph.reason, Op: ph.op, Transfers: ph.transfers}
	for _, v := range ph.outs {
		rec.Values = append(rec.Values, v.Name)
	}
	b.prog.Phases = append(b.prog.Phases, rec)
	for t := range b.prog.Tiles {
		b.prog.Tiles[t] = append(b.prog.Tiles[t], Work{Kind: WorkExchange, Phase: int32(id), Step: int32(ph.last)})
	}
	// used[t] is 1 + the last transfer that uses tile t.
	used := make([]int, len(b.prog.Tiles))
	for i, t := range ph.transfers {
		for _, r := range append(t.Dests[:len(t.Dests):len(t.Dests)], t.Source) {
			tile := b.prog.Items[r.Item].Tile
			if used[tile] == i+1 {
				return fmt.Errorf("phase %d: transfer %d meets tile %d twice", id, i, tile)
			}
			used[tile] = i + 1
			b.touch(r.Item, len(b.prog.Tiles[tile]))
		}
	}
	for _, slice := range ph.inside { // what it holds must last until its host lives
		tile := b.prog.Items[slice].Tile
		b.touch(slice, len(b.prog.Tiles[tile]))
		b.touch(b.prog.Items[slice].Inside.Item, len(b.prog.Tiles[tile]))
	}
	for _, f := range ph.post {
		if err := f(); err != nil {
			return err
		}
	}
	for _, v := range ph.outs {
		v.made = true
	}
	return nil
}

// at is the reference of element offset e of a shard's part storage.
func (v *value) ref(shard, e int) Ref {
	at := v.at[shard].Ref
	at.Offset += uint32((e - v.shards[shard].First) * elementBytes)
	return at
}

// moveReason tells why a value is moved.
func moveReason(in *value) string {
	if in.Role == model.RoleInput || in.Role == model.RoleWeight {
		return ReasonOperand
	}
	return ReasonRearrange
}
