package sim

import "fmt"

// soft numbers the strict rules that lenient mode turns into warnings.
type soft int

const (
	softLanes soft = iota
	softCounts
	softUnwritten
	numSoft
)

var softRules = [numSoft]string{RuleLanes, RuleCounts, RuleUnwritten}

// Warning is a strict rule broken in lenient mode.
type Warning struct {
	Rule string
	// Count is the number of events without a word or words without a listener
	// (lanes), of steps (counts), of bytes (unwritten).
	Count int64
	First *Error // on the lowest tile concerned, its first
}

func (w Warning) String() string {
	return fmt.Sprintf("%s: %d, first: %v", w.Rule, w.Count, w.First)
}

type warning struct {
	count int64
	first *Error
}

// soft breaks a strict rule: an error, or, lenient, n more of a warning. what
// is called for the texts that are kept.
func (t *tile) soft(lenient bool, s soft, n int64, what func() Error) {
	w := &t.warnings[s]
	if w.count += n; lenient && w.first != nil {
		return
	}
	e := what()
	e.Rule = softRules[s]
	if !lenient {
		t.fail(e)
		return
	}
	if w.first == nil {
		e.Tile, e.Step, e.Cycle, e.PC = t.logical, t.step, t.cycle, t.at
		w.first = &e
	}
}

// takeWarnings sums the warnings of all tiles.
func (m *Machine) takeWarnings() []Warning {
	var list []Warning
	for s, rule := range softRules {
		sum := Warning{Rule: rule}
		for _, t := range m.tiles {
			w := &t.warnings[s]
			sum.Count += w.count
			if sum.First == nil {
				sum.First = w.first
			}
		}
		if sum.Count > 0 {
			list = append(list, sum)
		}
	}
	return list
}
