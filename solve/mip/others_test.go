package mip_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/format"
)

// outcome is a status and an objective as another solver reports them.
type outcome struct {
	feasible  bool
	objective float64
}

// cbc solves an MPS file.
func cbc(t *testing.T, file string) outcome {
	out, err := exec.Command("cbc", file, "-ratioGap", "0", "-allowableGap", "0", "-solve", "-solution", file+".sol").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	text, readErr := os.ReadFile(file + ".sol")
	if err != nil || readErr != nil {
		t.Fatalf("cbc: %v %v\n%s", err, readErr, out)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	value := regexp.MustCompile(`objective value +(\S+)`).FindStringSubmatch(first)
	switch {
	case strings.HasPrefix(first, "Optimal") && value != nil:
		f, err := strconv.ParseFloat(value[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return outcome{true, f}
	case strings.Contains(strings.ToLower(first), "infeasible"):
		return outcome{}
	}
	t.Fatalf("cbc: %s", first)
	return outcome{}
}

// glpsol solves an MPS file.
func glpsol(t *testing.T, file string) outcome {
	out, err := exec.Command("glpsol", "--freemps", file, "-o", file+".glp").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if bytes.Contains(out, []byte("PROBLEM HAS NO")) {
		return outcome{}
	}
	text, readErr := os.ReadFile(file + ".glp")
	if err != nil || readErr != nil {
		t.Fatalf("glpsol: %v %v\n%s", err, readErr, out)
	}
	value := regexp.MustCompile(`Objective: +cost = (\S+)`).FindSubmatch(text)
	status := regexp.MustCompile(`Status: +(.+)`).FindSubmatch(text)
	if value == nil || status == nil {
		t.Fatalf("glpsol: %s", text)
	}
	if bytes.Contains(status[1], []byte("EMPTY")) || bytes.Contains(status[1], []byte("INFEASIBLE")) || bytes.Contains(status[1], []byte("UNDEFINED")) {
		return outcome{}
	}
	f, err := strconv.ParseFloat(string(value[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{true, f}
}

// 120 random models through MPS files: same status and objective as CBC and
// GLPK.
func TestAgainstOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	r := rand.New(rand.NewPCG(99, 1))
	dir := t.TempDir()
	for k := range 120 {
		m := randomModel(r)
		if k%10 == 9 {
			m = planning(uint64(k), 3, 30, 5)
		}
		res := solved(t, m, solve.Options{})
		var text bytes.Buffer
		if err := format.WriteMPS(&text, m); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "m.mps")
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]outcome{"cbc": cbc(t, file), "glpsol": glpsol(t, file)} {
			if got.feasible != (res.Objective != nil) || (got.feasible && math.Abs(got.objective-float(res.Objective)) > 1e-5*(1+math.Abs(got.objective))) {
				t.Errorf("model %d: %s %+v, ours %v %v\n%s", k, name, got, res.Status, res.Objective, text.String())
			}
		}
	}
}
