package model

import "slices"

// Problem states what a claim of optimality is about (DESIGN §2). Reports,
// pins and packages carry it whole.
type Problem struct {
	Graph   Graph  `json:"graph"`
	Tiles   int    `json:"tiles"`   // logical tiles 0..Tiles-1; a multiple of 64
	Profile string `json:"profile"` // "c600" or "seed": formulas of the planner
	Inputs  string `json:"inputs"`  // "gathered" or "preplaced"
	Weights string `json:"weights"` // "resident" or "once"
	Outputs string `json:"outputs"` // "any" or "linear"
	Repeat  string `json:"repeat"`  // "unbounded": runs per weight upload
	Family  string `json:"family"`  // plan family
	// Without lists what the family leaves out, sorted.
	Without []string `json:"without,omitempty"`
	// MemoryLimit is the data bytes a tile may use (simulator.md §9).
	MemoryLimit int `json:"memoryLimit"`
	// Timing is the version of the simulated machine's timing page.
	Timing int `json:"timing"`
}

// MatrixSums in Problem.Without: no sums of partials on the matrix unit.
const MatrixSums = "matrix-sums"

// Techniques are what a family can be without.
var Techniques = []string{MatrixSums}

// Has tells whether the problem's plans may use a technique.
func (p *Problem) Has(technique string) bool { return !slices.Contains(p.Without, technique) }

// FamilyText names the family and what it is without.
func (p *Problem) FamilyText() string {
	text := p.Family
	for i, t := range p.Without {
		text += [2]string{" without ", ", "}[min(i, 1)] + t
	}
	return text
}

// Choices of a problem, defaults first.
const (
	ProfileC600      = "c600"
	ProfileSeed      = "seed"
	InputsGathered   = "gathered"
	InputsPreplaced  = "preplaced"
	WeightsResident  = "resident"
	WeightsOnce      = "once"
	OutputsAny       = "any"
	OutputsLinear    = "linear"
	RepeatUnbounded  = "unbounded"
	FamilyNormal     = "normal"
	FamilyFull       = "full"
	TimingVersion    = 1
	MemoryGranule    = 32     // of MemoryLimit
	DefaultReserve   = 49152  // standard bytes a plan leaves for rows, code and tables until they are known
	MaxPhysicalBytes = 586960 // standard 162 080 + interleaved 424 880
	// StandardShare is the part of a memory limit that lies below the interleaved
	// region; what exceeds it ends that region.
	StandardShare = 162080 - DefaultReserve
)
