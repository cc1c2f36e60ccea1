package model

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// maxFileBytes bounds the files that the readers of this package accept.
const maxFileBytes = 64 << 20

// readStrict decodes one JSON value of at most maxFileBytes into a record. Unlike
// encoding/json alone it rejects unknown, repeated and differently spelt fields
// and trailing data, and its errors carry the JSON path.
func readStrict(r io.Reader, into any) error {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return fmt.Errorf("model: reading: %w", err)
	}
	if len(data) > maxFileBytes {
		return pathErrorf("", "want at most %d bytes", maxFileBytes)
	}
	w := strictWalker{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	w.dec.UseNumber()
	if err := w.value(reflect.TypeOf(into).Elem(), ""); err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return pathErrorf("", "want nothing after the first value, found more at %s", w.position())
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &PathError{Reason: err.Error(), Err: err}
	}
	return nil
}

// strictWalker compares a stream of JSON tokens with a Go type.
type strictWalker struct {
	data []byte
	dec  *json.Decoder
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (w *strictWalker) value(t reflect.Type, path string) error {
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		if err := w.dec.Decode(reflect.New(t).Interface()); err != nil {
			return w.broken(path, err)
		}
		return nil
	}
	token, err := w.dec.Token()
	if err != nil {
		return w.broken(path, err)
	}
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if token == nil {
			return nil
		}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		if token != json.Delim('{') {
			return w.mismatch(path, "an object", token)
		}
		return w.object(t, path)
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
	case reflect.Int, reflect.Int64:
		n, ok := token.(json.Number)
		if !ok {
			return w.mismatch(path, "an integer", token)
		}
		if _, err := strconv.ParseInt(n.String(), 10, t.Bits()); err != nil {
			return w.mismatch(path, "an integer", token)
		}
	default:
		panic("model: strict reader does not know " + t.String())
	}
	return nil
}

func (w *strictWalker) object(t reflect.Type, path string) error {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = t.Field(i).Type
	}
	seen := map[string]bool{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return w.broken(path, err)
		}
		name := token.(string) // the decoder accepts nothing else as a key
		field := name
		if path != "" {
			field = path + "." + name
		}
		ft, ok := fields[name]
		switch {
		case !ok:
			return pathErrorf(field, "unknown field")
		case seen[name]:
			return pathErrorf(field, "field given twice")
		}
		seen[name] = true
		if err := w.value(ft, field); err != nil {
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
	return pathErrorf(path, "want %s, found %v (%s)", want, found, w.position())
}

// position is the line and column up to which the decoder has read.
func (w *strictWalker) position() string {
	read := w.data[:min(int(w.dec.InputOffset()), len(w.data))]
	line := bytes.Count(read, []byte("\n"))
	return fmt.Sprintf("line %d, column %d", line+1, len(read)-bytes.LastIndexByte(read, '\n'))
}
