package workload

import (
	"fmt"

	"ipusolve/model"
)

// valuesPerBlock counts w1, h, g, w2 and the block's result.
const valuesPerBlock = 5

// SiglipMLP is the MLP of the SigLIP vision tower without residual and bias:
// x[batch,tokens,dim]·w1[1,dim,hidden] → GELU → ·w2[1,hidden,dim], blocks times in
// a plain chain. Values are x, block0.w1, block0.h, block0.g, block0.w2, block0.y,
// block1.w1, …, y. Errors name the extent that is not positive, or what
// model.Graph.Validate objects to.
func SiglipMLP(batch, tokens, dim, hidden, blocks int) (*model.Graph, error) {
	for _, e := range []struct {
		name       string
		value, max int
	}{
		{"batch", batch, model.MaxExtent}, {"tokens", tokens, model.MaxExtent}, {"dim", dim, model.MaxExtent},
		{"hidden", hidden, model.MaxExtent}, {"blocks", blocks, (model.MaxValues - 1) / valuesPerBlock},
	} {
		if e.value < 1 || e.value > e.max {
			return nil, &model.PathError{Path: "siglip-mlp." + e.name, Reason: fmt.Sprintf("want 1 to %d, found %d", e.max, e.value), Err: model.ErrUsage}
		}
	}
	g := &model.Graph{Schema: model.GraphSchema, Name: "siglip-mlp", Outputs: []string{"y"}}
	value := func(name, role string, shape ...int) string {
		g.Values = append(g.Values, model.GraphValue{Name: name, Shape: shape, Type: "f16", Role: role})
		return name
	}
	op := func(name, kind, output string, inputs ...string) {
		g.Ops = append(g.Ops, model.Op{Name: name, Kind: kind, Inputs: inputs, Output: output})
	}
	at := value("x", model.RoleInput, batch, tokens, dim)
	for b := range blocks {
		prefix, result := fmt.Sprintf("block%d.", b), "y"
		if b < blocks-1 {
			result = prefix + "y"
		}
		w1 := value(prefix+"w1", model.RoleWeight, 1, dim, hidden)
		h := value(prefix+"h", "", batch, tokens, hidden)
		g1 := value(prefix+"g", "", batch, tokens, hidden)
		w2 := value(prefix+"w2", model.RoleWeight, 1, hidden, dim)
		y := value(result, "", batch, tokens, dim)
		op(prefix+"gemm1", model.OpGemm, h, at, w1)
		op(prefix+"gelu", model.OpGelu, g1, h)
		op(prefix+"gemm2", model.OpGemm, y, g1, w2)
		at = y
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("workload: siglip-mlp: %w", err)
	}
	return g, nil
}
