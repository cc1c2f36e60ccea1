package ipusolve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"ipusolve/device/ipuexe"
	"ipusolve/exchange"
	"ipusolve/lower"
	"ipusolve/model"
	"ipusolve/model/cost"
)

// Version names this compiler in packages.
const Version = "ipusolve 0.1.0"

// Sentinels of Compile.
var (
	// ErrNoPlan: the limits of the search ended it before any plan was found.
	ErrNoPlan = errors.New("no plan found within the limits of the search")
	// ErrVerify: the verifier of a pass refused its record.
	ErrVerify = errors.New("verification failed")
)

// Options steers Compile.
type Options struct {
	Planner   Planner   // required
	Scheduler Scheduler // required unless PlanOnly
	PlanOnly  bool      // stop after planning
	Verify    bool      // run the verifier of every pass
	Log       *slog.Logger
	// Progress is told the name of a pass when it starts, and of the parts of long
	// ones. It may be called from several goroutines.
	Progress func(pass string, done, total int)
	// Dump makes a file of the record of a pass by calling write; nil = no dumps.
	Dump func(name string, write func(io.Writer) error) error
}

// Compilation holds the record of every pass.
type Compilation struct {
	Problem   *model.Problem
	Plan      *model.Plan
	Spans     []cost.Span // prediction under profile c600, but for schedules
	Program   *lower.Program
	Map       lower.MemoryMap
	Phases    []*exchange.Problem
	Schedules []*exchange.Schedule
	Rows      [][][]uint32 // per phase and tile
	Package   *ipuexe.Application
	Report    *Report

	opt      Options
	reserve  lower.ReserveOptions
	tighten  map[string]int64
	first    *Planning // before any tightening
	replans  int
	unplaced error // of the last plan that could not be placed
	longRows int   // bytes of the longest rows that found too little room, 0 if none did
	placing  int
	tried    []PlacementRound
	memory   lower.PlaceStats
	known    map[messages]*alike // schedules found so far
	methods  []string
	duration []time.Duration // per phase, scheduling
}

// maxReplans bounds how often a plan may fail to be placed.
const maxReplans = 12

// pass is one row of the table: run makes a record, verify checks it with code
// of its own.
type pass struct {
	name   string
	run    func(*Compilation, context.Context) error
	verify func(*Compilation) error
}

// passes in order. A pass that finds the records before it wanting returns a
// *again.
var passes = []pass{
	{"plan", (*Compilation).plan, (*Compilation).verifyPlan},
	{"shard", (*Compilation).shard, nil},
	{"reserve", (*Compilation).reserveAreas, nil},
	{"place", (*Compilation).place, (*Compilation).verifyPlace},
	{"schedule", (*Compilation).schedule, (*Compilation).verifySchedules},
	{"encode", (*Compilation).encodeRows, (*Compilation).verifyRows},
	{"check reserve", (*Compilation).checkReserve, nil},
	{"emit", (*Compilation).emit, (*Compilation).verifyPackage},
}

// again restarts the table at an earlier pass.
type again struct {
	pass  string
	cause error
}

func (a *again) Error() string { return fmt.Sprintf("back to pass %s: %v", a.pass, a.cause) }

// Compile runs the table of passes on a problem. When ctx ends, searches stop
// with the best they have and the remaining passes finish quickly; without any
// plan the error wraps ctx.Err or ErrNoPlan. An infeasible problem gives a
// *planning.InfeasibleError or, if its best plans cannot be placed, a
// *lower.PlaceError.
func Compile(ctx context.Context, p *model.Problem, opt Options) (*Compilation, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Progress == nil {
		opt.Progress = func(string, int, int) {}
	}
	c := &Compilation{Problem: p, opt: opt, tighten: map[string]int64{}, reserve: lower.ReserveOptions{MemoryLimit: p.MemoryLimit},
		Report: &Report{Schema: ReportSchema, Problem: *p}}
	for i := 0; i < len(passes); i++ {
		ps := &passes[i]
		opt.Progress(ps.name, i, len(passes))
		start := time.Now()
		err := ps.run(c, ctx)
		if err == nil && ps.verify != nil && opt.Verify {
			if err = ps.verify(c); err != nil {
				err = fmt.Errorf("ipusolve: pass %s: %w: %w", ps.name, ErrVerify, err)
			}
		}
		elapsed := time.Since(start)
		c.Report.Timings = append(c.Report.Timings, Timing{ps.name, elapsed.Seconds()})
		var back *again
		if errors.As(err, &back) {
			opt.Log.Info("pass repeats", "pass", ps.name, "from", back.pass, "cause", back.cause)
			i = indexOf(back.pass) - 1
			continue
		}
		if err != nil {
			return nil, err
		}
		opt.Log.Info("pass done", append([]any{"pass", ps.name, "seconds", elapsed.Seconds()}, c.figures(ps.name)...)...)
		if err := c.dump(ps.name); err != nil {
			return nil, err
		}
		if ps.name == "plan" && opt.PlanOnly {
			c.Report.Cycles = nil
			break
		}
	}
	return c, nil
}

func indexOf(name string) int {
	for i := range passes {
		if passes[i].name == name {
			return i
		}
	}
	panic("ipusolve: no pass " + name)
}

// forEach runs f(0..n-1) on all processors and returns the error of the
// smallest index.
func forEach(n int, f func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
