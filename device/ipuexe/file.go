package ipuexe

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write writes the package to w in one call.
func Write(w io.Writer, a *Application) error {
	file, err := a.Marshal()
	if err != nil {
		return err
	}
	if _, err := w.Write(file); err != nil {
		return fmt.Errorf("ipuexe: %w", err)
	}
	return nil
}

// WriteFile writes the package to path, which then holds the whole package or,
// after an error, what it held before.
func WriteFile(path string, a *Application) (err error) {
	file, err := a.Marshal()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("ipuexe: %w", err)
		}
	}()
	// The same folder, so that the rename stays within one file system.
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err := tmp.Write(file); err != nil {
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// ReadFile is Read of a file.
func ReadFile(path string) (*Application, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("ipuexe: %w", err)
	}
	return Read(file)
}
