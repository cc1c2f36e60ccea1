package format

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ipusolve/solve"
)

// checkRead reads anything: it ends with a valid model or an error of a known
// kind. A model that can be written reads as itself, names aside.
func checkRead(t *testing.T, text string, read func(io.Reader) (*Problem, error), write func(io.Writer, *solve.Model) error) {
	p, err := read(strings.NewReader(text))
	if err != nil {
		if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, solve.ErrModel) {
			t.Fatal(err)
		}
		return
	}
	if err := p.Model.Validate(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := write(&b, p.Model); err != nil {
		if !errors.Is(err, ErrUnsupported) {
			t.Fatal(err)
		}
		return
	}
	again, err := read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if strings.Contains(b.String(), "#variable=") || strings.Contains(b.String(), "p cnf") {
		return // the variables come in another order, or a row in several clauses
	}
	for _, m := range []*solve.Model{p.Model, again.Model} {
		m.Name = ""
		for j := range m.Vars {
			m.Vars[j].Name = ""
		}
		for i := range m.Rows {
			m.Rows[i].Name = ""
		}
	}
	if len(p.Model.Rows) == 0 {
		again.Model.Rows = nil
	}
	if d := cmp.Diff(p.Model, again.Model, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%s\n%s", d, b.String())
	}
}

func seeds(f *testing.F, ext string, more ...string) {
	files, err := filepath.Glob(filepath.Join("testdata", "*."+ext))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 4000 {
			f.Add(string(text))
		}
	}
	for _, text := range more {
		f.Add(text)
	}
}

func FuzzReadLP(f *testing.F) {
	seeds(f, "lp", everyLP, "max x st x<=1 bounds x<=2 end", "min\n 1e400 x\nst\n0<=5\nend", "min\nst\nend")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, ReadLP, WriteLP) })
}

func FuzzReadMPS(f *testing.F) {
	seeds(f, "mps", fixedMPS, "NAME\nROWS\n N c\nCOLUMNS\n x c 1\nBOUNDS\n FR x\nENDATA\n")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, ReadMPS, WriteMPS) })
}

func FuzzReadOPB(f *testing.F) {
	seeds(f, "opb", "min: +1 x1 -2 ~x2 ;\n+3 x1 +2 x2 >= 2 ;\n* c\n-1 x1 = 0;")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, ReadOPB, WriteOPB) })
}

func FuzzReadCNF(f *testing.F) {
	seeds(f, "cnf", "c x\np cnf 2 2\n1 -2 0\n2\n0\n")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, text, ReadCNF, WriteCNF) })
}
