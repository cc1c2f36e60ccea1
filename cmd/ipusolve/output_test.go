package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFileAppearsWhole: nothing is at the path before the file is closed, and
// nothing is left of one that is given up.
func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	f, err := newFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("x")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("before closing: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if f, err = newFile(path); err != nil {
		t.Fatal(err)
	}
	f.abandon()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

func writeText(path, text string) error {
	f, err := newFile(path)
	if err != nil {
		return err
	}
	f.WriteString(text)
	return f.Close()
}

// TestFileMode: a new file follows the umask, a replaced one keeps its mode.
func TestFileMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	for _, mode := range []os.FileMode{0o640, 0o604} {
		if err := writeText(path, "x"); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
		if err := os.Chmod(path, 0o604); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFileThroughLinks: links stay links, whether their target exists or not.
func TestFileThroughLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"a": "sub/b", "sub/b": "../c", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"new", "replaced"} {
		if err := writeText(filepath.Join(dir, "a"), text); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "c")); err != nil || string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
		if to, err := os.Readlink(filepath.Join(dir, "sub/b")); err != nil || to != "../c" {
			t.Errorf("link to %q, %v", to, err)
		}
	}
	if err := writeText(filepath.Join(dir, "loop"), "x"); err == nil {
		t.Error("a loop of links is written")
	}
}

// TestFileDirect: devices and pipes are written, not replaced.
func TestFileDirect(t *testing.T) {
	if err := writeText("/dev/full", "x"); err == nil {
		t.Error("a full device takes a file")
	}
	if err := writeText(os.DevNull, "x"); err != nil {
		t.Error(err)
	}
	for _, device := range []string{"/dev/full", os.DevNull} {
		if info, err := os.Lstat(device); err != nil || info.Mode().IsRegular() {
			t.Fatalf("%s: %v, %v", device, info, err)
		}
	}
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(path)
		if err != nil {
			b = []byte(err.Error())
		}
		got <- string(b)
	}()
	if err := writeText(path, "through"); err != nil {
		t.Error(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("the pipe gives %q", text)
	}
}

// TestOutputsAreCheckedFirst: an output that cannot be written ends a command
// before its work, and leaves nothing.
func TestOutputsAreCheckedFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("dir", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("out", "link"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		outputs []string
		code    int
		text    string
	}{
		{[]string{"-o", ""}, exitUsage, "--output: want a file name, found none"},
		{[]string{"--json", ""}, exitUsage, "--json: want a file name, found none"},
		{[]string{"-o", "-"}, exitUsage, "stdout (-) is for --json"},
		{[]string{"-o", "dir"}, exitUsage, "found the directory dir"},
		{[]string{"-o", "out", "--json", "./dir/../out"}, exitUsage, "name one file"},
		{[]string{"-o", "out", "--json", "link"}, exitUsage, "name one file"},
		{[]string{"-o", "none/out"}, exitError, "none/out: cannot be written"},
		{[]string{"--dump", ""}, exitUsage, "--dump: want a folder"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"ipusolve", "compile", "--workload", "siglip-mlp"}, c.outputs...)
		if code := run(context.Background(), args, &stdout, &stderr); code != c.code || !strings.Contains(stderr.String(), c.text) {
			t.Errorf("%q: exit code %d, %s", c.outputs, code, stderr.String())
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}
