package format

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/solve"
)

var update = flag.Bool("update", false, "rewrite golden files")

// awkward is a model with every oddity a writer meets: its optimum is −22.
func awkward(t *testing.T) *solve.Model {
	b := solve.NewBuilder("a model")
	x := b.Binary("x one", 4)
	y := b.Integer("y", -3, 5, -6)
	z := b.Continuous("z", 0, 10, 0)
	b.Binary("unused", 0)
	b.Integer("fixed", -2, -2, 3)
	b.Integer("constant", -8, -2, -3)
	b.Row("cost", solve.LE, 7, solve.Term{Var: x, Coef: 2}, solve.Term{Var: y, Coef: 3}, solve.Term{Var: z, Coef: 1})
	b.Row("link/to[a,b]", solve.GE, 1, solve.Term{Var: y, Coef: 1}, solve.Term{Var: z, Coef: 2})
	b.Row("empty", solve.LE, 1)
	b.Row("e1", solve.LE, 10, solve.Term{Var: x}, solve.Term{Var: z, Coef: 1})
	b.Constant(-10)
	m, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func writers() map[string]func(*strings.Builder, *solve.Model) error {
	return map[string]func(*strings.Builder, *solve.Model) error{
		"mps": func(b *strings.Builder, m *solve.Model) error { return WriteMPS(b, m) },
		"lp":  func(b *strings.Builder, m *solve.Model) error { return WriteLP(b, m) },
	}
}

func TestGolden(t *testing.T) {
	for ext, write := range writers() {
		var got strings.Builder
		if err := write(&got, awkward(t)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "awkward."+ext)
		if *update {
			if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s: %s", ext, d)
		}
	}
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 300)
	m := &solve.Model{}
	for _, n := range []string{"x", "x y", "x_y", "x\ty", "5", "e5", "edge", "E", "free", "a/b", "a.b", long, long + "b", "é", "constant"} {
		m.Vars = append(m.Vars, solve.Var{Name: n})
	}
	want := []string{"x", "x_y~2", "x_y", "x_y~3", "_5", "_e5", "edge", "_E", "_free", "a.b~2", "a.b", long[:190], long[:190] + "~2", "__", "constant~2"}
	if d := cmp.Diff(want, NamesOf(m).Vars); d != "" {
		t.Error(d)
	}
}

// objective finds the value in CBC's output and in GLPK's report.
var objective = regexp.MustCompile(`(?i)objective(?: value:?|: +cost =) +(-?[0-9.]+)`)

// Both solvers read both formats without a complaint and find the optimum.
func TestReadByOthers(t *testing.T) {
	for _, m := range []struct {
		model *solve.Model
		want  string
	}{{awkward(t), "-22"}, {&solve.Model{}, "0"}, {&solve.Model{Constant: 5, Rows: []solve.Row{{Name: "r", RHS: 1}}}, "5"}} {
		for ext, write := range writers() {
			var text strings.Builder
			if err := write(&text, m.model); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "m."+ext)
			if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			kind := map[string]string{"mps": "--freemps", "lp": "--lp"}[ext]
			for _, args := range [][]string{{"cbc", file, "-solve", "-quit"}, {"glpsol", kind, file, "-o", file + ".sol"}} {
				out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
				if errors.Is(err, exec.ErrNotFound) {
					t.Skip(err)
				}
				low := strings.ToLower(string(out))
				if err != nil || strings.Contains(low, "warning") || strings.Contains(low, "###") || strings.Contains(low, "failed") ||
					(strings.Contains(low, "error") && !strings.Contains(low, "0 errors")) {
					t.Errorf("%v: %v\n%s\n%s", args, err, out, text.String())
				}
				if args[0] == "glpsol" {
					sol, err := os.ReadFile(file + ".sol")
					if err != nil {
						t.Fatal(err)
					}
					out = sol
				}
				if got := objective.FindStringSubmatch(string(out)); got == nil || strings.TrimSuffix(got[1], ".00000000") != m.want {
					t.Errorf("%v: objective %q, want %s\n%s", args, got, m.want, out)
				}
			}
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	if err := WriteMPS(failing{}, awkward(t)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := WriteLP(failing{}, awkward(t)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
