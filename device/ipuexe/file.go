package ipuexe

import (
	"fmt"
	"io"
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
