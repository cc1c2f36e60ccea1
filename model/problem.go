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
	// Pins fix parts of the plan, in the order of the graph's operations: what is
	// claimed is about the plans of the family that have them.
	Pins []Pin `json:"pins,omitempty"`
	// MemoryLimit is the data bytes a tile may use (simulator.md §9).
	MemoryLimit int `json:"memoryLimit"`
	// Timing is the version of the simulated machine's timing page.
	Timing int `json:"timing"`
}

// Pin fixes how an operation runs.
type Pin struct {
	Op        string `json:"op"`        // a GEMM
	Candidate string `json:"candidate"` // notation of package model/space, or a part of it
}

// MatrixSums in Problem.Without: no sums of partials on the matrix unit.
const MatrixSums = "matrix-sums"

// Techniques are what a family can be without.
var Techniques = []string{MatrixSums}

// Has tells whether the problem's plans may use a technique.
func (p *Problem) Has(technique string) bool { return !slices.Contains(p.Without, technique) }

// FamilyText names the family, what it is without and what is pinned.
func (p *Problem) FamilyText() string {
	text := p.Family
	for i, t := range p.Without {
		text += [2]string{" without ", ", "}[min(i, 1)] + t
	}
	for i, pin := range p.Pins {
		text += [2]string{" with ", ", "}[min(i, 1)] + pin.Op + "=" + pin.Candidate
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
	FamilySeed       = "seed" // the reference planner's rules without its filters, under ProfileSeed
	TimingVersion    = 1
	MemoryGranule    = 32     // of MemoryLimit
	DefaultReserve   = 49152  // standard bytes a plan leaves for rows, code and tables until they are known
	MaxPhysicalBytes = 586960 // standard 162 080 + interleaved 424 880
	// StandardShare is the part of a memory limit that lies below the interleaved
	// region; what exceeds it ends that region.
	StandardShare = 162080 - DefaultReserve
)
