package seedlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The entries of plain are those of the first seed log's form, one a line, with
// sizes in the command line; oneLine is the second's, all in one line and with the
// device's figures (reference: the two seed logs).
const plain = `   Compiling ipu-codegen v0.1.0
     Running ` + "`ipu-trivial-test c600.ipucfg --workload siglip-mlp-benchmark --mlp-batch 1 --mlp-tokens 729 --mlp-dim 1152 --mlp-hidden-dim 4304 --mlp-blocks 1 --tiles 1472`" + `
2026-08-17T13:11:57.641297Z DEBUG ipu_codegen.package.build{tile_count=1472 operations=3}:ipu_codegen.package.phase{phase="lower_mid"}: retained planning beam operation=2 best_cycles=234069
2026-08-17T13:12:31.083846Z  INFO ipu_codegen.package.build{tile_count=1472 operations=3}:ipu_codegen.package.phase{phase="lower_mid"}: retained operator-plan finalist finalist=0 estimated_cycles=234069 peak_standard_bytes=271496 peak_interleaved_bytes=115520 peak_total_bytes=387016 conversion_sources=[Some(OperationId(2))]
2026-08-17T13:12:31.087310Z  INFO ipu_codegen.package.build{tile_count=1472 operations=3}:ipu_codegen.package.phase{phase="lower_mid"}: package build phase finished phase="lower_mid" elapsed_ms=36883 success=true
2026-08-17T13:12:31.087465Z  INFO ipu_codegen.package.build{tile_count=1472 operations=3}:ipu_codegen.package.phase{phase="select_finalist"}: selected analytical operator plan estimated_cycles=234069 estimated_exchange_cycles=63408
2026-08-17T13:12:35.763659Z  INFO ipu_codegen.package.build{tile_count=1472 operations=3}:ipu_codegen.package.phase{phase="lower_exchanges_provisional"}: prepared large physical exchange phase phase=1 transfers=12105 maximum_identical_destinations=1
2026-08-17T13:12:35.763701Z  INFO ipu_codegen.package.build{tile_count=1472 operations=3}:ipu_codegen.package.phase{phase="lower_exchanges_provisional"}: optimized physical exchange schedule phase=1 initial_horizon=6953 selected_horizon=6657 endpoint_lower_bound=4800 lower_bound_gap=1857 selected_kind="matching-waves" neighborhood_improvements=0
`

const oneLine = `2026-09-23T09:27:58.140786Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:compile_runtime: close time.busy=269µs time.idle=1.84µs ` +
	`2026-09-23T09:28:52.880335Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:construct_mid: costed planning finalist rank=0 mid_cycles=237432 low_cycles=275574 elapsed_ms=3072 ` +
	`2026-09-23T09:29:24.419268Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:construct_mid: costed planning finalist rank=6 mid_cycles=238471 low_cycles=275356 elapsed_ms=3710 ` +
	`2026-09-23T09:29:30.562658Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:construct_mid: close time.busy=92.4s time.idle=1µs ` +
	`2026-09-23T09:29:56.384251Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:lower_exchanges: compared ordinary and paired exchange schedules phase=0 candidates=138 ordinary_horizon=30898 paired_horizon=30550 use_paired=true ` +
	`2026-09-23T09:29:56.451050Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:lower_exchanges: prepared large physical exchange phase phase=0 transfers=8612 maximum_identical_destinations=1 ` +
	`2026-09-23T09:29:56.451075Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}:lower_exchanges: optimized physical exchange schedule phase=0 initial_horizon=30550 selected_horizon=30550 endpoint_lower_bound=26880 lower_bound_gap=3670 selected_kind="full-duplex" neighborhood_improvements=0 ` +
	`2026-09-23T09:30:01.373579Z INFO ipu_codegen.package.build{tile_count=1472 operations=3}: costed final placed program final_cycles=287303 final_exchange=89835 ` +
	`2026-09-23T09:30:03.376558Z INFO invoking host exchange call call="run" command=0 phases=13 referenceInference=1 numericalTest=PASS workload=siglip-mlp-f16-b1-t729-d1152-h4304-n1 cycles=282786 minimumTileCycles=275850 maximumAbsoluteError=0.000977 hardwareTest=PASS`

var (
	wantPlain = Log{Batch: 1, Tokens: 729, Dim: 1152, Hidden: 4304, Blocks: 1, Tiles: 1472, Planned: 234069, PlannedWords: 63408,
		Phases:        []Phase{{Phase: 1, Transfers: 12105, Bound: 4800, Horizon: 6657, Kind: "matching-waves"}},
		StandardBytes: 271496, InterleavedBytes: 115520, TotalBytes: 387016, Planning: 36.883, Seconds: 38.122404}
	wantOneLine = Log{Workload: "siglip-mlp-f16-b1-t729-d1152-h4304-n1", Batch: 1, Tokens: 729, Dim: 1152, Hidden: 4304, Blocks: 1, Tiles: 1472,
		Planned: 238471, Lowered: 275356, Final: 287303, FinalWords: 89835, Finalists: []Finalist{{0, 237432, 275574}, {6, 238471, 275356}},
		Phases: []Phase{{Phase: 0, Transfers: 8612, Bound: 26880, Horizon: 30550, Kind: "full-duplex", Candidates: 138, Ordinary: 30898, Paired: 30550}},
		Cycles: 282786, MinimumTileCycles: 275850, Test: "PASS", MaximumAbsoluteError: 0.000977, Planning: 92.4, Seconds: 123.232793}
)

func TestRead(t *testing.T) {
	const again = "\n2026-"
	for name, c := range map[string]struct {
		text string
		want Log
	}{
		"plain":                {plain, wantPlain},
		"plain, in one line":   {strings.ReplaceAll(plain, "\n", " "), wantPlain},
		"one line":             {oneLine, wantOneLine},
		"one line, broken up":  {strings.ReplaceAll(oneLine, " 2026-", again), wantOneLine},
		"with colours":         {strings.ReplaceAll(oneLine, " INFO ", " \x1b[32mINFO\x1b[0m "), wantOneLine},
		"at another level":     {strings.ReplaceAll(oneLine, " INFO ", " DEBUG "), wantOneLine},
		"cut off in an entry":  {oneLine[:strings.Index(oneLine, "costed planning")+20], Log{Tiles: 1472, Seconds: 54.739549}},
		"figures out of range": {"2026-01-01T00:00:00Z INFO costed final placed program final_cycles=99999999999999999999 final_exchange=-1", Log{}},
	} {
		got, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(c.want, *got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestReadNoLog(t *testing.T) {
	for _, text := range []string{"", "{}", "numericalTest=PASS cycles=1"} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrNoLog) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSeedLogs reads the two seed logs, where they are at hand.
func TestSeedLogs(t *testing.T) {
	files, err := filepath.Glob("../../../shared/seeds/*.txt")
	if err != nil || len(files) == 0 {
		t.Skip("the seed logs are not here")
	}
	var planned, final, cycles []int64
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		planned, final, cycles = append(planned, l.Planned), append(final, l.Final), append(cycles, l.Cycles)
		if l.Tokens != 729 || l.Dim != 1152 || l.Hidden != 4304 || l.Tiles != 1472 || len(l.Phases) < 2 {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if d := cmp.Diff([][]int64{{234069, 238471}, {0, 287303}, {0, 282786}}, [][]int64{planned, final, cycles}); d != "" {
		t.Error(d)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(plain)
	f.Add(oneLine)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read(strings.NewReader(text))
		if err == nil && (l.Planned < 0 || l.Cycles < 0 || l.Final < 0 || l.Tiles < 0) {
			t.Errorf("%+v", l)
		}
	})
}
