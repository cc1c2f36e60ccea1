package lower

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Dump writes a program as text: items, then the work of every tile, then the
// transfers of every phase. Addresses are item+offset.
func (p *Program) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "program: %d tiles, %d items, %d phases\n", len(p.Tiles), len(p.Items), len(p.Phases))
	for i := range p.Items {
		it := &p.Items[i]
		fmt.Fprintf(b, "item %d: tile %d %v of %s, %d bytes, tail %d, align %d, %v, live %d..%d", i, it.Tile, it.Kind, p.Plan.Values[it.Value].Name, it.Bytes, it.Tail, it.Align, it.Class, it.First, it.Last)
		if len(it.Apart) > 0 {
			fmt.Fprintf(b, ", apart %v", it.Apart)
		}
		if it.Inside != nil {
			fmt.Fprintf(b, ", inside %v", *it.Inside)
		}
		if it.Addr != 0 {
			fmt.Fprintf(b, ", at %#x", it.Addr)
		}
		fmt.Fprintln(b)
	}
	for v, list := range p.Shards {
		fmt.Fprintf(b, "value %s:", p.Plan.Values[v].Name)
		for _, at := range list {
			fmt.Fprintf(b, " %v", at.Ref)
		}
		fmt.Fprintln(b)
	}
	for t, list := range p.Tiles {
		fmt.Fprintf(b, "tile %d\n", t)
		for i := range list {
			fmt.Fprintf(b, "  %d: step %d ", i+1, list[i].Step)
			if list[i].Kind == WorkExchange {
				fmt.Fprintf(b, "exchange %d\n", list[i].Phase)
				continue
			}
			fmt.Fprint(b, list[i].Spec.Symbol())
			for _, a := range list[i].Args {
				if a.Item >= 0 {
					fmt.Fprintf(b, " %v", Ref{a.Item, a.Value})
				} else {
					fmt.Fprintf(b, " %d", a.Value)
				}
			}
			fmt.Fprintln(b)
		}
	}
	for i := range p.Phases {
		ph := &p.Phases[i]
		fmt.Fprintf(b, "phase %d: %s of %s for %v, %d transfers\n", ph.ID, ph.Reason, ph.Op, ph.Values, len(ph.Transfers))
		for _, t := range ph.Transfers {
			fmt.Fprintf(b, "  %d words from %v (tile %d) to", t.Words, t.Source, p.Items[t.Source.Item].Tile)
			for _, d := range t.Dests {
				fmt.Fprintf(b, " %v (tile %d)", d, p.Items[d.Item].Tile)
			}
			fmt.Fprintln(b)
		}
	}
	return b.Flush()
}

// String writes a position as #item+offset.
func (r Ref) String() string { return fmt.Sprintf("#%d+%d", r.Item, r.Offset) }

// ProgramSchema is the schema name of a program file.
const ProgramSchema = "ipusolve.program/1"

// WriteJSON writes a program, without its plan, as JSON: one line per item, tile
// and phase.
func (p *Program) WriteJSON(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\"schema\":%q", ProgramSchema)
	list := func(name string, n int, at func(i int) any) error {
		fmt.Fprintf(b, ",\n%q:[", name)
		for i := range n {
			text, err := json.Marshal(at(i))
			if err != nil {
				return fmt.Errorf("lower: program as JSON: %w", err)
			}
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
			b.Write(text)
		}
		b.WriteByte(']')
		return nil
	}
	for _, part := range []struct {
		name string
		n    int
		at   func(i int) any
	}{
		{"items", len(p.Items), func(i int) any { return &p.Items[i] }},
		{"shards", len(p.Shards), func(i int) any { return p.Shards[i] }},
		{"tiles", len(p.Tiles), func(i int) any { return p.Tiles[i] }},
		{"phases", len(p.Phases), func(i int) any { return &p.Phases[i] }},
		{"roots", len(p.Roots), func(i int) any { return p.Roots[i] }},
	} {
		if err := list(part.name, part.n, part.at); err != nil {
			return err
		}
	}
	b.WriteString("}\n")
	return b.Flush()
}

// MarshalText gives kinds of items and refs their names in JSON.
func (k ItemKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText writes a position as #item+offset.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// MarshalJSON writes an exchange as its phase and a call as its symbol and
// arguments.
func (w Work) MarshalJSON() ([]byte, error) {
	if w.Kind == WorkExchange {
		return json.Marshal(struct {
			Step     int32 `json:"step"`
			Exchange int32 `json:"exchange"`
		}{w.Step, w.Phase})
	}
	return json.Marshal(struct {
		Step int32  `json:"step"`
		Call string `json:"call"`
		Args []Arg  `json:"args"`
	}{w.Step, w.Spec.Symbol(), w.Args})
}

// MarshalJSON writes an address argument as text, a constant as a number.
func (a Arg) MarshalJSON() ([]byte, error) {
	if a.Item >= 0 {
		return json.Marshal(Ref{a.Item, a.Value})
	}
	return json.Marshal(a.Value)
}

// MarshalJSON writes a location's place and size.
func (l Location) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		At    Ref    `json:"at"`
		Bytes uint32 `json:"bytes"`
	}{l.Ref, l.Bytes})
}
