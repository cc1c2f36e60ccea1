package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// docs/solve.md describes every field of a result, and shows what the command
// prints.
func TestSolvePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "solve.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := reflect.TypeFor[solveResult]()
	for i := range r.NumField() {
		name, _, _ := strings.Cut(r.Field(i).Tag.Get("json"), ",")
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("field %s is not described", name)
		}
	}
	_, shown, _ := strings.Cut(string(page), "```console\n$ bin/")
	command, want, _ := strings.Cut(shown, "\n")
	want, _, ok := strings.Cut(want, "```")
	if !ok {
		t.Fatal("no example")
	}
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(docs, "docs"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("build", 0o755); err != nil {
		t.Fatal(err)
	}
	effort := regexp.MustCompile(`\d+ nodes, \d+ iterations`) // not promised
	plain := func(s string) string { return effort.ReplaceAllString(s, "") }
	var out, log bytes.Buffer
	if code := run(context.Background(), strings.Fields(command), &out, &log); code != exitDone || plain(out.String()) != plain(want) {
		t.Errorf("exit code %d\n%s%s", code, out.String(), log.String())
	}
}
