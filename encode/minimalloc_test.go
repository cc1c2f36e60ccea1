package encode

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMiniMalloc(t *testing.T) {
	text := "size, id,upper,lower\n4,a,3,0\n8,\"b,c\",9,2\n"
	p, at, err := ReadMiniMalloc(strings.NewReader(text), "two", 12)
	want := &Packing{Name: "two", Capacity: 12, Items: []PackItem{{ID: "a", Lower: 0, Upper: 3, Size: 4}, {ID: "b,c", Lower: 2, Upper: 9, Size: 8}}}
	if d := cmp.Diff(want, p); d != "" || at != nil || err != nil {
		t.Fatal(d, at, err)
	}
	for _, c := range []struct {
		align int64
		at    Placement
		text  string
	}{
		{0, nil, "id,lower,upper,size\na,0,3,4\n\"b,c\",2,9,8\n"},
		{0, Placement{8, 0}, "id,lower,upper,size,offset\na,0,3,4,8\n\"b,c\",2,9,8,0\n"},
		{4, Placement{8, 0}, "id,lower,upper,size,alignment,offset\na,0,3,4,4,8\n\"b,c\",2,9,8,0,0\n"},
	} {
		p.Items[0].Align = c.align
		var b bytes.Buffer
		if err := WriteMiniMalloc(&b, p, c.at); err != nil || b.String() != c.text {
			t.Errorf("%v, %s", err, b.String())
		}
		again, at, err := ReadMiniMalloc(&b, "two", 12)
		if d := cmp.Diff(p, again) + cmp.Diff(c.at, at); d != "" || err != nil {
			t.Error(d, err)
		}
	}
	if err := WriteMiniMalloc(&bytes.Buffer{}, p, Placement{1}); !errors.Is(err, ErrPacking) {
		t.Error(err)
	}
}

func TestMiniMallocInstances(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "external", "minimalloc", "*.1048576.csv"))
	if len(files) == 0 {
		t.Skip("no instances")
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := ReadMiniMalloc(f, filepath.Base(name), 1048576)
		f.Close()
		if err != nil || len(p.Items) < 100 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMiniMallocErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "the file is empty",
		"id,lower,upper\n":                      "line 1: want a column size, found id,lower,upper",
		"id,lower,upper,size,gaps\n":            `line 1, column 21: want id, lower, upper, size, alignment or offset, each once, found "gaps"`,
		"id,lower,upper,size,size\n":            `line 1, column 21: want id`,
		"id,lower,upper,size\na,0,1,x\n":        `line 2, column 7: size: want a 64-bit integer, found "x"`,
		"id,lower,upper,size\na,0,1\n":          "record on line 2: wrong number of fields",
		"id,lower,upper,size\na,0,0,5\n":        `item "a" lives from 0 to 0`,
		"id,lower,upper,size\na,0,1,1\"\n":      `parse error on line 2, column 8`,
		"id,lower,upper,size\na,0,1,1\na,0,1,1": `item "a" appears twice`,
	} {
		if _, _, err := ReadMiniMalloc(strings.NewReader(text), "x", 9); !errors.Is(err, ErrPacking) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What is read is a valid record that survives writing and reading.
func FuzzMiniMalloc(f *testing.F) {
	f.Add("id,lower,upper,size\na,0,3,4\n")
	f.Add("id,lower,upper,size,alignment,offset\na,0,3,4,8,16\n\"b,\"\"\",-2,9,8,0,0\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, at, err := ReadMiniMalloc(strings.NewReader(text), "x", 1<<20)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteMiniMalloc(&b, p, at); err != nil {
			t.Fatal(err)
		}
		again, at2, err := ReadMiniMalloc(&b, "x", 1<<20)
		if d := cmp.Diff(p, again) + cmp.Diff(at, at2); err != nil || d != "" {
			t.Fatal(err, d)
		}
	})
}
