package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the outputs that the documents show")

// elided stands for lines that a document does not show: those before the first
// line that begins like the next one, or all that follow.
const elided = "…"

// Fenced blocks with commands; the slow ones are left out under -short.
const (
	consoleBlock     = "```console"
	slowConsoleBlock = "```console slow"
)

// TestDocuments runs what README.md and docs/ show. A console block holds
// commands behind "$ ", each followed by its output on stdout and, if it fails,
// its error. The commands of a document run one after the other in one folder,
// which has the project's docs and an empty build.
func TestDocuments(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "docs/formats.md", "docs/explain.md"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			if err := os.Symlink(filepath.Join(root, "docs"), "docs"); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir("build", 0o755); err != nil {
				t.Fatal(err)
			}
			makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
			if err != nil {
				t.Fatal(err)
			}
			d := document{t, recipe(string(makefile), "run")}
			shown := d.run(strings.Split(string(text), "\n"))
			if *update {
				if err := os.WriteFile(path, []byte(strings.Join(shown, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// recipe lists the commands of a make target, without those that are not shown.
func recipe(makefile, target string) (commands []string) {
	_, rest, _ := strings.Cut(makefile, "\n"+target+":")
	body, _, _ := strings.Cut(rest, "\n\n")
	for _, line := range strings.Split(strings.ReplaceAll(body, "\\\n", ""), "\n")[1:] {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "@") {
			commands = append(commands, line)
		}
	}
	return commands
}

type document struct {
	t       *testing.T
	makeRun []string // what the command "make run" stands for
}

// run runs the console blocks of a document and returns its lines with the
// outputs that the commands gave.
func (d *document) run(lines []string) (shown []string) {
	commands := 0
	for i := 0; i < len(lines); i++ {
		shown = append(shown, lines[i])
		if lines[i] != consoleBlock && (lines[i] != slowConsoleBlock || testing.Short()) {
			continue
		}
		for i++; lines[i] != "```"; {
			command := lines[i]
			shown = append(shown, lines[i])
			for i++; strings.HasSuffix(command, "\\"); i++ {
				command = strings.TrimSuffix(command, "\\") + lines[i]
				shown = append(shown, lines[i])
			}
			first := i
			for lines[i] != "```" && !strings.HasPrefix(lines[i], "$ ") {
				i++
			}
			shown = append(shown, d.compare(strings.TrimPrefix(command, "$ "), lines[first:i])...)
			commands++
		}
		shown = append(shown, lines[i])
	}
	if commands == 0 {
		d.t.Error("the document shows no command")
	}
	return shown
}

// compare runs a command, compares its output with the lines that a document
// shows, and returns the lines that it should show.
func (d *document) compare(command string, want []string) []string {
	commands := []string{command}
	if command == "make run" {
		commands = d.makeRun
	}
	var got []string
	for _, c := range commands {
		got = append(got, d.output(c)...)
	}
	if n := len(want); n > 1 && want[0] == elided {
		begin := gaps.Split(want[1], 2)[0]
		if i := slices.IndexFunc(got, func(line string) bool { return strings.HasPrefix(line, begin) }); i >= 0 {
			got = append([]string{elided}, got[i:]...)
		}
	}
	if n := len(want); n > 0 && want[n-1] == elided && len(got) >= n-1 {
		got = append(slices.Clone(got[:n-1]), elided)
	}
	a, b := masked(want), masked(got)
	if slices.Equal(a, b) {
		return want
	}
	if !*update {
		d.t.Errorf("%s\nshown:\n%s\nprinted:\n%s", command, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	return got
}

// output runs the command line and gives the lines of stdout and of its error.
func (d *document) output(command string) []string {
	args := strings.Fields(command)
	if args[0] != "bin/ipusolve" {
		d.t.Fatalf("%q: want a command bin/ipusolve", command)
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), args, &stdout, &stderr)
	output := stdout.String()
	if code != exitDone {
		for line := range strings.Lines(stderr.String()) {
			if strings.HasPrefix(line, "ipusolve: ") {
				output += line
			}
		}
	}
	got := strings.Split(strings.TrimRight(output, "\n"), "\n")
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	return got
}

var gaps = regexp.MustCompile(` {2,}`)

// masked splits lines into the columns of tables and replaces those of seconds,
// the only figures that differ from run to run.
func masked(lines []string) []string {
	var out []string
	seconds := -1
	for _, line := range lines {
		columns := gaps.Split(line, -1)
		if i := slices.Index(columns, "seconds"); i >= 0 {
			seconds = i
		} else if line == "" {
			seconds = -1
		} else if seconds >= 0 && seconds < len(columns) {
			columns[seconds] = "-"
		}
		out = append(out, strings.Join(columns, "  "))
	}
	return out
}
