package model

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

type strictInner struct {
	Small int32    `json:"small"`
	Wide  []uint32 `json:"wide"`
}

type strictRecord struct {
	strictInner
	Name  string           `json:"name"`
	Share *float64         `json:"share,omitempty"`
	Bound *big.Rat         `json:"bound,omitempty"`
	Class MemoryClass      `json:"class"`
	Next  *strictInner     `json:"next"`
	Map   map[string]int64 `json:"map,omitempty"`
	Plain bool
}

// TestReadStrict: what a record takes, and the path of what it does not.
func TestReadStrict(t *testing.T) {
	for _, c := range []struct{ text, path, reason string }{
		{`{"small": -3, "wide": [1, 4294967295], "name": "é", "share": 0.5, "bound": "1/3", "class": "interleaved", "next": {"small": 1}, "Plain": true}`, "", ""},
		{`{"wide": null, "share": null, "bound": null, "next": null}`, "", ""},
		{`{"small": 2147483648}`, "small", "want an integer, found 2147483648 (line 1, column 21)"},
		{`{"wide": [0, -1]}`, "wide[1]", "want an integer, found -1"},
		{`{"wide": [null]}`, "wide[0]", "want an integer, found null"},
		{`{"name": null}`, "name", "want a string, found null"},
		{`{"class": null}`, "class", "want a value, found null"},
		{`{"class": "fast"}`, "class", `"fast"`},
		{`{"bound": "x"}`, "bound", "x"},
		{`{"share": 1e999}`, "share", "want a number, found 1e999"},
		{`{"next": {"small": true}}`, "next.small", "want an integer, found true"},
		{`{"map": {"a": 1, "B": -2}}`, "", ""},
		{`{"map": {"a": 1, "a": 1}}`, "map.a", "field given twice"},
		{`{"map": {"a": "1"}}`, "map.a", "want an integer, found 1"},
		{`{"Name": "a"}`, "Name", "unknown field"},
		{`{"plain": true}`, "plain", "unknown field"},
		{`{"small": 1, "small": 1}`, "small", "field given twice"},
		{`{"name": "` + "\xff" + `"}`, "", "want UTF-8, found byte 0xff (line 1, column 12)"},
		{`{}{}`, "", "want nothing after the first value"},
		{`null`, "", "want an object, found null"},
		{`{"name": "a`, "name", "unexpected EOF"},
	} {
		var r strictRecord
		err := ReadStrict(strings.NewReader(c.text), &r, 1000)
		if c.reason == "" {
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		var p *PathError
		if !errors.As(err, &p) || p.Path != c.path || !strings.Contains(p.Reason, c.reason) {
			t.Errorf("%s: %v, want %s: %s", c.text, err, c.path, c.reason)
		}
	}
	var r strictRecord
	text := fmt.Sprintf(`{"name": %q}`, strings.Repeat("x", 1000))
	if err := ReadStrict(strings.NewReader(text), &r, 1000); err == nil {
		t.Error("a file beyond the limit is read")
	}
}
