package mip_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ipusolve/encode"
	"ipusolve/solve"
	"ipusolve/solve/cert"
	"ipusolve/solve/format"
	"ipusolve/solve/mip"
)

// selectionB is the model of contest instance B, which lies beside the module;
// without it the test is skipped.
func selectionB(t testing.TB) *solve.Model {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "external", "iopddl", "B.json.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	p, err := encode.ReadIOPDDL(f)
	if err != nil {
		t.Fatal(err)
	}
	full, err := encode.NewFullModel(context.Background(), p.Selection)
	if err != nil {
		t.Fatal(err)
	}
	return full.Model
}

const optimumB = "532843"

func TestSelectionB(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	m := selectionB(t)
	r, err := mip.Solver{}.Solve(context.Background(), m, solve.Options{TimeLimit: time.Minute})
	if err != nil || r.Status != solve.Optimal || r.Objective.RatString() != optimumB {
		t.Fatalf("%+v, %v", r, err)
	}
	begin := time.Now()
	v, err := cert.Check(m, r.Certificate)
	if err != nil || v.Status != solve.Optimal || v.Bound.RatString() != optimumB {
		t.Errorf("%v, %v", v, err)
	}
	t.Logf("%d of %d rows, %d of %d variables left: %d nodes, %d iterations, %v; check %v",
		r.Stats.RowsLeft, len(m.Rows), r.Stats.VarsLeft, len(m.Vars), r.Stats.Nodes, r.Stats.LPIterations, r.Stats.Duration, time.Since(begin))
}

// The proof, its check, and CBC on two threads on our export of the same model.
func BenchmarkSelectionB(b *testing.B) {
	m := selectionB(b)
	var r *solve.Result
	b.Run("solve", func(b *testing.B) {
		for b.Loop() {
			var err error
			if r, err = (mip.Solver{}).Solve(context.Background(), m, solve.Options{Threads: 2}); err != nil || r.Status != solve.Optimal {
				b.Fatal(r, err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if _, err := cert.Check(m, r.Certificate); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cbc", func(b *testing.B) {
		cbc, err := exec.LookPath("cbc")
		if err != nil {
			b.Skip(err)
		}
		path := filepath.Join(b.TempDir(), "b.mps")
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := format.WriteMPS(f, m); err != nil {
			b.Fatal(err)
		}
		f.Close()
		cpu := math.Inf(1)
		for b.Loop() {
			cmd := exec.Command(cbc, path, "threads", "2", "solve")
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
			cpu = min(cpu, cmd.ProcessState.UserTime().Seconds())
		}
		b.ReportMetric(cpu, "user-s")
	})
}
