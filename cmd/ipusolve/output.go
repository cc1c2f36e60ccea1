package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"
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

// file is an output. That of a regular file collects its content beside its
// target and takes its place when closed; devices and pipes are written directly.
type file struct {
	*bufio.Writer
	path   string // as the user named it
	out    *os.File
	target string // what out replaces; "": out itself is the target
}

func newFile(path string) (*file, error) {
	f, err := createFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", path, err)
	}
	f.Writer = bufio.NewWriterSize(f.out, 1<<20)
	return f, nil
}

func createFile(path string) (*file, error) {
	info, err := os.Stat(path)
	exists := err == nil
	switch {
	case path == "":
		return nil, fmt.Errorf("want a name, found none")
	case exists && info.IsDir():
		return nil, fmt.Errorf("want a file, found a directory")
	case exists:
		if std := standardFile(info); std != nil {
			return &file{path: path, out: std}, nil
		}
		// Also what nobody may write must not be replaced.
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return &file{path: path, out: out}, nil
		}
		out.Close()
	}
	target, err := linkTarget(path)
	if err != nil {
		return nil, err
	}
	out, err := besideFile(target)
	if err != nil {
		return nil, err
	}
	f := &file{path: path, out: out, target: target}
	if exists {
		if err := out.Chmod(info.Mode().Perm()); err != nil {
			f.abandon()
			return nil, err
		}
	}
	return f, nil
}

// standardFile is the process's stdout or stderr if that is the file; /dev/stdout
// names it, and replacing the file behind it would lose what is printed.
func standardFile(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if std, err := f.Stat(); err == nil && os.SameFile(info, std) {
			return f
		}
	}
	return nil
}

// linkTarget is the file that a name leads to; it need not exist.
func linkTarget(path string) (string, error) {
	for range 40 { // as many as the kernel follows
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(next) {
			// Not joined, which would clean "link/.." away.
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		path = next
	}
	return "", fmt.Errorf("too many symbolic links")
}

// besideFile makes a new file in the folder of another, so that a rename stays
// within one file system. Its mode follows the umask.
func besideFile(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".ipusolve-%016x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if !os.IsExist(err) {
			return f, err
		}
	}
}

func (f *file) abandon() {
	if f.out != os.Stdout && f.out != os.Stderr {
		f.out.Close()
	}
	if f.target != "" {
		os.Remove(f.out.Name())
	}
}

// Close puts the file in its place.
func (f *file) Close() error {
	err := f.Flush()
	if err == nil && f.out != os.Stdout && f.out != os.Stderr {
		err = f.out.Close()
	}
	if err == nil && f.target != "" {
		err = os.Rename(f.out.Name(), f.target)
	}
	if err != nil {
		f.abandon()
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
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

// output is a file that a command line asks for.
type output struct {
	flag, path string
	stdout     bool // "-" means standard output
}

// checkOutputs refuses, before any work, outputs that have no name, name a
// directory or a place where nothing can be written, or name one file twice or
// one of the files that the command reads.
func checkOutputs(command string, outputs []output, inputs ...string) error {
	taken := map[string]string{} // flag by target
	for _, o := range outputs {
		switch {
		case o.path == "":
			return usageError("%s: %s: want a file name, found none", command, o.flag)
		case o.path == stdoutName && o.stdout:
			continue
		case o.path == stdoutName:
			return usageError("%s: %s: want a file; stdout (-) is for --json", command, o.flag)
		}
		info, err := os.Stat(o.path)
		if err == nil && info.IsDir() {
			return usageError("%s: %s: want a file, found the directory %s", command, o.flag, o.path)
		}
		if err == nil && !info.Mode().IsRegular() {
			continue // opening a pipe may wait for its reader
		}
		if err == nil && isOneOf(info, inputs) {
			return usageError("%s: %s: %s is a file that the command reads", command, o.flag, o.path)
		}
		f, err := newFile(o.path)
		if err != nil {
			return err
		}
		f.abandon()
		if f.target == "" {
			continue
		}
		key, err := filepath.EvalSymlinks(filepath.Dir(f.target))
		if err != nil {
			return err
		}
		if key, err = filepath.Abs(filepath.Join(key, filepath.Base(f.target))); err != nil {
			return err
		}
		if other, ok := taken[key]; ok {
			return usageError("%s: %s and %s name one file, %s", command, other, o.flag, o.path)
		}
		taken[key] = o.flag
	}
	return nil
}

// isOneOf tells whether a file is one of those with these names, also by another
// name or link.
func isOneOf(file fs.FileInfo, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && os.SameFile(file, info)
	})
}

// givenOutputs are the outputs that the flags of a command name, apart from those
// with a tensor's name.
func givenOutputs(c *cli.Context) []output {
	outputs := []string{"json", "output", "trace", "export", "solution", "cert"}
	var list []output
	for _, f := range c.Command.Flags {
		if s, ok := f.(*cli.StringFlag); ok && c.IsSet(s.Name) && slices.Contains(outputs, s.Name) {
			list = append(list, output{"--" + s.Name, c.String(s.Name), s.Name == "json"})
		}
	}
	return list
}
