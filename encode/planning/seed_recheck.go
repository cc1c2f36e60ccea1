package planning

import (
	"fmt"
	"strings"

	"ipusolve/encode"
	"ipusolve/model"
	"ipusolve/solve"
)

// recheckSeed is Recheck for family seed. Rows that rule a choice out name its
// candidates; that the choice does not fit a tile is priced again.
func recheckSeed(p *model.Problem, m *solve.Model, bound int64, prices map[string]int64) (Coverage, error) {
	rough, err := newSeedBuilder(p, seedUnbounded, nil)
	if err != nil {
		return Coverage{}, err
	}
	// Options that are not listed are in plans above the bound only.
	b, err := newSeedBuilder(p, bound, rough)
	if err != nil {
		return Coverage{}, err
	}
	for n := range b.sel.Nodes {
		if len(b.sel.Nodes[n].Candidates) == 0 {
			return Coverage{}, nil // no plan at all up to the bound
		}
	}
	b.limit(true)
	list := newCatalogue(b.sel)
	for _, row := range m.Rows {
		text, ok := strings.CutPrefix(row.Name, seedRow)
		if !ok {
			continue
		}
		names := strings.Split(text, seedJoin)
		if len(names) != len(b.sel.Nodes) {
			return Coverage{}, fmt.Errorf("planning: model: row %s names %d candidates of %d operations", row.Name, len(names), len(b.sel.Nodes))
		}
		c := make(encode.Choice, len(names))
		for n, name := range names {
			if c[n], ok = list.candidate(n, name); !ok {
				return Coverage{}, fmt.Errorf("planning: model: row %s: %s is no candidate up to the bound", row.Name, name)
			}
		}
		if _, _, fits, err := b.fits(c); err != nil || fits {
			return Coverage{}, fmt.Errorf("planning: model: row %s rules out a choice that fits (%v)", row.Name, err)
		}
		b.exclude(c)
	}
	return checkCoverage(b.sel, m, bound, prices)
}
