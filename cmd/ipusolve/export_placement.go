package main

import (
	"fmt"

	"ipusolve/encode"
	"ipusolve/lower"
	"ipusolve/solve"
)

// placementModel is the placement of the class of tiles that --tile belongs to.
func placementModel(e *exporting) (*solve.Model, error) {
	r, err := e.program()
	if err != nil {
		return nil, err
	}
	tile := e.cli.Int("tile")
	if tile < 0 || tile >= len(r.Program.Tiles) {
		return nil, usageError("export: --tile: want from 0 to %d, found %d", len(r.Program.Tiles)-1, tile)
	}
	m, err := encode.NewArenaModel(lower.Arena(r.Program, r.Map, tile))
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return m.Model, nil
}
