package ipusolve

import (
	"encoding/json"
	"fmt"
	"io"

	"ipusolve/exchange"
)

// figures are what the log says of a pass that ended.
func (c *Compilation) figures(name string) []any {
	r := c.Report
	switch name {
	case "plan":
		f := []any{"status", r.Planning.Status, "objective", r.Planning.Objective, "candidates", r.Planning.Candidates}
		if r.Planning.Bound != nil {
			f = append(f, "bound", *r.Planning.Bound, "gap", *r.Planning.Gap)
		}
		return f
	case "shard":
		return []any{"items", len(c.Program.Items), "phases", len(c.Program.Phases)}
	case "reserve":
		return []any{"rowBytes", c.Map.RowTable.End - c.Map.RowTable.Start, "codeBytes", c.Map.Code.End - c.Map.Code.Start, "symbols", len(c.Map.Symbols)}
	case "place":
		return []any{"status", r.Placement.Status, "bytes", r.Placement.Objective, "bound", r.Placement.Bound, "live", r.Placement.Alive,
			"equalWords", r.Placement.EqualWords, "overlapWords", r.Placement.OverlapWords, "problems", r.Placement.TileProblems, "optimal", r.Placement.OptimalClasses}
	case "schedule":
		var horizon, bound int64
		for _, p := range r.Exchange {
			horizon += int64(p.Horizon)
			bound += int64(p.Bound)
		}
		return []any{"horizons", horizon, "bounds", bound}
	case "emit":
		return []any{"cycles", r.Cycles.Total, "floor", r.Cycles.Floor}
	}
	return nil
}

// dump writes the record of a pass.
func (c *Compilation) dump(name string) error {
	if c.opt.Dump == nil {
		return nil
	}
	write := func(file string, f func(io.Writer) error) error {
		if err := c.opt.Dump(file, f); err != nil {
			return fmt.Errorf("ipusolve: dump: %w", err)
		}
		return nil
	}
	switch name {
	case "plan":
		if err := write("plan.json", c.Plan.Write); err != nil {
			return err
		}
		return write("plan.txt", func(w io.Writer) error { _, err := io.WriteString(w, c.Plan.String()); return err })
	case "place":
		if err := write("program.txt", c.Program.Dump); err != nil {
			return err
		}
		return write("program.json", c.Program.WriteJSON)
	case "schedule":
		for i, p := range c.Phases {
			snapshot := exchange.Snapshot{Tiles: p.Tiles, Phases: []*exchange.Problem{p}}
			if err := write(fmt.Sprintf("phase%d.json", i), snapshot.Write); err != nil {
				return err
			}
			if err := write(fmt.Sprintf("schedule%d.json", i), func(w io.Writer) error { return json.NewEncoder(w).Encode(c.Schedules[i]) }); err != nil {
				return err
			}
		}
	case "emit":
		return write("report.json", c.Report.Write)
	}
	return nil
}
