package suite

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"

	"ipusolve/device"
	"ipusolve/model"
	"ipusolve/model/workload"
)

// Workload is a planning problem of a comparison: an MLP of so many blocks on so
// many tiles, and rules where they are not those of the study.
type Workload struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Tokens × Dim × Hidden, Blocks times in a chain (package model/workload).
	Tokens int `json:"tokens"`
	Dim    int `json:"dim"`
	Hidden int `json:"hidden"`
	Blocks int `json:"blocks"`
	Tiles  int `json:"tiles"`
	Rules
}

// Rules say what a program may assume and what it must leave (DESIGN §2); an empty
// word stands for the study's.
type Rules struct {
	Inputs  string `json:"inputs"`
	Weights string `json:"weights"`
	Outputs string `json:"outputs"`
}

// over puts the words that r does not have in from others.
func (r Rules) over(other Rules) Rules {
	pick := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return Rules{pick(r.Inputs, other.Inputs), pick(r.Weights, other.Weights), pick(r.Outputs, other.Outputs)}
}

// With is the workload under the rules of a study.
func (w Workload) With(r Rules) Workload {
	w.Rules = w.Rules.over(r)
	return w
}

// Sizes writes tokens, dimensions, blocks and tiles as ParseWorkload reads them.
func (w Workload) Sizes() string {
	return fmt.Sprintf("%dx%dx%dx%d@%d", w.Tokens, w.Dim, w.Hidden, w.Blocks, w.Tiles)
}

// Problem states the workload; all other choices are those of like.
func (w Workload) Problem(like model.Problem) (*model.Problem, error) {
	g, err := workload.SiglipMLP(1, w.Tokens, w.Dim, w.Hidden, w.Blocks)
	if err != nil {
		return nil, fmt.Errorf("suite: %s: %w", w.Name, err)
	}
	p := like
	p.Graph, p.Tiles = *g, w.Tiles
	p.Inputs, p.Weights, p.Outputs = w.Inputs, w.Weights, w.Outputs
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("suite: %s: %w", w.Name, err)
	}
	return &p, nil
}

var workloadSizes = regexp.MustCompile(`^(\d{1,9})x(\d{1,9})x(\d{1,9})(?:x(\d{1,9}))?(?:@(\d{1,9}))?$`)

// ParseWorkload reads TOKENSxDIMxHIDDEN[xBLOCKS][@TILES]; one block and all tiles
// are the defaults.
func ParseWorkload(text string) (Workload, error) {
	m := workloadSizes.FindStringSubmatch(text)
	if m == nil {
		return Workload{}, fmt.Errorf("suite: want TOKENSxDIMxHIDDEN[xBLOCKS][@TILES], found %q: %w", text, model.ErrUsage)
	}
	n := [5]int{3: 1, 4: device.NumTiles}
	for i, digits := range m[1:] {
		if digits != "" {
			n[i], _ = strconv.Atoi(digits) // nine digits are in range
		}
	}
	w := Workload{Name: text, Tokens: n[0], Dim: n[1], Hidden: n[2], Blocks: n[3], Tiles: n[4]}
	_, err := w.With(DefaultRules).Problem(DefaultProblem)
	return w, err
}

// DefaultRules and DefaultProblem are what a compile assumes if nobody says otherwise.
var (
	DefaultRules   = Rules{model.InputsGathered, model.WeightsResident, model.OutputsAny}
	DefaultProblem = model.Problem{Profile: model.ProfileC600, Family: model.FamilyFull, Repeat: model.RepeatUnbounded, Timing: model.TimingVersion,
		MemoryLimit: (model.MaxPhysicalBytes - model.DefaultReserve) / model.MemoryGranule * model.MemoryGranule}
)

// Workloads lists the problems of the comparison of planners, quick ones first. A
// group has one shape on several tile counts or one model at several sizes.
func Workloads() []Workload {
	const all = device.NumTiles
	once := Rules{Weights: model.WeightsOnce}
	linear := Rules{Weights: model.WeightsOnce, Outputs: model.OutputsLinear}
	preplaced := Rules{Inputs: model.InputsPreplaced, Weights: model.WeightsOnce}
	return []Workload{
		{"small", "small MLP", 64, 128, 256, 1, 64, Rules{}},
		{"small-once", "small MLP, weights once", 64, 128, 256, 1, 64, once},
		{"small-linear", "small MLP, weights once, outputs linear", 64, 128, 256, 1, 64, linear},
		{"small-x3", "small MLP, 3 blocks", 64, 128, 256, 3, 64, Rules{}},
		{"small-x27", "small MLP, 27 blocks", 64, 128, 256, 27, 64, Rules{}},
		{"odd-33", "odd sizes", 33, 100, 300, 1, 128, Rules{}},
		{"odd-7", "odd sizes, few rows", 7, 50, 334, 1, 64, Rules{}},
		{"odd-101", "primes", 101, 202, 1009, 1, 256, Rules{}},
		{"decoder-768-t1", "small decoder block, 1 token", 1, 768, 3072, 1, all, Rules{}},
		{"decoder-768-t16", "small decoder block, 16 tokens", 16, 768, 3072, 1, all, Rules{}},
		{"decoder-768-t128", "small decoder block, 128 tokens", 128, 768, 3072, 1, all, Rules{}},
		{"decoder-2048-t1", "decoder block, 1 token", 1, 2048, 8192, 1, all, Rules{}},
		{"decoder-2048-t16", "decoder block, 16 tokens", 16, 2048, 8192, 1, all, Rules{}},
		{"decoder-2048-t128", "decoder block, 128 tokens", 128, 2048, 8192, 1, all, Rules{}},
		{"vit-b-64", "ViT-B", 197, 768, 3072, 1, 64, Rules{}},
		{"vit-b-256", "ViT-B", 197, 768, 3072, 1, 256, Rules{}},
		{"vit-b", "ViT-B", 197, 768, 3072, 1, all, Rules{}},
		{"vit-b-x2", "ViT-B, 2 blocks", 197, 768, 3072, 2, all, Rules{}},
		{"vit-l-512", "ViT-L", 577, 1024, 4096, 1, 512, Rules{}},
		{"vit-l", "ViT-L", 577, 1024, 4096, 1, all, Rules{}},
		{"siglip-196", "SigLIP-So400m, 196 tokens", 196, 1152, 4304, 1, all, Rules{}},
		{"siglip-256", "SigLIP-So400m, 256 tokens", 256, 1152, 4304, 1, all, Rules{}},
		{"siglip-576", "SigLIP-So400m, 576 tokens", 576, 1152, 4304, 1, all, Rules{}},
		{"siglip-729", "SigLIP-So400m, 729 tokens", 729, 1152, 4304, 1, all, Rules{}},
		{"siglip-729-preplaced", "rules of the first seed log", 729, 1152, 4304, 1, all, preplaced},
		{"siglip-729-linear", "rules of the second seed log", 729, 1152, 4304, 1, all, linear},
		{"siglip-1024", "SigLIP-So400m, 1024 tokens", 1024, 1152, 4304, 1, all, Rules{}},
		{"siglip-729-x27", "SigLIP-So400m, 27 blocks", 729, 1152, 4304, 27, all, Rules{}},
	}
}

// Matching are the workloads whose names match any of the patterns (path.Match), in
// the suite's order; all if there is no pattern. An error wraps model.ErrUsage and
// names a pattern that matches none.
func Matching(list []Workload, patterns []string) ([]Workload, error) {
	if len(patterns) == 0 {
		return list, nil
	}
	matches := func(pattern string) func(Workload) bool {
		return func(w Workload) bool {
			ok, _ := path.Match(pattern, w.Name)
			return ok
		}
	}
	for _, p := range patterns {
		if !slices.ContainsFunc(list, matches(p)) {
			return nil, fmt.Errorf("suite: no problem %q: %w", p, model.ErrUsage)
		}
	}
	var out []Workload
	for _, w := range list {
		if slices.ContainsFunc(patterns, func(p string) bool { return matches(p)(w) }) {
			out = append(out, w)
		}
	}
	return out, nil
}
