package model

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFileBytes bounds the files that the readers of this package accept.
const maxFileBytes = 64 << 20

func readStrict(r io.Reader, into any) error { return ReadStrict(r, into, maxFileBytes) }

// ReadStrict decodes one JSON value of at most limit bytes into the record that
// into points to: structs, maps by text, lists, texts, numbers, booleans and types that decode
// themselves. Unlike encoding/json alone it rejects unknown, repeated and
// differently spelt fields, null where a value belongs, text that is not UTF-8,
// and trailing data. Its errors are *PathError, or wrap the reader's.
func ReadStrict(r io.Reader, into any, limit int64) error {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return fmt.Errorf("model: reading: %w", err)
	}
	if int64(len(data)) > limit {
		return pathErrorf("", "want at most %d bytes", limit)
	}
	w := strictWalker{data: data, dec: json.NewDecoder(bytes.NewReader(data)), fields: map[reflect.Type]map[string]reflect.Type{}}
	w.dec.UseNumber()
	if err := w.value(reflect.TypeOf(into).Elem(), ""); err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return pathErrorf("", "want nothing after the first value, found more at %s", w.position())
	}
	if at := invalidUTF8(data); at < len(data) {
		return pathErrorf("", "want UTF-8, found byte %#02x (%s)", data[at], positionOf(data[:at+1]))
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &PathError{Reason: err.Error(), Err: err}
	}
	return nil
}

// invalidUTF8 is the first byte that is no UTF-8, or the end.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return len(data)
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// strictWalker compares a stream of JSON tokens with a Go type.
type strictWalker struct {
	data   []byte
	dec    *json.Decoder
	fields map[reflect.Type]map[string]reflect.Type // of the structs met so far
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (w *strictWalker) value(t reflect.Type, path string) error {
	optional := t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		return w.own(t, optional, path)
	}
	token, err := w.dec.Token()
	if err != nil {
		return w.broken(path, err)
	}
	if token == nil && optional {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		if token != json.Delim('{') {
			return w.mismatch(path, "an object", token)
		}
		return w.object(t, path)
	case reflect.Map:
		if token != json.Delim('{') {
			return w.mismatch(path, "an object", token)
		}
		elem := t.Elem()
		return w.members(path, func(string) (reflect.Type, bool) { return elem, true })
	case reflect.Slice:
		if token != json.Delim('[') {
			return w.mismatch(path, "a list", token)
		}
		for i := 0; w.dec.More(); i++ {
			if err := w.value(t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, err := w.dec.Token()
		return w.broken(path, err)
	case reflect.String:
		if _, ok := token.(string); !ok {
			return w.mismatch(path, "a string", token)
		}
	case reflect.Bool:
		if _, ok := token.(bool); !ok {
			return w.mismatch(path, "true or false", token)
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32:
		if n, ok := token.(json.Number); !ok || !isInteger(n.String(), t) {
			return w.mismatch(path, "an integer", token)
		}
	case reflect.Float64:
		n, ok := token.(json.Number)
		if !ok {
			return w.mismatch(path, "a number", token)
		}
		if _, err := n.Float64(); err != nil {
			return w.mismatch(path, "a number", token)
		}
	default:
		panic("model: strict reader does not know " + t.String())
	}
	return nil
}

// own reads a value of a type that decodes itself.
func (w *strictWalker) own(t reflect.Type, optional bool, path string) error {
	var raw json.RawMessage
	if err := w.dec.Decode(&raw); err != nil {
		return w.broken(path, err)
	}
	if string(raw) == "null" {
		if optional {
			return nil
		}
		return w.mismatch(path, "a value", nil)
	}
	return w.broken(path, json.Unmarshal(raw, reflect.New(t).Interface()))
}

// isInteger tells a number that an integer type can hold.
func isInteger(text string, t reflect.Type) bool {
	var err error
	if t.Kind() == reflect.Uint32 {
		_, err = strconv.ParseUint(text, 10, t.Bits())
	} else {
		_, err = strconv.ParseInt(text, 10, t.Bits())
	}
	return err == nil
}

// fieldsOf lists the fields of a struct by JSON name, those of embedded structs
// included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name != "":
			fields[name] = f.Type
		case f.Anonymous:
			maps.Copy(fields, fieldsOf(f.Type))
		default:
			fields[f.Name] = f.Type
		}
	}
	return fields
}

func (w *strictWalker) object(t reflect.Type, path string) error {
	fields := w.fields[t]
	if fields == nil {
		fields = fieldsOf(t)
		w.fields[t] = fields
	}
	return w.members(path, func(name string) (reflect.Type, bool) { ft, ok := fields[name]; return ft, ok })
}

// members reads the members of an object; field gives the type of a known name.
func (w *strictWalker) members(path string, field func(name string) (reflect.Type, bool)) error {
	seen := map[string]bool{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return w.broken(path, err)
		}
		name := token.(string) // the decoder accepts nothing else as a key
		at := name
		if path != "" {
			at = path + "." + name
		}
		ft, ok := field(name)
		switch {
		case !ok:
			return pathErrorf(at, "unknown field")
		case seen[name]:
			return pathErrorf(at, "field given twice")
		}
		seen[name] = true
		if err := w.value(ft, at); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return w.broken(path, err)
}

// broken turns an error of the decoder into one with path and position.
func (w *strictWalker) broken(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	reason := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "model: "), "json: ")
	return &PathError{Path: path, Reason: fmt.Sprintf("%s (%s)", reason, w.position()), Err: err}
}

func (w *strictWalker) mismatch(path, want string, found json.Token) error {
	if found == nil {
		found = "null"
	}
	return pathErrorf(path, "want %s, found %v (%s)", want, found, w.position())
}

func (w *strictWalker) position() string {
	return positionOf(w.data[:min(int(w.dec.InputOffset()), len(w.data))])
}

// positionOf is the line and column up to which a text has been read.
func positionOf(read []byte) string {
	line := bytes.Count(read, []byte("\n"))
	return fmt.Sprintf("line %d, column %d", line+1, len(read)-bytes.LastIndexByte(read, '\n'))
}
