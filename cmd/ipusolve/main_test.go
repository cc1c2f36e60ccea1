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
			"exits": exits, "json": jsonValue, "tensor": tensor, "flip": flip, "cut": cut, "edit": edit,
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

func jsonValue(ts *testscript.TestScript, neg bool, list []string) {
	args(ts, neg, list, 3)
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(list[0])), &v))
	for _, key := range strings.Split(list[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			if key == "len" {
				v = len(x)
				continue
			}
			i := number(ts, key)
			if i >= len(x) {
				ts.Fatalf("%s: index %d of %d", list[1], i, len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("%s: nothing at %q", list[1], key)
		}
	}
	got := fmt.Sprint(v)
	if f, ok := v.(float64); ok {
		got = strconv.FormatFloat(f, 'f', -1, 64)
	}
	if got != list[2] {
		ts.Fatalf("%s is %s, want %s", list[1], got, list[2])
	}
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
