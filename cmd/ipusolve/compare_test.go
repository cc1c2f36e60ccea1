package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipusolve/bench/report"
)

// TestCompareInterrupted: an interrupted study writes what it has, which is no row
// that is not finished, and says how far it came.
func TestCompareInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "study.json")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, strings.Fields("ipusolve compare --workload 16x32x48@64 --json "+out), &stdout, &stderr)
	if code != exitLimit || !strings.Contains(stderr.String(), "stopped after 0 of 1 problems") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var s report.Study
	if err := json.Unmarshal(b, &s); err != nil || s.Schema != report.Schema || s.Rows == nil || len(s.Rows) != 0 {
		t.Errorf("%s: %v", b, err)
	}
}

// TestChartBeside: a page shows a chart that lies in its folder.
func TestChartBeside(t *testing.T) {
	for _, c := range []struct{ page, chart, want string }{
		{"docs/study.md", "docs/study.svg", "study.svg"}, {"study.md", "./study.svg", "study.svg"},
		{"docs/study.md", "study.svg", ""}, {"docs/study.md", "", ""},
	} {
		if got := chartBeside(c.page, c.chart); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.page, c.chart, got, c.want)
		}
	}
}
