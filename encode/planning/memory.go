package planning

import (
	"ipusolve/encode"
	"ipusolve/kernels"
	"ipusolve/model"
	"ipusolve/model/space"
)

// Events of a stage at which memory is limited. The largest items of all
// candidates lie on tile 0, so the sums are attained there.
//
//	gather  result before (or its row-major runs, or the input's slice) · A · gathered W
//	kernel  A · gathered W · partial (or the result, with one inner part)
//	reduce  partial · received partials · result (the matrix unit may add in place)
//	convert result · its row-major runs (only where a move to runs is possible), or the
//	        result · its transposed panels, then these · row-major runs of the output
//
// plus, at every event, the weights that stay on the tile: whole blocks, or the
// slices of gathered ones that are copied; and identity blocks for sums on the matrix unit.
const (
	gatherTotal = iota
	kernelTotal
	reduceTotal
	convertTotal
	residentTotal
	carriedTotal
	gatherInter
	kernelInter
	reduceInter
	convertInter
	residentInter
	carriedInter
	identityNeed // see identity.go
	numUses
)

var eventNames = []string{"gather", "kernel", "reduce", "convert"}

// limits lists the memory limits of a chain and, per stage, where the entries of
// Candidate.Use count. Offsets say how a limit follows from the memory limit V:
// V + offset. Amounts in override replace those of the same name.
func limits(c *space.Chain, v int64, override map[string]int64) (list []encode.Limit, offsets []int64, counts [][][]int) {
	var total, inter []int
	at := map[string]int{}
	add := func(name string, offset int64) int {
		amount := v + offset
		if o, ok := override[name]; ok {
			amount = min(amount, o)
		}
		at[name] = len(list)
		list = append(list, encode.Limit{Name: name, Amount: amount})
		offsets = append(offsets, offset)
		return len(list) - 1
	}
	for i := range c.Stages {
		for _, e := range eventNames {
			total = append(total, add("memory/total/"+c.Stages[i].Gemm.Name+"."+e, 0))
		}
		for _, e := range eventNames {
			inter = append(inter, add("memory/interleaved/"+c.Stages[i].Gemm.Name+"."+e, -model.StandardShare))
		}
	}
	for i := range c.Stages {
		n := make([][]int, numUses)
		for e := range 4 {
			n[gatherTotal+e] = []int{total[4*i+e]}
		}
		for e := range 4 {
			n[gatherInter+e] = []int{inter[4*i+e]}
		}
		n[residentTotal], n[residentInter] = total, inter
		if i+1 < len(c.Stages) {
			n[carriedTotal] = []int{total[4*(i+1)]}
			n[carriedInter] = []int{inter[4*(i+1)]}
		}
		counts = append(counts, n)
	}
	return list, offsets, counts
}

// stageUse is what the bytes of a stage's candidates depend on besides the candidate.
type stageUse struct {
	input bool // the first operand is gathered from a graph input
	// linear is the size of the largest row-major run of the result where a move to runs
	// is possible, else 0; of swapped candidates only for the output.
	linear, swappedLinear int
	turned                bool // swapped results are transposed
}

// uses gives the bytes of a candidate per event, class and kind, in u.
func (o stageUse) uses(s space.Shape, g space.Gemm, u []int64) {
	b := s.Bytes(g)
	clear(u)
	gathered, resident := 0, b.W
	if g.Gathered {
		gathered, resident = b.W, b.WSlice
	}
	if g.InPlace {
		// The slice stays where it lies in the block, so that no other block in place can
		// use the memory of this one.
		gathered, resident = 0, b.W
	}
	written := b.Partial
	if g.K == 1 {
		written = b.Result
	}
	summed := b.Result // besides the partial
	if s.SumsInPlace(g) {
		summed = 0
	}
	byCall := g.K == 1 || g.Matrix // a GEMM call writes the result
	u[gatherTotal] = int64(b.A + gathered)
	if o.input {
		u[gatherTotal] += int64(b.ASlice)
	}
	u[kernelTotal] = int64(b.A + gathered + written)
	u[reduceTotal] = int64(b.Partial + b.Remote + summed)
	u[residentTotal] = int64(resident)
	switch {
	case !g.Interleaved:
	case g.Swapped:
		u[gatherInter], u[kernelInter] = int64(b.A), int64(b.A)
	default:
		u[gatherInter], u[kernelInter] = int64(gathered), int64(gathered)
		if !g.Gathered || g.InPlace {
			u[residentInter] = int64(resident)
		}
	}
	u[kernelInter] += int64(written)
	u[reduceInter] = int64(written)
	if g.Matrix {
		u[reduceInter] += int64(summed)
	}
	u[identityNeed] = int64(b.Identity)
	switch {
	case g.Swapped && o.turned:
		u[convertTotal] = int64(b.Result + max(b.Held, o.swappedLinear))
		u[convertInter] = int64(b.Result)
		if byCall {
			u[convertInter] += int64(b.Held)
		}
		u[carriedTotal], u[carriedInter] = int64(b.Result), int64(b.Result)
		u[identityNeed] = max(u[identityNeed], kernels.IdentityBlock)
	default:
		if o.linear > 0 && !g.Swapped {
			u[convertTotal] = int64(b.Held + o.linear)
			u[carriedTotal] = int64(max(b.Held, o.linear))
		} else {
			u[carriedTotal] = int64(b.Held)
		}
		if byCall {
			u[carriedInter] = int64(b.Held)
		}
	}
}
