package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file that appears complete or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := newFile(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.abandon()
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Close()
}

// file collects its content beside its path and takes its place when closed.
type file struct {
	*bufio.Writer
	path string
	tmp  *os.File
}

func newFile(path string) (*file, error) {
	// The same folder, so that the rename stays within one file system.
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", path, err)
	}
	return &file{bufio.NewWriterSize(tmp, 1<<20), path, tmp}, nil
}

func (f *file) abandon() {
	f.tmp.Close()
	os.Remove(f.tmp.Name())
}

// Close puts the file in its place.
func (f *file) Close() error {
	err := f.Flush()
	if err == nil {
		err = f.tmp.Chmod(0o644)
	}
	if err == nil {
		err = f.tmp.Close()
	}
	if err == nil {
		err = os.Rename(f.tmp.Name(), f.path)
	}
	if err != nil {
		f.abandon()
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// readFile reads a record and puts the path before an error.
func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, err
	}
	defer f.Close()
	v, err := read(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return none, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// stdoutName as a file name means standard output.
const stdoutName = "-"

// writeResult writes JSON to a file, or to stdout if it is named "-".
func writeResult(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == stdoutName {
		return write(stdout)
	}
	return writeFile(path, write)
}
