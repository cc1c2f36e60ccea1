package encode

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxMiniMalloc bounds the text of a packing, in bytes.
const maxMiniMalloc = 1 << 28

// ReadMiniMalloc reads the items of a packing in the CSV form of MiniMalloc: a
// header with the columns id, lower, upper, size in any order, and alignment if
// there is one; an offset column, which solutions have, is read into the
// placement, which is nil otherwise. The form has no name and no capacity; the
// caller gives them. Errors wrap ErrPacking and name line and column.
func ReadMiniMalloc(r io.Reader, name string, capacity int64) (*Packing, Placement, error) {
	limited := &io.LimitedReader{R: r, N: maxMiniMalloc}
	c := csv.NewReader(limited)
	c.ReuseRecord = true
	fail := func(err error) (*Packing, Placement, error) {
		return nil, nil, fmt.Errorf("encode: %w: %w", ErrPacking, err)
	}
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return fail(errors.New("the file is empty; want a header with the columns id, lower, upper, size"))
	}
	if err != nil {
		return fail(fmt.Errorf("header: %w", err))
	}
	columns := slices.Clone(head)
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
		if !slices.Contains([]string{"id", "lower", "upper", "size", "alignment", "offset"}, columns[i]) || slices.Contains(columns[:i], columns[i]) {
			line, column := c.FieldPos(i)
			return fail(fmt.Errorf("line %d, column %d: want id, lower, upper, size, alignment or offset, each once, found %q", line, column, columns[i]))
		}
	}
	for _, must := range []string{"id", "lower", "upper", "size"} {
		if !slices.Contains(columns, must) {
			return fail(fmt.Errorf("line 1: want a column %s, found %s", must, strings.Join(columns, ",")))
		}
	}
	p := &Packing{Name: name, Capacity: capacity}
	at := Placement{}
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fail(err)
		}
		var it PackItem
		var offset int64
		for i, text := range record {
			text = strings.TrimSpace(text)
			if columns[i] == "id" {
				it.ID = text
				continue
			}
			x, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				line, column := c.FieldPos(i)
				return fail(fmt.Errorf("line %d, column %d: %s: want a 64-bit integer, found %q", line, column, columns[i], text))
			}
			*map[string]*int64{"lower": &it.Lower, "upper": &it.Upper, "size": &it.Size, "alignment": &it.Align, "offset": &offset}[columns[i]] = x
		}
		p.Items = append(p.Items, it)
		at = append(at, offset)
	}
	if limited.N == 0 {
		return fail(fmt.Errorf("more than %d bytes", maxMiniMalloc-1))
	}
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if !slices.Contains(columns, "offset") {
		at = nil
	}
	return p, at, nil
}

// WriteMiniMalloc writes a packing as ReadMiniMalloc reads it, with the offsets of
// at unless it is nil. The alignment column is there if an item has one.
func WriteMiniMalloc(w io.Writer, p *Packing, at Placement) error {
	if at != nil && len(at) != len(p.Items) {
		return fmt.Errorf("encode: %w: %d addresses for %d items", ErrPacking, len(at), len(p.Items))
	}
	aligned := slices.ContainsFunc(p.Items, func(it PackItem) bool { return it.Align != 0 })
	row := []string{"id", "lower", "upper", "size"}
	if aligned {
		row = append(row, "alignment")
	}
	if at != nil {
		row = append(row, "offset")
	}
	c := csv.NewWriter(w)
	c.Write(row)
	for i := range p.Items {
		it := &p.Items[i]
		row = append(row[:0], it.ID)
		for _, x := range []int64{it.Lower, it.Upper, it.Size} {
			row = append(row, strconv.FormatInt(x, 10))
		}
		if aligned {
			row = append(row, strconv.FormatInt(it.Align, 10))
		}
		if at != nil {
			row = append(row, strconv.FormatInt(at[i], 10))
		}
		c.Write(row)
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return nil
}
