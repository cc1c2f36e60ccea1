package seedlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNoLog: a file in which there is no entry of a log.
var ErrNoLog = errors.New("seedlog: no entry of an ipu-stack log")

// Log is what a log tells. Figures that it does not have are 0, or false.
type Log struct {
	// Workload and its sizes, as far as the log has them.
	Workload string
	Batch, Tokens, Dim, Hidden,
	Blocks, Tiles int

	Planned      int64 // mid cycles of the plan chosen; of compared finalists that of fewest low cycles
	PlannedWords int64 // part of Planned in exchange
	Lowered      int64 // low cycles of that plan
	Final        int64 // cycles of the placed program
	FinalWords   int64 // part of Final in exchange
	Finalists    []Finalist
	Phases       []Phase // those scheduled, by number

	StandardBytes, InterleavedBytes, TotalBytes int64 // of the fullest tile

	Cycles, MinimumTileCycles int64 // on the device
	Test                      string
	MaximumAbsoluteError      float64

	// Planning is the time of planning, Seconds that from the first entry to the last
	// one of the compile.
	Planning, Seconds float64
}

// Finalist is a plan that the reference compares by its lowered program.
type Finalist struct {
	Rank     int
	Mid, Low int64
}

// Phase is a scheduled exchange phase.
type Phase struct {
	Phase, Transfers int
	Bound, Horizon   int64 // endpoint bound and the schedule chosen
	Kind             string
	Candidates       int   // messages that could be paired
	Ordinary, Paired int64 // horizons without and with pairs, where both were made
}

var (
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
	head   = regexp.MustCompile(`(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\s+(TRACE|DEBUG|INFO|WARN|ERROR)\s`)
	pair   = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|[^\s,}]+)`)
	option = regexp.MustCompile(`--([a-z-]+)[ =]([0-9]+)`)
	busy   = regexp.MustCompile(`close time\.busy=([0-9.]+)(ns|µs|ms|s)`)
	sizes  = regexp.MustCompile(`-b(\d+)-t(\d+)-d(\d+)-h(\d+)-n(\d+)$`)
)

// MaxBytes bounds the logs that are read.
const MaxBytes = 64 << 20

// Read reads a log. An error wraps ErrNoLog if there is none in it, or is that of r.
func Read(r io.Reader) (*Log, error) {
	b, err := io.ReadAll(io.LimitReader(bufio.NewReader(r), MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("seedlog: %w", err)
	}
	if len(b) > MaxBytes {
		return nil, fmt.Errorf("seedlog: more than %d bytes", MaxBytes)
	}
	text := colour.ReplaceAllString(string(b), "")
	heads := head.FindAllStringSubmatchIndex(text, -1)
	if len(heads) == 0 {
		return nil, ErrNoLog
	}
	x := &reader{log: &Log{}, transfers: map[int64]int64{}, phases: map[int]*Phase{}}
	x.command(text[:heads[0][0]])
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		at, err := time.Parse(time.RFC3339Nano, text[h[2]:h[3]])
		if err != nil {
			continue // no time: no entry either
		}
		x.entry(at, text[h[1]:end])
	}
	return x.finish(), nil
}

type reader struct {
	log         *Log
	first, last time.Time // of the compile
	transfers   map[int64]int64
	phases      map[int]*Phase
}

// command takes sizes from the command line that a log may begin with.
func (x *reader) command(text string) {
	for _, m := range option.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		switch m[1] {
		case "mlp-batch":
			x.log.Batch = n
		case "mlp-tokens":
			x.log.Tokens = n
		case "mlp-dim":
			x.log.Dim = n
		case "mlp-hidden-dim":
			x.log.Hidden = n
		case "mlp-blocks":
			x.log.Blocks = n
		case "tiles":
			x.log.Tiles = n
		}
	}
}

// fields are the key=value pairs of an entry. Of a key that comes twice the last
// one counts: spans come first.
type fields map[string]string

func (f fields) int(name string) int64 {
	n, err := strconv.ParseInt(f[name], 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func fieldsOf(text string) fields {
	f := fields{}
	for _, m := range pair.FindAllStringSubmatch(text, -1) {
		f[m[1]] = strings.Trim(m[2], `"`)
	}
	return f
}

// phase is the record of a phase of an entry, nil if it names none.
func (x *reader) phase(f fields) *Phase {
	n, err := strconv.Atoi(f["phase"])
	if err != nil || n < 0 {
		return nil
	}
	p := x.phases[n]
	if p == nil {
		p = &Phase{Phase: n}
		x.phases[n] = p
	}
	return p
}

func (x *reader) entry(at time.Time, text string) {
	l := x.log
	if x.first.IsZero() {
		x.first = at
	}
	compiling := strings.Contains(text, "package.build{")
	if compiling {
		x.last = at
		if f := fieldsOf(text); l.Tiles == 0 {
			l.Tiles = int(f.int("tile_count"))
		}
	}
	has := func(words string) bool { return strings.Contains(text, words) }
	switch {
	case has("selected analytical operator plan"):
		f := fieldsOf(text)
		l.Planned, l.PlannedWords = f.int("estimated_cycles"), f.int("estimated_exchange_cycles")
	case has("retained operator-plan finalist"):
		f := fieldsOf(text)
		if f.int("finalist") == 0 {
			l.StandardBytes, l.InterleavedBytes, l.TotalBytes = f.int("peak_standard_bytes"), f.int("peak_interleaved_bytes"), f.int("peak_total_bytes")
		}
	case has("costed planning finalist"):
		f := fieldsOf(text)
		n := Finalist{int(f.int("rank")), f.int("mid_cycles"), f.int("low_cycles")}
		l.Finalists = append(l.Finalists, n)
		if l.Lowered == 0 || n.Low < l.Lowered {
			l.Planned, l.Lowered = n.Mid, n.Low
		}
	case has(`phase finished phase="lower_mid"`):
		l.Planning = float64(fieldsOf(text).int("elapsed_ms")) / 1000
	case has("construct_mid: close time.busy="):
		l.Planning = seconds(text)
	case has("prepared large physical exchange phase"):
		if f := fieldsOf(text); x.phase(f) != nil {
			x.phase(f).Transfers = int(f.int("transfers"))
		}
	case has("optimized physical exchange schedule"):
		if f := fieldsOf(text); x.phase(f) != nil {
			p := x.phase(f)
			p.Horizon, p.Bound, p.Kind = f.int("selected_horizon"), f.int("endpoint_lower_bound"), f["selected_kind"]
		}
	case has("compared ordinary and paired exchange schedules"):
		if f := fieldsOf(text); x.phase(f) != nil {
			p := x.phase(f)
			p.Candidates, p.Ordinary, p.Paired = int(f.int("candidates")), f.int("ordinary_horizon"), f.int("paired_horizon")
		}
	case has("costed final placed program"):
		f := fieldsOf(text)
		l.Final, l.FinalWords = f.int("final_cycles"), f.int("final_exchange")
	}
	if has("numericalTest=") {
		x.result(fieldsOf(text))
	}
}

// result reads the closing line.
func (x *reader) result(f fields) {
	l := x.log
	l.Test, l.Workload = f["numericalTest"], f["workload"]
	l.Cycles, l.MinimumTileCycles = f.int("cycles"), f.int("minimumTileCycles")
	l.MaximumAbsoluteError, _ = strconv.ParseFloat(f["maximumAbsoluteError"], 64)
	m := sizes.FindStringSubmatch(l.Workload)
	if m == nil {
		return
	}
	for i, field := range []*int{&l.Batch, &l.Tokens, &l.Dim, &l.Hidden, &l.Blocks} {
		if n, err := strconv.Atoi(m[i+1]); err == nil {
			*field = n
		}
	}
}

// seconds is the busy time of a span that closes.
func seconds(text string) float64 {
	m := busy.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	return n * map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[m[2]]
}

func (x *reader) finish() *Log {
	l := x.log
	for _, p := range x.phases {
		l.Phases = append(l.Phases, *p)
	}
	slices.SortFunc(l.Phases, func(a, b Phase) int { return a.Phase - b.Phase })
	if !x.last.IsZero() {
		l.Seconds = x.last.Sub(x.first).Seconds()
	}
	return l
}
