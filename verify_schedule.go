package ipusolve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"ipusolve/exchange"
	"ipusolve/exchange/check"
	"ipusolve/model"
)

// ScheduleSchema is the schema name of a schedule file.
const ScheduleSchema = "ipusolve.schedule/1"

// ScheduleFile holds the schedules of a snapshot's phases. docs/formats.md
// describes its JSON form.
type ScheduleFile struct {
	Schema string `json:"schema"`
	// Snapshot names the problem: the SHA-256 of the snapshot as
	// exchange.Snapshot.Write writes it, in hex.
	Snapshot string           `json:"snapshot"`
	Tiles    int              `json:"tiles"`
	Phases   []ScheduledPhase `json:"phases"`
}

// ScheduledPhase is a phase with its schedule.
type ScheduledPhase struct {
	PhaseReport
	Start       []int32 `json:"start"`       // per transfer of the snapshot
	TileHorizon []int32 `json:"tileHorizon"` // per tile, 0: takes no part
	// Rows are the instruction words of every tile's row, null for a tile that
	// takes no part.
	Rows [][]uint32 `json:"rows"`
}

// ScheduleSnapshot schedules every phase of a snapshot. The rows of each are
// decoded and checked before they are returned; a schedule that fails is an error
// that wraps ErrVerify.
func ScheduleSnapshot(ctx context.Context, snap *exchange.Snapshot, scheduler Scheduler, progress func(done, total int)) (*ScheduleFile, error) {
	out := &ScheduleFile{Schema: ScheduleSchema, Snapshot: snapshotDigest(snap), Tiles: snap.Tiles, Phases: make([]ScheduledPhase, len(snap.Phases))}
	for i, p := range snap.Phases {
		progress(i, len(snap.Phases))
		start := time.Now()
		s, method, err := scheduler.Schedule(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("ipusolve: phase %d: %w", p.Phase, err)
		}
		chosen := p.Chosen(s)
		rows, err := exchange.EncodePhase(chosen, s)
		if err != nil {
			return nil, fmt.Errorf("ipusolve: %w", err)
		}
		if _, err := check.Check(chosen, rows, nil); err != nil {
			return nil, fmt.Errorf("ipusolve: %w: %w", ErrVerify, err)
		}
		r := reportPhase(p, s, method)
		r.SharedElements = sharedElements(p)
		r.RowWords, r.Seconds = rowWords(rows), time.Since(start).Seconds()
		out.Phases[i] = ScheduledPhase{PhaseReport: r, Start: s.Start, TileHorizon: s.TileHorizon, Rows: rows}
	}
	return out, nil
}

func snapshotDigest(s *exchange.Snapshot) string {
	h := sha256.New()
	if err := s.Write(h); err != nil {
		panic(err) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Write writes the file as JSON, one phase a line.
func (f *ScheduleFile) Write(w io.Writer) error {
	head, err := json.Marshal(ScheduleFile{Schema: f.Schema, Snapshot: f.Snapshot, Tiles: f.Tiles, Phases: []ScheduledPhase{}})
	if err != nil {
		return fmt.Errorf("ipusolve: schedule: %w", err)
	}
	separator := bytes.TrimSuffix(head, []byte("]}"))
	for i := range f.Phases {
		phase, err := json.Marshal(&f.Phases[i])
		if err != nil {
			return fmt.Errorf("ipusolve: schedule: %w", err)
		}
		for _, part := range [][]byte{separator, []byte("\n"), phase} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		separator = []byte(",")
	}
	if len(f.Phases) == 0 {
		if _, err := w.Write(separator); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

// ReadSchedule reads a schedule file and checks its schema name. Unknown and
// repeated fields are errors, which name the JSON path.
func ReadSchedule(r io.Reader) (*ScheduleFile, error) {
	f := &ScheduleFile{}
	if err := model.ReadStrict(r, f, maxScheduleBytes); err != nil {
		return nil, fmt.Errorf("ipusolve: schedule: %w", err)
	}
	if f.Schema != ScheduleSchema {
		return nil, fmt.Errorf("ipusolve: schedule: schema: want %q, found %q", ScheduleSchema, f.Schema)
	}
	return f, nil
}

// VerifySchedule checks a schedule file: every phase is rebuilt from its rows and
// must be legal, with the horizons, starts and bounds that the file says. With the
// snapshot it was made from, the rows must also deliver exactly its transfers;
// snap may be nil.
func VerifySchedule(f *ScheduleFile, snap *exchange.Snapshot) []Claim {
	var c claims
	if snap != nil {
		c.equal("snapshot", f.Snapshot, snapshotDigest(snap))
		c.equal("tiles", f.Tiles, snap.Tiles)
		c.equal("phases", len(f.Phases), len(snap.Phases))
	}
	if c.failure() != nil {
		return c
	}
	for i := range f.Phases {
		ph := &f.Phases[i]
		name := fmt.Sprintf("exchange/%d/", ph.Phase)
		if snap != nil && ph.Phase != snap.Phases[i].Phase {
			c.equal(name+"phase", ph.Phase, snap.Phases[i].Phase)
		}
		p, s, err := check.Reconstruct(ph.Rows, f.Tiles, ph.Freedom)
		if err != nil {
			c.holds(name+"rows", "legal", "", err)
			continue
		}
		c.rows(name, ph.Freedom, p, s)
		c.phase(name, &ph.PhaseReport, p, s.Horizon, ph.Rows)
		c.level(fmt.Sprintf("exchange/%d", ph.Phase), ph.Status, ph.Gap, int64(ph.Horizon), int64(ph.Bound))
		c.holds(name+"tileHorizon", fmt.Sprintf("of %d tiles", len(ph.TileHorizon)), "those of the rows",
			errorIf(!slices.Equal(ph.TileHorizon, s.TileHorizon), "the rows' lengths are others"))
		var stated *exchange.Problem
		if snap != nil {
			stated = snap.Phases[i].WithFreedom(ph.Freedom)
			c.witness(name, &ph.PhaseReport, stated)
			if ph.OpenWidths {
				stated = check.WithWidthsOf(stated, p)
			}
		} else {
			c.unchecked(name+"witness", describeWitness(&ph.Witness), "it counts the snapshot's transfers")
		}
		c.unchecked(name+"method", ph.Method, "how the schedule was found, and how fast")
		c.unchecked(name+"predicted", fmt.Sprintf("%d words", ph.Predicted), "a schedule has no plan")
		if ph.Reason != "" || ph.Op != "" {
			c.unchecked(name+"purpose", fmt.Sprintf("%s of %s", ph.Reason, ph.Op), "a schedule has no plan")
		}
		c.holds(name+"start", fmt.Sprintf("of %d transfers", len(ph.Start)), "those of the sends", startsOf(ph, s, stated))
	}
	return c
}

// startsOf compares the starts of a phase with those its rows show: per transfer
// if these are known, else as a set.
func startsOf(ph *ScheduledPhase, s *exchange.Schedule, stated *exchange.Problem) error {
	want, got := s.Start, ph.Start
	if stated == nil {
		want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	} else {
		res, err := check.Check(stated, ph.Rows, nil)
		if err != nil {
			return fmt.Errorf("the rows do not deliver the snapshot's transfers: %w", err)
		}
		want = res.Starts
	}
	return errorIf(!slices.Equal(want, got), "the rows' sends start at other times")
}
