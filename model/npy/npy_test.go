package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// file assembles a version 1.0 file from its dictionary and data.
func file(dict string, data ...byte) []byte {
	out := []byte(magic + "\x01\x00")
	out = binary.LittleEndian.AppendUint16(out, uint16(len(dict)))
	return append(append(out, dict...), data...)
}

// numpyFile is what numpy.save writes for np.array([[1,-2,0.5]], dtype='<f2').
const numpyFile = "\x93NUMPY\x01\x00v\x00{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3), }" +
	"                                                          \n\x00\x3c\x00\xc0\x00\x38"

func TestReadNumpy(t *testing.T) {
	got, err := Read(strings.NewReader(numpyFile))
	if d := cmp.Diff(Array{Shape: []int{1, 3}, F16: []uint16{0x3c00, 0xc000, 0x3800}}, got); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	var out bytes.Buffer
	if err := WriteF16(&out, got.Shape, got.F16); err != nil || out.String() != numpyFile {
		t.Errorf("%v: wrote %q", err, out.String())
	}
}

func TestRead(t *testing.T) {
	one := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5))
	version2 := []byte(magic + "\x02\x00")
	dict := `{"shape": (1,), "fortran_order": False, "descr": "<f4"}`
	version2 = binary.LittleEndian.AppendUint32(version2, uint32(len(dict)))
	version2 = append(append(version2, dict...), one...)
	for _, c := range []struct {
		name string
		data []byte
		want Array
	}{
		{"float32", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", one...), Array{Shape: []int{1}, F32: []float32{1.5}}},
		{"version 2, other key order, double quotes", version2, Array{Shape: []int{1}, F32: []float32{1.5}}},
		{"scalar", file("{'descr':'<f2','fortran_order':False,'shape':()}\n", 0, 0x3c), Array{Shape: []int{}, F16: []uint16{0x3c00}}},
		{"empty", file("{'descr': '<f2', 'fortran_order': False, 'shape': (4, 0,), }"), Array{Shape: []int{4, 0}, F16: []uint16{}}},
	} {
		for _, r := range []io.Reader{bytes.NewReader(c.data), iotest.OneByteReader(bytes.NewReader(c.data))} {
			got, err := Read(r)
			if d := cmp.Diff(c.want, got); d != "" || err != nil {
				t.Errorf("%s: %v %s", c.name, err, d)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }"
	for _, c := range []struct {
		name string
		data []byte
		want string // part of the message
	}{
		{"empty file", nil, "expected 8 bytes of magic"},
		{"other file", []byte("PK\x03\x04abcdefgh"), "expected it to start with"},
		{"version", []byte(magic + "\x09\x00\x00\x00"), "expected version 1, 2 or 3, found 9"},
		{"huge header", []byte(magic + "\x02\x00\xff\xff\xff\xff"), "expected at most"},
		{"cut header", file(good)[:30], "bytes of header"},
		{"cut data", file(good, 1, 2, 3), "expected 4 bytes of data"},
		{"trailing data", file(good, 1, 2, 3, 4, 5), "expected the end behind 4 bytes"},
		{"double", file(strings.Replace(good, "<f2", "<f8", 1), 1, 2, 3, 4), "expected element type '<f2' or '<f4', found \"<f8\""},
		{"big endian", file(strings.Replace(good, "<f2", ">f2", 1), 1, 2, 3, 4), "found \">f2\""},
		{"structured", file(strings.Replace(good, "'<f2'", "[('a', '<f2')]", 1)), "expected a quoted string"},
		{"Fortran", file(strings.Replace(good, "False", "True", 1), 1, 2, 3, 4), "expected C layout"},
		{"not a bool", file(strings.Replace(good, "False", "0", 1)), "expected 'False'"},
		{"number as shape", file(strings.Replace(good, "(2,)", "(2)", 1)), "expected ',' in the shape"},
		{"negative extent", file(strings.Replace(good, "(2,)", "(-2,)", 1)), "expected an extent"},
		{"huge extent", file(strings.Replace(good, "(2,)", "(9999999999,)", 1)), "expected an extent"},
		{"huge product", file(strings.Replace(good, "(2,)", "(65536, 65536)", 1)), "expected fewer than 2^31 elements"},
		{"promised but absent", file(strings.Replace(good, "(2,)", "(1073741823,)", 1)), "found 0"},
		{"many axes", file(strings.Replace(good, "(2,)", "("+strings.Repeat("1,", 65)+")", 1)), "at most 64 axes"},
		{"no shape", file("{'descr': '<f2', 'fortran_order': False}"), "expected header key \"shape\""},
		{"key twice", file("{'descr': '<f2', 'descr': '<f2'}"), "twice"},
		{"unknown key", file("{'order': 'C'}"), "found \"order\""},
		{"no brace", file("'descr'"), "expected '{'"},
		{"text behind", file(good + "x"), "expected the end of the header"},
		{"no comma", file("{'descr': '<f2' 'shape': ()}"), "expected ',' or '}'"},
	} {
		if a, err := Read(bytes.NewReader(c.data)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", c.name, a, err, c.want)
		}
	}
	broken := iotest.ErrReader(io.ErrClosedPipe)
	if _, err := Read(io.MultiReader(strings.NewReader(numpyFile[:130]), broken)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("reader error: %v", err)
	}
}

func TestWriteRoundTrip(t *testing.T) {
	for _, shape := range [][]int{{}, {0}, {5}, {3, 4}, {1, 729, 1152}, {2, 0, 3}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]uint16, n)
		for i := range data {
			data[i] = uint16(i * 40503)
		}
		var out bytes.Buffer
		if err := WriteF16(&out, shape, data); err != nil {
			t.Fatal(err)
		}
		if (out.Len()-2*n)%alignment != 0 {
			t.Errorf("%v: data is not aligned", shape)
		}
		got, err := Read(&out)
		if d := cmp.Diff(Array{Shape: shape, F16: data}, got); d != "" || err != nil {
			t.Errorf("%v: %v %s", shape, err, d)
		}
	}
}

func TestWriteRefusesWrongShape(t *testing.T) {
	for _, c := range []struct {
		shape    []int
		elements int
	}{{[]int{2}, 1}, {[]int{-1, -1}, 1}, {make([]int, 65), 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v for %d elements does not panic", c.shape, c.elements)
				}
			}()
			_ = WriteF16(io.Discard, c.shape, make([]uint16, c.elements))
		}()
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(numpyFile))
	f.Add(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 0, 0, 128, 63))
	f.Add(file(`{"shape":(),"descr":"<f2","fortran_order":False}`, 1, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Read(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Error(err)
			}
			return
		}
		if (a.F16 == nil) == (a.F32 == nil) {
			t.Errorf("both or neither element type: %+v", a)
		}
		if a.F16 == nil {
			return
		}
		var out bytes.Buffer
		if err := WriteF16(&out, a.Shape, a.F16); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out)
		if d := cmp.Diff(a, again); d != "" || err != nil {
			t.Errorf("%v %s", err, d)
		}
	})
}
