package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipusolve"
	"ipusolve/device/sim"
	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
)

// TestClosingLine reproduces the second seed log's line from its cycles
// (reference: kernels.md §12).
func TestClosingLine(t *testing.T) {
	g, err := workload.SiglipMLP(1, 729, 1152, 4304, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := newFigures(&model.Problem{Graph: *g, Tiles: 1472}, &sim.Result{Cycles: 282786, MinCycles: 275850},
		[]eval.Report{{Test: "exact", Pass: true}, {Test: "seed", Pass: true, MaxAbsError: 1.0 / 1024}})
	const want = "workload=siglip-mlp-f16-b1-t729-d1152-h4304-n1 cycles=282786 minimumTileCycles=275850 deviceMicroseconds=188.524 " +
		"effectiveGemmTflops=76.691 peakTflops=282.624 efficiencyPercent=27.14 maximumAbsoluteError=0.000977 numericalTest=PASS"
	if got := f.line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f = newFigures(&model.Problem{Graph: *g, Tiles: 1472}, &sim.Result{Cycles: 1}, []eval.Report{{Pass: true}, {}})
	if f.NumericalTest != "FAIL" {
		t.Errorf("one test of two fails: %s", f.NumericalTest)
	}
}

// TestInterrupted: a compile whose search is stopped writes the best plan it has,
// and says that the demanded gap is not proven.
func TestInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ipuexe")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, strings.Fields("ipusolve compile --tiles 64 --mlp-tokens 64 --mlp-dim 128 --mlp-hidden-dim 256 --optimal -o "+out), &stdout, &stderr)
	if code != exitLimit {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if _, err := os.Stat(out); err != nil {
		t.Errorf("no package: %v; %s", err, &stderr)
	}
}

// TestFlagsFirst: flags may follow the arguments of a command.
func TestFlagsFirst(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"ipusolve run a.ipuexe --check --repeat 2", "ipusolve run --check --repeat 2 -- a.ipuexe"},
		{"ipusolve run --input x=-1.npy a.ipuexe", "ipusolve run --input x=-1.npy -- a.ipuexe"},
		{"ipusolve compile -o out g.json -optimal", "ipusolve compile -o out -optimal -- g.json"},
		{"ipusolve gap --json -- -a", "ipusolve gap --json -- -a"},
		{"ipusolve run --repeat=3 -", "ipusolve run --repeat=3 -- -"},
		{"ipusolve wat --x", "ipusolve wat --x"},
		{"ipusolve", "ipusolve"},
	} {
		got, err := flagsFirst(newApp(nil, nil), strings.Fields(c.in))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v; want %s", c.in, got, err, c.want)
		}
	}
}

// TestFreedomNeedsLenient: rows of a freedom are not run in strict mode.
func TestFreedomNeedsLenient(t *testing.T) {
	r := &ipusolve.Report{Exchange: []ipusolve.PhaseReport{{}, {Freedom: exchange.FirstEvent}}}
	if err := strictEnough(r, false); err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), "phase 1") {
		t.Errorf("strict: %v", err)
	}
	if err := strictEnough(r, true); err != nil {
		t.Errorf("lenient: %v", err)
	}
	if err := strictEnough(&ipusolve.Report{Exchange: r.Exchange[:1]}, false); err != nil {
		t.Errorf("without a freedom: %v", err)
	}
}
