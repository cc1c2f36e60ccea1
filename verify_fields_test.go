package ipusolve_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"ipusolve"
)

// eachNumber calls visit for every number and text below a JSON value, with its
// path; set puts another value in its place. Of a list's values the first two and
// the last are visited.
func eachNumber(v any, path string, set func(any), visit func(path string, v any, set func(any))) {
	switch x := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			eachNumber(x[key], path+"."+key, func(v any) { x[key] = v }, visit)
		}
	case []any:
		for i := range x {
			if i < 2 || i == len(x)-1 {
				eachNumber(x[i], path, func(v any) { x[i] = v }, visit)
			}
		}
	case json.Number, string:
		visit(path, v, set)
	}
}

// TestEveryFieldIsChecked changes every number and text of the report inside a
// package, one at a time: a claim fails, or the field is one of those that are
// listed as not checked.
func TestEveryFieldIsChecked(t *testing.T) {
	c := compileSmall(t)
	b := file(t, c.Package)
	d := json.NewDecoder(strings.NewReader(c.Package.ReportJSON))
	d.UseNumber()
	var report map[string]any
	if err := d.Decode(&report); err != nil {
		t.Fatal(err)
	}
	present, unseen := map[string]bool{}, map[string]bool{}
	eachNumber(report, "", nil, func(path string, v any, set func(any)) {
		present[path] = true
		if strings.HasPrefix(path, ".planning.certificate") {
			return // solve/cert and planning.Recheck have tests of their own
		}
		if text, ok := v.(string); ok {
			set(text + "x")
		} else {
			set(json.Number("1" + strings.TrimPrefix(v.(json.Number).String(), "-")))
		}
		text, err := json.Marshal(report)
		set(v)
		if err != nil {
			t.Fatal(err)
		}
		app := read(t, b)
		app.ReportJSON = string(text)
		if err := ipusolve.FirstFailure(ipusolve.VerifyPackage(app)); err == nil {
			unseen[path] = true
		}
	})
	got := slices.Sorted(maps.Keys(unseen))
	want := []string{".exchange.method", ".placement.rounds", ".planning.candidates", ".planning.considered",
		".planning.exactPairs", ".planning.lpIterations", ".planning.memory.bytes", ".planning.memory.limit", ".planning.memory.of", ".planning.nodes"}
	want = slices.DeleteFunc(want, func(path string) bool { return !present[path] }) // counts of 0 are left out
	if !slices.Equal(got, want) {
		t.Errorf("not checked:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestMissingParts: the report inside a package has every part.
func TestMissingParts(t *testing.T) {
	c := compileSmall(t)
	b := file(t, c.Package)
	for part, drop := range map[string]func(*ipusolve.Report){
		"placement": func(r *ipusolve.Report) { r.Placement = nil },
		"exchange":  func(r *ipusolve.Report) { r.Exchange = nil },
		"cycles":    func(r *ipusolve.Report) { r.Cycles = nil },
		"package":   func(r *ipusolve.Report) { r.Package = nil },
		"steps":     func(r *ipusolve.Report) { r.Planning.Steps = nil },
		"proof":     func(r *ipusolve.Report) { r.Planning.Certificate = nil },
	} {
		r := *c.Report
		drop(&r)
		text, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		app := read(t, b)
		app.ReportJSON = string(text)
		if err := ipusolve.FirstFailure(ipusolve.VerifyPackage(app)); err == nil {
			t.Errorf("nothing misses %s", part)
		}
	}
}

// TestWhatIsNotChecked: packages, reports and schedules say what they leave open,
// and a claim is never both.
func TestWhatIsNotChecked(t *testing.T) {
	c := compileSmall(t)
	_, schedule := readRegression(t)
	report, err := json.Marshal(c.Report)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := ipusolve.ReadReport(bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	search := []string{"planning/search", "planning/memory", "placement/search", "exchange/0/method", "exchange/1/method"}
	for _, x := range []struct {
		name   string
		claims []ipusolve.Claim
		want   []string
	}{
		{"package", ipusolve.VerifyPackage(read(t, file(t, c.Package))), search},
		{"report", ipusolve.VerifyReport(plain), slices.Concat([]string{"planning/steps", "placement", "exchange/0", "exchange/1",
			"cycles/compute", "package"}, search, []string{"seconds"})},
		{"schedule", ipusolve.VerifySchedule(schedule, nil)[:14], []string{"exchange/1/witness", "exchange/1/method"}},
	} {
		var got []string
		seen := map[string]bool{}
		for i := range x.claims {
			y := &x.claims[i]
			if y.Unchecked {
				got = append(got, y.Name)
			}
			if y.Unchecked && (y.OK || y.Reason == "") || y.Failed() || seen[y.Name] {
				t.Errorf("%s: %+v", x.name, y)
			}
			seen[y.Name] = true
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: not checked: %v, want %v", x.name, got, x.want)
		}
	}
}
