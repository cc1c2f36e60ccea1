package auto_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipusolve/solve"
	"ipusolve/solve/cert"
)

// The worked example of docs/certificate.md is accepted, and every change that
// the page names is rejected.
func TestCertificatePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "certificate.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "```certificate\n")
	text, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("no example")
	}
	check := func(text string) (cert.Verdict, error) {
		m, c, err := cert.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return cert.Check(m, c)
	}
	v, err := check(text)
	if err != nil || v.Status != solve.Optimal || v.Bound.RatString() != "6" || v.Objective.RatString() != "6" {
		t.Errorf("%+v, %v", v, err)
	}
	for _, change := range []struct{ old, new string }{
		{"dual 2 0:3", "dual 1 0:3"}, {"bound 6", "bound 7"}, {"values 0 0 1", "values 1 0 0"},
		{"dual 1 0:1", "dual 1 0:-1"}, {"leaf 1 farkas", "leaf 1"}, {"fix 0 2<=0", "fix 0 1<=0"},
	} {
		broken := strings.Replace(text, change.old, change.new, 1)
		if broken == text {
			t.Errorf("the example has no %s", change.old)
		}
		if _, err := check(broken); !errors.Is(err, cert.ErrInvalid) {
			t.Errorf("%s for %s: %v", change.new, change.old, err)
		}
	}
}
