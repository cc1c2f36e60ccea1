package model

import (
	"fmt"
	"slices"
	"strings"

	"ipusolve/device"
)

// TileQuantum divides the tile count of every problem.
const TileQuantum = 64

// choices lists the values of the enumerated fields by JSON name.
func (p *Problem) choices() []struct {
	path, value string
	want        []string
} {
	return []struct {
		path, value string
		want        []string
	}{
		{"profile", p.Profile, []string{ProfileC600, ProfileSeed}},
		{"inputs", p.Inputs, []string{InputsGathered, InputsPreplaced}},
		{"weights", p.Weights, []string{WeightsResident, WeightsOnce}},
		{"outputs", p.Outputs, []string{OutputsAny, OutputsLinear}},
		{"repeat", p.Repeat, []string{RepeatUnbounded}},
		{"family", p.Family, []string{FamilyNormal, FamilyFull, FamilySeed}},
	}
}

// Validate checks the problem and its graph. Errors are *PathError; those of
// fields that the command line sets wrap ErrUsage.
func (p *Problem) Validate() error {
	usage := func(path, format string, args ...any) error {
		return &PathError{Path: path, Reason: fmt.Sprintf(format, args...), Err: ErrUsage}
	}
	if p.Tiles < 1 || p.Tiles > device.NumTiles || p.Tiles%TileQuantum != 0 {
		return usage("tiles", "want a multiple of %d from %d to %d, found %d", TileQuantum, TileQuantum, device.NumTiles, p.Tiles)
	}
	for _, c := range p.choices() {
		if !slices.Contains(c.want, c.value) {
			return usage(c.path, `want "%s", found %q`, strings.Join(c.want, `" or "`), c.value)
		}
	}
	for i, t := range p.Without {
		if !slices.Contains(Techniques, t) {
			return usage("without", "want %s, found %q", strings.Join(Techniques, ", "), t)
		}
		if i > 0 && p.Without[i-1] >= t {
			return usage("without", "%q must come once and in order", t)
		}
	}
	if p.MemoryLimit < MemoryGranule || p.MemoryLimit > MaxElements || p.MemoryLimit%MemoryGranule != 0 {
		return usage("memoryLimit", "want a multiple of %d bytes from %d to %d, found %d", MemoryGranule, MemoryGranule, MaxElements, p.MemoryLimit)
	}
	if p.Timing != TimingVersion {
		return usage("timing", "want version %d of the machine's timing, found %d", TimingVersion, p.Timing)
	}
	if err := p.Graph.Validate(); err != nil {
		return under("graph", err)
	}
	return p.checkPins()
}
