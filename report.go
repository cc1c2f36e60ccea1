package ipusolve

import (
	"encoding/json"
	"fmt"
	"io"

	"ipusolve/exchange"
	"ipusolve/model"
	"ipusolve/model/cost"
	"ipusolve/solve"
)

// ReportSchema is the schema name of a report.
const ReportSchema = "ipusolve.report/1"

// StatusHeuristic is the status of an answer for which no bound is claimed; the
// other words are those of solve.Status.
const StatusHeuristic = "heuristic"

// Report is everything Compile claims. docs/formats.md describes its JSON form.
type Report struct {
	Schema    string          `json:"schema"`
	Problem   model.Problem   `json:"problem"`
	Planning  Planning        `json:"planning"`
	Placement *Placement      `json:"placement,omitempty"`
	Exchange  []PhaseReport   `json:"exchange,omitempty"`
	Cycles    *Cycles         `json:"cycles,omitempty"`
	Package   *PackageSummary `json:"package,omitempty"`
	// Timings are seconds per pass. They are left out of the copy inside a package,
	// so that equal compiles give equal bytes.
	Timings []Timing `json:"timings,omitempty"`
}

// Planning is the level of layouts and recipes, in model cycles.
type Planning struct {
	Status       string   `json:"status"`
	Objective    int64    `json:"objective"` // recomputed from the plan's layouts
	Exchange     int64    `json:"exchange"`  // part of Objective spent in exchange phases
	Bound        *int64   `json:"bound,omitempty"`
	Gap          *float64 `json:"gap,omitempty"`
	Difference   *int64   `json:"difference,omitempty"` // objective − bound
	Candidates   int      `json:"candidates,omitempty"`
	Considered   int      `json:"considered,omitempty"` // left after reductions
	ExactPairs   int      `json:"exactPairs,omitempty"` // transitions priced exactly
	Rows         int      `json:"rows,omitempty"`       // of the last model
	Columns      int      `json:"columns,omitempty"`
	Nodes        int      `json:"nodes,omitempty"`
	LPIterations int64    `json:"lpIterations,omitempty"`
	Seconds      float64  `json:"seconds,omitempty"`
	// Tightened lists memory limits that placement lowered, round by round; the
	// bound is that of the problem without them.
	Tightened   []Tightening     `json:"tightened,omitempty"`
	Memory      []MemoryUse      `json:"memory,omitempty"`
	Steps       []StepReport     `json:"steps"`
	Seed        *cost.Report     `json:"seed,omitempty"` // figures of profile seed
	Certificate *PlanCertificate `json:"certificate,omitempty"`
}

// PlanCertificate proves the planning bound: the last model and a proof tree
// with a dual vector per leaf.
type PlanCertificate struct {
	Model *solve.Model       `json:"model"`
	Proof *solve.Certificate `json:"proof"`
	// Prices are multipliers of memory limits, in 1/2^20 cycles a byte, with which
	// candidates were ruled out of the model.
	Prices map[string]int64 `json:"prices,omitempty"`
}

// Tightening is one limit that placement could not keep.
type Tightening struct {
	Limit  string `json:"limit"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// MemoryUse is what the plan takes of one limit of the planning model.
type MemoryUse struct {
	Limit string `json:"limit"`
	Bytes int64  `json:"bytes"`
	Of    int64  `json:"of"`
}

// StepReport is one step of the plan with its cost.
type StepReport struct {
	Kind     model.StepKind `json:"kind"`
	Op       string         `json:"op"`
	Value    string         `json:"value"`
	Phase    int            `json:"phase"`
	Cycles   int64          `json:"cycles"`
	Exchange int64          `json:"exchange"`
	Terms    model.Cost     `json:"terms"`
	Roots    int            `json:"roots,omitempty"` // reductions, after lowering
}

// Placement is the level of addresses, in data bytes of the fullest tile.
type Placement struct {
	// Status is optimal if every class of tiles has the most words at equal
	// addresses, the fewest overlaps and the most contiguous space left.
	Status      string  `json:"status"`
	Objective   int64   `json:"objective"` // data bytes up to the end of the highest item
	Bound       int64   `json:"bound"`     // no placement as good otherwise needs less
	Gap         float64 `json:"gap"`
	Used        int64   `json:"used"`        // bytes that hold data at some time
	Alive       int64   `json:"alive"`       // bytes alive at one time
	Standard    int64   `json:"standard"`    // most bytes alive, by class
	Interleaved int64   `json:"interleaved"` //
	// EqualWords are delivered to both tiles of a pair at one address, by messages
	// that could then move 64 bits an event.
	EqualWords int64 `json:"equalWords"`
	EqualBound int64 `json:"equalBound"`
	// OverlapWords would wait for each other: a tile sends from and receives into
	// one SRAM element.
	OverlapWords   int64            `json:"overlapWords"`
	OverlapBound   int64            `json:"overlapBound"`
	InterleavedEnd int64            `json:"interleavedEnd"`
	DataBytes      int64            `json:"dataBytes"` // room for data a tile
	RowBytes       int64            `json:"rowBytes"`  // reserved for exchange rows
	CodeBytes      int64            `json:"codeBytes"`
	TileProblems   int              `json:"tileProblems"`
	OptimalClasses int              `json:"optimalClasses"` // of these, proven
	Nodes          int64            `json:"nodes,omitempty"`
	Phases         []PlacementPhase `json:"phases,omitempty"`
	Classes        []PlacementClass `json:"classes,omitempty"`
	Rounds         int              `json:"rounds"`
	Tried          []PlacementRound `json:"tried,omitempty"` // rounds before the last
	Seconds        float64          `json:"seconds,omitempty"`
}

// PlacementPhase tells what addresses do to one exchange phase. Pairable messages
// could move 64 bits an event at suitable addresses, eligible ones can.
type PlacementPhase struct {
	Pairable      int   `json:"pairable"`
	Eligible      int   `json:"eligible"`
	PairableWords int64 `json:"pairableWords"`
	EligibleWords int64 `json:"eligibleWords"`
	OverlapWords  int64 `json:"overlapWords"`
}

// PlacementClass is the placement of tiles that state one problem.
type PlacementClass struct {
	Tile         int32   `json:"tile"`  // the first, of a pair the even one
	Count        int     `json:"count"` // tiles, or pairs
	Paired       bool    `json:"paired,omitempty"`
	Items        int     `json:"items"`
	Status       string  `json:"status"`
	EqualWords   int64   `json:"equalWords,omitempty"`
	EqualBound   int64   `json:"equalBound,omitempty"`
	OverlapWords int64   `json:"overlapWords,omitempty"`
	OverlapBound int64   `json:"overlapBound,omitempty"`
	Bytes        int64   `json:"bytes"` // data bytes up to the end of the highest item
	Bound        int64   `json:"bound"`
	Gap          float64 `json:"gap"`
}

// PlacementRound is a round of reserve, place and schedule that had to be
// repeated.
type PlacementRound struct {
	RowBytes int64  `json:"rowBytes"` // reserved for exchange rows
	Cause    string `json:"cause"`
}

// PhaseReport is one exchange phase, in events.
type PhaseReport struct {
	Phase        int              `json:"phase"`
	Reason       string           `json:"reason"`
	Op           string           `json:"op"`
	Transfers    int              `json:"transfers"`
	Destinations int              `json:"destinations"`
	Status       string           `json:"status"`
	Endpoint     int32            `json:"endpointBound"` // most words of a tile
	Bound        int32            `json:"bound"`
	BoundKind    string           `json:"boundKind"`
	Witness      exchange.Witness `json:"witness"`
	Horizon      int32            `json:"horizon"`
	Gap          float64          `json:"gap"`
	Method       string           `json:"method"`
	RowWords     int              `json:"maximumRowWords"`
	Predicted    int64            `json:"predicted"` // words charged by planning
	// SharedElements counts tiles that must send from and receive into one SRAM
	// element, which makes them half duplex.
	SharedElements int `json:"sharedElementTiles"`
	Paired         int `json:"paired,omitempty"` // transfers sent 64 bits an event
	// OpenWidths tells that the width of every transfer that can be paired was a
	// decision; then no schedule with any widths is shorter than the bound.
	OpenWidths bool `json:"openWidths,omitempty"`
	// Freedom is what the rows do beyond the rules R1–R14, left out if they keep them;
	// the bound holds for all schedules under it.
	Freedom exchange.Freedom `json:"freedom,omitempty"`
	Seconds float64          `json:"seconds,omitempty"`
}

// Cycles predicts the program from planning's work and the schedules.
type Cycles struct {
	Total    int64 `json:"total"`
	Compute  int64 `json:"compute"`
	Exchange int64 `json:"exchange"` // Σ horizons
	Sync     int64 `json:"sync"`     // 600 a phase
	// Staging is spent on copies of weights that the exchange rows of a repeat send.
	Staging int64 `json:"staging,omitempty"`
	// Floor is what no program on these tiles takes less than
	// (reference: costmodel.md §15).
	Floor int64 `json:"floor"`
}

// PackageSummary describes the emitted package.
type PackageSummary struct {
	Tiles    int    `json:"tiles"`
	Phases   int    `json:"phases"`
	Calls    int    `json:"calls"`
	Kernels  int    `json:"kernels"`
	Timing   int    `json:"timing"`
	Compiler string `json:"compiler"`
	// Iterations is how often equal blocks run that share code and rows; 0 if
	// every block has its own.
	Iterations int `json:"iterations,omitempty"`
}

// Timing is the time of one pass.
type Timing struct {
	Pass    string  `json:"pass"`
	Seconds float64 `json:"seconds"`
}

// Write writes the report as indented JSON.
func (r *Report) Write(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("ipusolve: report: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// timeless is the report without anything that differs between equal compiles.
func (r *Report) timeless() *Report {
	c := *r
	c.Timings = nil
	c.Planning.Seconds = 0
	if r.Placement != nil {
		p := *r.Placement
		p.Seconds = 0
		c.Placement = &p
	}
	c.Exchange = append([]PhaseReport(nil), r.Exchange...)
	for i := range c.Exchange {
		c.Exchange[i].Seconds = 0
	}
	return &c
}

// maxReportBytes and maxScheduleBytes bound the files that are read.
const (
	maxReportBytes   = 256 << 20
	maxScheduleBytes = 1 << 30
)

// ReadReport reads a report and checks its schema name. Unknown and repeated
// fields are errors, which name the JSON path.
func ReadReport(r io.Reader) (*Report, error) {
	out := &Report{}
	if err := model.ReadStrict(r, out, maxReportBytes); err != nil {
		return nil, fmt.Errorf("ipusolve: report: %w", err)
	}
	if out.Schema != ReportSchema {
		return nil, fmt.Errorf("ipusolve: report: schema: want %q, found %q", ReportSchema, out.Schema)
	}
	return out, nil
}

// gap is (best − bound) / best.
func gap(best, bound int64) float64 {
	if best <= bound || best == 0 {
		return 0
	}
	return float64(best-bound) / float64(best)
}
