package exchange

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// SchemaVersion is the only snapshot version read and written.
const SchemaVersion = 4

// Snapshot is a set of scheduling problems in the form they are saved and
// replayed in (reference: exchange.md §11).
type Snapshot struct {
	Tiles  int // tile_count: logical tiles of every phase
	Phases []*Problem
}

// Validate checks every phase and that phase ids are unique.
func (s *Snapshot) Validate() error {
	ids := make(map[int]int, len(s.Phases))
	for i, p := range s.Phases {
		prefix := fmt.Sprintf("phases[%d].", i)
		if p.Tiles != s.Tiles {
			return invalid("tile_count", fmt.Sprintf("%d as in %stiles", p.Tiles, prefix), s.Tiles)
		}
		if err := p.validate(prefix); err != nil {
			return err
		}
		if first, ok := ids[p.Phase]; ok {
			return invalid(prefix+"phase", fmt.Sprintf("an id other than that of phases[%d]", first), p.Phase)
		}
		ids[p.Phase] = i
	}
	return nil
}

// Write writes the snapshot as JSON, one transfer a line. It does not validate.
func (s *Snapshot) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var b []byte
	num := func(v int64) { b = strconv.AppendInt(b, v, 10) }
	str := func(v string) { b = append(b, v...) }
	str(`{"schema_version":`)
	num(SchemaVersion)
	str(`,"tile_count":`)
	num(int64(s.Tiles))
	str(`,"phases":[`)
	for i, p := range s.Phases {
		if i > 0 {
			str(",")
		}
		str("\n{\"phase\":")
		num(int64(p.Phase))
		str(`,"transfers":[`)
		for j := range p.Messages {
			m := &p.Messages[j]
			if j > 0 {
				str(",")
			}
			str("\n{\"source\":")
			num(int64(m.Source))
			str(`,"source_addresses":[`)
			for k, a := range m.SourceAddrs {
				if k > 0 {
					str(",")
				}
				num(int64(a))
			}
			str(`],"destinations":[`)
			for k, d := range m.Dests {
				if k > 0 {
					str(",")
				}
				str("[")
				num(int64(d.Tile))
				str(",")
				num(int64(d.Addr))
				str("]")
			}
			str(`],"words":`)
			num(int64(m.Words))
			str(`,"width":"`)
			str(m.width())
			str(`"}`)
			if _, err := out.Write(b); err != nil {
				return fmt.Errorf("exchange: write snapshot: %w", err)
			}
			b = b[:0]
		}
		str("]}")
	}
	str("]}\n")
	if _, err := out.Write(b); err != nil {
		return fmt.Errorf("exchange: write snapshot: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("exchange: write snapshot: %w", err)
	}
	return nil
}

func (m *Message) width() string {
	if m.Paired {
		return "Paired64"
	}
	return "Word32"
}
