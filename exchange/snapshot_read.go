package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// ReadSnapshot reads and validates a snapshot. Unknown, missing and repeated
// fields are errors, as is anything behind the JSON value. Every error wraps
// ErrInvalid (or the reader's own error) and names the JSON path.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	d := &snapshotReader{dec: json.NewDecoder(bufio.NewReaderSize(r, 1<<16))}
	d.dec.UseNumber()
	s := new(Snapshot)
	err := d.object("", map[string]func(path string) error{
		"schema_version": func(path string) error {
			v, err := d.integer(path, 0, math.MaxInt32)
			if err == nil && v != SchemaVersion {
				err = invalid(path, strconv.Itoa(SchemaVersion), v)
			}
			return err
		},
		"tile_count": func(path string) error {
			v, err := d.integer(path, 0, math.MaxInt32)
			s.Tiles = int(v)
			return err
		},
		"phases": func(path string) error {
			return d.array(path, func(path string) error {
				p, err := d.phase(path)
				s.Phases = append(s.Phases, p)
				return err
			})
		},
	})
	if err != nil {
		return nil, err
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid("(end)", "nothing behind the snapshot", "more data")
	}
	for _, p := range s.Phases {
		p.Tiles = s.Tiles
	}
	if len(s.Phases) == 0 {
		// validate has no phase to find a bad count in.
		if err := (&Problem{Tiles: s.Tiles}).Validate(); err != nil {
			return nil, err
		}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s, nil
}

// snapshotReader walks JSON tokens with the path of the value being read.
type snapshotReader struct{ dec *json.Decoder }

func (d *snapshotReader) phase(path string) (*Problem, error) {
	p := new(Problem)
	err := d.object(path, map[string]func(string) error{
		"phase": func(path string) error {
			v, err := d.integer(path, 0, math.MaxInt32)
			p.Phase = int(v)
			return err
		},
		"transfers": func(path string) error {
			return d.array(path, func(path string) error {
				m, err := d.transfer(path)
				p.Messages = append(p.Messages, m)
				return err
			})
		},
	})
	return p, err
}

func (d *snapshotReader) transfer(path string) (Message, error) {
	var m Message
	err := d.object(path, map[string]func(string) error{
		"source": func(path string) error {
			v, err := d.integer(path, 0, math.MaxInt32)
			m.Source = int32(v)
			return err
		},
		"source_addresses": func(path string) error {
			return d.array(path, func(path string) error {
				v, err := d.integer(path, 0, math.MaxUint32)
				m.SourceAddrs = append(m.SourceAddrs, uint32(v))
				return err
			})
		},
		"destinations": func(path string) error {
			return d.array(path, func(path string) error {
				dest, err := d.destination(path)
				m.Dests = append(m.Dests, dest)
				return err
			})
		},
		"words": func(path string) error {
			v, err := d.integer(path, math.MinInt32, math.MaxInt32)
			m.Words = int32(v)
			return err
		},
		"width": func(path string) error {
			tok, err := d.token(path)
			if err != nil {
				return err
			}
			switch tok {
			case "Word32":
			case "Paired64":
				m.Paired = true
			default:
				return invalid(path, `"Word32" or "Paired64"`, show(tok))
			}
			return nil
		},
	})
	return m, err
}

func (d *snapshotReader) destination(path string) (Dest, error) {
	var v [2]int64
	k := 0
	err := d.array(path, func(path string) (err error) {
		if k == 2 {
			return invalid(path, "2 numbers: tile, address", "more")
		}
		v[k], err = d.integer(path, 0, []int64{math.MaxInt32, math.MaxUint32}[k])
		k++
		return err
	})
	if err == nil && k < 2 {
		err = invalid(path, "2 numbers: tile, address", k)
	}
	return Dest{Tile: int32(v[0]), Addr: uint32(v[1])}, err
}

// object reads an object whose fields are exactly those given, in any order.
func (d *snapshotReader) object(path string, fields map[string]func(string) error) error {
	if err := d.delim(path, '{', "an object"); err != nil {
		return err
	}
	for d.dec.More() {
		tok, err := d.token(path)
		if err != nil {
			return err
		}
		name, _ := tok.(string) // the decoder admits only strings as keys
		at := name
		if path != "" {
			at = path + "." + name
		}
		read, known := fields[name]
		switch {
		case !known:
			return invalid(at, "a known field", "an unknown one")
		case read == nil:
			return invalid(at, "the field once", "it repeated")
		}
		if err := read(at); err != nil {
			return err
		}
		fields[name] = nil
	}
	var missing []string
	for name, read := range fields {
		if read != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return invalid(orRoot(path), fmt.Sprintf("field %q", slices.Min(missing)), "none")
	}
	_, err := d.token(path)
	return err
}

func (d *snapshotReader) array(path string, element func(path string) error) error {
	if err := d.delim(path, '[', "an array"); err != nil {
		return err
	}
	for i := 0; d.dec.More(); i++ {
		if err := element(path + "[" + strconv.Itoa(i) + "]"); err != nil {
			return err
		}
	}
	_, err := d.token(path)
	return err
}

func (d *snapshotReader) delim(path string, want json.Delim, name string) error {
	tok, err := d.token(path)
	if err != nil {
		return err
	}
	if tok != want {
		return invalid(orRoot(path), name, show(tok))
	}
	return nil
}

func (d *snapshotReader) integer(path string, low, high int64) (int64, error) {
	tok, err := d.token(path)
	if err != nil {
		return 0, err
	}
	num, ok := tok.(json.Number)
	if !ok {
		return 0, invalid(path, "an integer", show(tok))
	}
	v, err := strconv.ParseInt(num.String(), 10, 64)
	if err != nil || v < low || v > high {
		return 0, invalid(path, fmt.Sprintf("an integer in %d..%d", low, high), show(tok))
	}
	return v, nil
}

func (d *snapshotReader) token(path string) (json.Token, error) {
	tok, err := d.dec.Token()
	if err == nil {
		return tok, nil
	}
	var syntax *json.SyntaxError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) {
		return nil, fmt.Errorf("%w: %s: want JSON, found a fault at byte %d: %w", ErrInvalid, orRoot(path), d.dec.InputOffset(), err)
	}
	return nil, fmt.Errorf("exchange: read snapshot: %w", err)
}

func orRoot(path string) string {
	if path == "" {
		return "(root)"
	}
	return path
}

// show renders a token for an error line: short, and on one line.
func show(tok json.Token) string {
	if tok == nil {
		return "null"
	}
	text := fmt.Sprintf("%v", tok)
	if s, ok := tok.(string); ok {
		text = strconv.Quote(s)
	}
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return text
}
