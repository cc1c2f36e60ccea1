package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// header is the dictionary of a file.
type header struct {
	descr string
	shape []int
}

// readHeader reads everything before the data.
func readHeader(r io.Reader) (header, error) {
	start := make([]byte, len(magic)+2)
	if err := readFull(r, start, "magic and version"); err != nil {
		return header{}, err
	}
	if string(start[:len(magic)]) != magic {
		return header{}, fmt.Errorf("%w: expected it to start with %q, found %q", ErrFormat, magic, start[:len(magic)])
	}
	width := 4
	switch major := start[len(magic)]; major {
	case 1:
		width = 2
	case 2, 3:
	default:
		return header{}, fmt.Errorf("%w: expected version 1, 2 or 3, found %d", ErrFormat, major)
	}
	length := make([]byte, 4)
	if err := readFull(r, length[:width], "header length"); err != nil {
		return header{}, err
	}
	n := binary.LittleEndian.Uint32(length)
	if n > maxHeader {
		return header{}, fmt.Errorf("%w: header of %d bytes, expected at most %d", ErrFormat, n, maxHeader)
	}
	dict := make([]byte, n)
	if err := readFull(r, dict, "header"); err != nil {
		return header{}, err
	}
	return parseHeader(string(dict))
}

func readFull(r io.Reader, into []byte, what string) error {
	n, err := io.ReadFull(r, into)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: expected %d bytes of %s, found %d", ErrFormat, len(into), what, n)
	}
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	return nil
}

// parser walks the dictionary literal.
type parser struct{ rest string }

// parseHeader parses {'descr': STRING, 'fortran_order': BOOL, 'shape': TUPLE},
// keys in any order, each exactly once.
func parseHeader(dict string) (header, error) {
	p := parser{dict}
	h := header{}
	seen := map[string]bool{}
	if err := p.expect("{"); err != nil {
		return h, err
	}
	for !p.accept("}") {
		key, err := p.quoted()
		if err != nil {
			return h, err
		}
		if seen[key] {
			return h, fmt.Errorf("%w: header has key %q twice", ErrFormat, key)
		}
		seen[key] = true
		if err := p.expect(":"); err != nil {
			return h, err
		}
		if err := p.value(&h, key); err != nil {
			return h, err
		}
		if !p.accept(",") && !strings.HasPrefix(p.rest, "}") {
			return h, p.errorf("',' or '}'")
		}
	}
	if p.space(); p.rest != "" {
		return h, p.errorf("the end of the header")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return h, fmt.Errorf("%w: expected header key %q, found none", ErrFormat, key)
		}
	}
	return h, nil
}

// value reads the value of one key into h.
func (p *parser) value(h *header, key string) (err error) {
	switch key {
	case "descr":
		if h.descr, err = p.quoted(); err == nil && h.descr != "<f2" && h.descr != "<f4" {
			err = fmt.Errorf("%w: expected element type '<f2' or '<f4', found %q", ErrFormat, h.descr)
		}
	case "fortran_order":
		if p.accept("True") {
			return fmt.Errorf("%w: expected C layout, found Fortran order", ErrFormat)
		}
		err = p.expect("False")
	case "shape":
		h.shape, err = p.tuple()
	default:
		err = fmt.Errorf("%w: expected header keys descr, fortran_order and shape, found %q", ErrFormat, key)
	}
	return err
}

// tuple reads "()", "(3,)", "(3, 4)", …
func (p *parser) tuple() ([]int, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	shape := []int{}
	for !p.accept(")") {
		if len(shape) == maxAxes {
			return nil, fmt.Errorf("%w: expected a shape of at most %d axes", ErrFormat, maxAxes)
		}
		digits := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "0123456789"))]
		d, err := strconv.ParseUint(digits, 10, 31)
		if err != nil {
			return nil, p.errorf("an extent below 2^31")
		}
		shape, p.rest = append(shape, int(d)), p.rest[len(digits):]
		// A comma must follow a lone extent, and may follow the last.
		if !p.accept(",") && (len(shape) == 1 || !strings.HasPrefix(p.rest, ")")) {
			return nil, p.errorf("',' in the shape")
		}
	}
	return shape, nil
}

// quoted reads a string in single or double quotes without escapes.
func (p *parser) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.accept(quote) {
			text, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.Contains(text, `\`) {
				return "", p.errorf("a plain string")
			}
			p.rest = rest
			return text, nil
		}
	}
	return "", p.errorf("a quoted string")
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept skips white space and, if it follows, the token.
func (p *parser) accept(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *parser) expect(token string) error {
	if !p.accept(token) {
		return p.errorf("'" + token + "'")
	}
	return nil
}

func (p *parser) errorf(want string) error {
	return fmt.Errorf("%w: expected %s in the header, found %q", ErrFormat, want, p.rest[:min(20, len(p.rest))])
}
