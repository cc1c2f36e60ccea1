package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ipusolve"
	"ipusolve/device"
	"ipusolve/device/ipuexe"
	"ipusolve/model/eval"
	"ipusolve/model/npy"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ipusolve": main})
}

// TestScripts runs the command scripts. Beside the usual commands they have:
//
//	exits CODE ipusolve ARG…    run and demand the exit code
//	json FILE PATH VALUE        demand a value at a dotted path; FILE may be stdout
//	same FILE PATH FILE PATH    demand equal values at dotted paths
//	shift FILE                  make a send of a package one event later, digest included
//	tensor FILE SHAPE KIND      write .npy: ramp, identity, or ramp32 (float32)
//	flip FILE OFFSET            change one byte; from the end if negative
//	cut FILE BYTES              keep so many bytes; less so many if negative
//	edit FILE OLD NEW           replace text once
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			dir, err := os.Getwd()
			env.Setenv("TESTDATA", dir+"/testdata")
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonValue, "tensor": tensor, "flip": flip, "cut": cut, "edit": edit, "same": same, "shift": shift,
		},
	})
}

func args(ts *testscript.TestScript, neg bool, list []string, n int) {
	if neg || len(list) != n {
		ts.Fatalf("want %d arguments and no !", n)
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func exits(ts *testscript.TestScript, neg bool, list []string) {
	if neg || len(list) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	got := 0
	if err := ts.Exec(list[1], list[2:]...); err != nil {
		var status *exec.ExitError
		if !errors.As(err, &status) {
			ts.Fatalf("%v", err)
		}
		got = status.ExitCode()
	}
	if want := number(ts, list[0]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// valueAt is the value at a dotted path of a JSON file, as text; "len" is the
// length of a list.
func valueAt(ts *testscript.TestScript, file, path string) string {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			if key == "len" {
				v = float64(len(x))
				continue
			}
			i := number(ts, key)
			if i >= len(x) {
				ts.Fatalf("%s: index %d of %d", path, i, len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("%s: nothing at %q", path, key)
		}
	}
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func jsonValue(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 3)
	if got := valueAt(ts, list[0], list[1]); got != list[2] {
		ts.Fatalf("%s is %s, want %s", list[1], got, list[2])
	}
}

func same(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 4)
	if a, b := valueAt(ts, list[0], list[1]), valueAt(ts, list[2], list[3]); a != b {
		ts.Fatalf("%s is %s, %s is %s", list[1], a, list[3], b)
	}
}

func shift(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 1)
	path := ts.MkAbs(list[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	app, err := ipuexe.Read(content)
	ts.Check(err)
	for i := range app.Tiles {
		rows, err := ipusolve.Rows(app, i)
		ts.Check(err)
		for _, r := range rows {
			for k := range r.Words {
				in, _, err := device.Decode(r.Words[k:])
				if err != nil || in.Op != device.OpDelay {
					continue
				}
				next, _, err := device.Decode(r.Words[k+1:])
				if err != nil || next.Op != device.OpSend {
					continue
				}
				words, err := device.Delay(int(in.N) + 1).Encode()
				ts.Check(err)
				at := r.Address + 4*uint32(k)
				for j := range app.Tiles[i].Segments {
					if s := &app.Tiles[i].Segments[j]; at >= s.Address && at-s.Address < uint32(len(s.Data)) {
						binary.LittleEndian.PutUint32(s.Data[at-s.Address:], words[0])
						ts.Check(writeFile(path, func(w io.Writer) error { return ipuexe.Write(w, app) }))
						return
					}
				}
			}
		}
	}
	ts.Fatalf("no send behind a delay")
}

func tensor(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 3)
	var shape []int
	n := 1
	for _, e := range strings.Split(list[1], ",") {
		shape = append(shape, number(ts, e))
		n *= shape[len(shape)-1]
	}
	values := make([]float32, n)
	cols := shape[len(shape)-1]
	for i := range values {
		if list[2] != "identity" {
			values[i] = float32(i%61) - 30
		} else if i/cols == i%cols {
			values[i] = 1
		}
	}
	f, err := os.Create(ts.MkAbs(list[0]))
	ts.Check(err)
	defer f.Close()
	if list[2] != "ramp32" {
		ts.Check(npy.WriteF16(f, shape, eval.FromFloat32(shape, values).Data))
		return
	}
	ts.Check(writeF32(f, shape, values))
}

func mutate(ts *testscript.TestScript, path string, change func([]byte) []byte) {
	path = ts.MkAbs(path)
	content, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, change(content), 0o644))
}

func flip(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 2)
	mutate(ts, list[0], func(b []byte) []byte {
		at := number(ts, list[1])
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 1
		return b
	})
}

func cut(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 2)
	mutate(ts, list[0], func(b []byte) []byte {
		n := number(ts, list[1])
		if n < 0 {
			n += len(b)
		}
		return b[:n]
	})
}

func edit(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 3)
	mutate(ts, list[0], func(b []byte) []byte {
		text := strings.Replace(string(b), list[1], list[2], 1)
		if text == string(b) {
			ts.Fatalf("%s does not contain %q", list[0], list[1])
		}
		return []byte(text)
	})
}

// writeF32 writes '<f4', which the package writes nowhere.
func writeF32(w io.Writer, shape []int, values []float32) error {
	var b strings.Builder
	if err := npy.WriteF16(&b, shape, make([]uint16, len(values))); err != nil {
		return err
	}
	head := strings.Replace(b.String()[:b.Len()-2*len(values)], "<f2", "<f4", 1)
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, values)
}
