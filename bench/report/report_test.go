package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve"
	"ipusolve/bench/seedlog"
	"ipusolve/bench/suite"
	"ipusolve/bench/trial"
	"ipusolve/model"
)

// study has a row where a baseline wins, one where it does not, and one without a
// run.
func study() *Study {
	bound, gap := int64(90), 0.1
	w := suite.Workload{Name: "a", Tokens: 1, Dim: 2, Hidden: 3, Blocks: 1, Tiles: 64, Rules: suite.DefaultRules}
	row := func(name string, floor int64, entries ...Entry) Row {
		x := w
		x.Name = name
		return Row{x, floor, entries}
	}
	return &Study{Schema: Schema, Family: "normal", Rows: []Row{
		row("wins", 50, Entry{Name: Solved, Status: "feasible", Planned: 100, PlannedExchange: 40, Bound: &bound, Gap: &gap, Predicted: 101, Cycles: 100, Difference: 0.01, Test: Pass,
			Plan: []string{"N(1,2,3)/1x2"}, Phases: []Phase{{30, 31, 32}}, Spans: []trial.Span{{Phase: 0, PlannedWork: 60, Work: 70, PlannedEvents: 130, Scheduled: 200, Horizon: 200}, {Phase: model.NoPhase}}},
			Entry{Name: "B0", Status: "heuristic", Planned: 120, Predicted: 125, Cycles: 120, Difference: 0.04, Test: Pass}, Entry{Name: "B1", SameAs: "B0", Cycles: 120, Difference: 0.04, Test: Pass}),
		row("loses", 50, Entry{Name: Solved, Cycles: 100, Test: Pass}, Entry{Name: "B0", Cycles: 99, Test: Fail}),
		row("none", 50, Entry{Name: Solved, Planned: 100, Error: "does not fit"}, Entry{Name: "B0", Error: "no plan"}),
	}}
}

func TestVerdict(t *testing.T) {
	s := study()
	if text := (&Study{Asked: 2, Rows: make([]Row, 1)}).Summary(); len(text) != 2 || text[0] != "interrupted after 1 of 2 problems" {
		t.Errorf("summary %q", text)
	}
	if text := (&Study{}).Summary(); len(text) != 1 || text[0] != "no program ran" {
		t.Error(text)
	}
	if compared, worse := s.Verdict(); compared != 2 || worse != 1 {
		t.Errorf("%d compared, %d worse", compared, worse)
	}
	if d := cmp.Diff([]string{"loses B0"}, s.Failed()); d != "" {
		t.Error(d)
	}
	// B1 has the run of B0 and does not count again.
	if d := cmp.Diff(Agreement{Programs: 4, ProgramsOff: 1, Spans: 4, SpansOff: 1}, s.Agreement("")); d != "" {
		t.Error(d)
	}
	if a := s.Agreement("B0"); a.Programs != 2 || a.ProgramsOff != 1 || a.Spans != 0 {
		t.Errorf("%+v", a)
	}
	if s.Rows[0].Best() != 120 || s.Rows[2].Best() != 0 {
		t.Error(s.Rows[0].Best(), s.Rows[2].Best())
	}
}

func TestForms(t *testing.T) {
	s := study()
	s.AddLog("x", &seedlog.Log{Tokens: 1, Dim: 2, Hidden: 3, Tiles: 64, Planned: 110, Final: 130, Cycles: 125, Test: "PASS"})
	var text, page, csv bytes.Buffer
	for _, err := range []error{s.Text(&text), s.Page(&page, "ipusolve compare", "study.svg"), s.CSV(&csv)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		form string
		want []string
	}{
		{text.String(), []string{"\nnone B0: no plan\n", "\nwins B1: the plan of B0\n", "on 1 of 2 problems\nof solved programs 2 of 2 are", "\nof all programs 3 of 4 are", "10.00 %", "wins     log x"}},
		{page.String(), []string{"\n    ipusolve compare\n", "](study.svg)\n", "| wins | 1 × 2 × 3 | 1 | 64 | gathered, resident, any | 50 | 100 | 120 (1.200) | 120 (1.200) | 125 (1.250) |\n",
			"| none | 1 × 2 × 3 | 1 | 64 | gathered, resident, any | 50 | - | - |  | 125 |\n", "| wins | solved | 30/32/31 |\n", "| wins | solved | 101 | 100 | +1.00 % | phase 0 130 → 200 |\n", "\n* none solved: does not fit\n"}},
		{csv.String(), []string{"\nwins,1,2,3,1,64,gathered,resident,any,50,solved,feasible,,,\"N(1,2,3)/1x2\",100,40,90,0.1,101,100,0.01,30,31,32,PASS,"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.form, want) {
				t.Errorf("no %q in\n%s", want, c.form)
			}
		}
	}
}

func TestAddLog(t *testing.T) {
	s := study()
	for _, c := range []struct {
		log  seedlog.Log
		rows int
	}{
		{seedlog.Log{Tokens: 1, Dim: 2, Hidden: 3}, 3},
		{seedlog.Log{Batch: 1, Tokens: 1, Dim: 2, Hidden: 3, Blocks: 1, Tiles: 64}, 3},
		{seedlog.Log{Tokens: 1, Dim: 2, Hidden: 3, Tiles: 128}, 0},
		{seedlog.Log{Tokens: 1, Dim: 2, Hidden: 3, Blocks: 2}, 0},
		{seedlog.Log{}, 0},
	} {
		if n := s.AddLog("x", &c.log); n != c.rows {
			t.Errorf("%+v: %d rows", c.log, n)
		}
	}
	// A log never counts as a baseline.
	if compared, _ := s.Verdict(); compared != 2 {
		t.Errorf("%d compared", compared)
	}
}

// TestFormatsNamesFields demands every field of a study in its section of
// docs/formats.md.
func TestFormatsNamesFields(t *testing.T) {
	b, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(b), "\n## Study\n")
	text, _, _ = strings.Cut(text, "\n## ")
	if !found {
		t.Fatal("no section on studies")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Study](), reflect.TypeFor[Row](), reflect.TypeFor[suite.Workload](), reflect.TypeFor[suite.Rules](),
		reflect.TypeFor[Entry](), reflect.TypeFor[Phase](), reflect.TypeFor[trial.Span]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("`%s` of %v is not named", name, typ)
			}
		}
	}
}

// planner is a planner that fails, or stops the study.
type planner struct {
	err  error
	stop func()
}

func (p planner) Plan(context.Context, *model.Problem, map[string]int64) (*ipusolve.Planned, error) {
	if p.stop != nil {
		p.stop()
	}
	return nil, p.err
}

// TestCompareErrors: what goes wrong with one entrant is told beside it; the others go
// on. A context that ends makes no row.
func TestCompareErrors(t *testing.T) {
	w, err := suite.ParseWorkload("16x32x48@64")
	if err != nil {
		t.Fatal(err)
	}
	c := solver()
	c.Entrants = append([]Entrant{{Name: "bad", Planner: planner{err: errors.New("one\ntwo")}}}, c.Entrants...)
	row, err := Compare(context.Background(), w.With(suite.DefaultRules), c)
	if err != nil {
		t.Fatal(err)
	}
	if row.Entries[0].Error != "one; two" || row.Entries[1].Test != Pass || row.Entries[1].Cycles < row.Floor {
		t.Errorf("%+v", row.Entries)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.Entrants[0].Planner = planner{errors.New("stopped"), cancel}
	if row, err := Compare(ctx, w.With(suite.DefaultRules), c); row != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", row, err)
	}
	if _, err := Compare(context.Background(), suite.Workload{Name: "x"}, c); err == nil {
		t.Error("a workload without sizes is compared")
	}
}

// TestSuite: the suite's workloads are problems with names of their own, of the sizes
// that a study is for.
func TestSuite(t *testing.T) {
	names := map[string]bool{}
	tiles, blocks := map[int]bool{}, map[int]bool{}
	for _, w := range suite.Workloads() {
		if names[w.Name] {
			t.Errorf("%s is there twice", w.Name)
		}
		names[w.Name], tiles[w.Tiles], blocks[w.Blocks] = true, true, true
		p, err := w.With(suite.DefaultRules).Problem(suite.DefaultProblem)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		back, err := suite.ParseWorkload(w.Sizes())
		if err != nil || back.Tokens != w.Tokens || back.Dim != w.Dim || back.Hidden != w.Hidden || back.Blocks != w.Blocks || back.Tiles != p.Tiles {
			t.Errorf("%s: %s reads as %+v: %v", w.Name, w.Sizes(), back, err)
		}
	}
	if len(tiles) < 4 || !tiles[64] || !tiles[1472] || !blocks[1] || !blocks[27] {
		t.Errorf("tiles %v, blocks %v", tiles, blocks)
	}
	for _, text := range []string{"", "1x2", "1x2x3@", "0x2x3", "1x2x3@65", "1x2x3x4x5", "-1x2x3", "1x2x9999999999"} {
		if _, err := suite.ParseWorkload(text); err == nil {
			t.Errorf("%q is a workload", text)
		}
	}
}
