package trial

import (
	"testing"

	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/workload"
)

// TestZeroOutputFails: an output of zeros passes no test on any shape.
func TestZeroOutputFails(t *testing.T) {
	for _, s := range []Sizes{{1, 64, 128, 256, 1}, {1, 7, 48, 80, 1}, {1, 1, 48, 80, 1}, {1, 7, 48, 80, 3}, {1, 1, 1, 2, 1}, {1, 1, 1, 1, 1}, {1, 2, 2, 1, 9}, {2, 1, 3, 1, 27}} {
		g, err := workload.SiglipMLP(s.Batch, s.Tokens, s.Dim, s.Hidden, s.Blocks)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ChainOf(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range []func() (*Job, error){c.ExactTest, c.ScaledTest} {
			j, err := data()
			if err != nil {
				t.Fatal(err)
			}
			if r := j.Check(zeros(c.Rows, s.Dim)); r.Pass {
				t.Errorf("%+v: zeros pass the %s test", s, j.Name)
			}
		}
	}
}

func zeros(rows, cols int) eval.Tensor {
	return eval.Tensor{Shape: []int{rows, cols}, Data: make([]uint16, rows*cols)}
}

// TestChainOf: graphs that are no chain with weights of its own have no test data.
func TestChainOf(t *testing.T) {
	value := func(name, role string, shape ...int) model.GraphValue {
		return model.GraphValue{Name: name, Role: role, Shape: shape, Type: "f16"}
	}
	g := &model.Graph{Values: []model.GraphValue{value("x", model.RoleInput, 4, 16), value("w", model.RoleWeight, 16, 16), value("a", "", 4, 16), value("b", "", 4, 16)},
		Ops: []model.Op{{Name: "one", Kind: model.OpGemm, Inputs: []string{"x", "w"}, Output: "a"},
			{Name: "two", Kind: model.OpGemm, Inputs: []string{"a", "w"}, Output: "b"}}, Outputs: []string{"b"}}
	if _, err := ChainOf(g); err == nil {
		t.Error("a weight used twice is accepted")
	}
	g.Ops[1] = model.Op{Name: "two", Kind: model.OpGelu, Inputs: []string{"x"}, Output: "b"}
	if _, err := ChainOf(g); err == nil {
		t.Error("two branches are accepted")
	}
	g.Ops[1].Inputs[0] = "a"
	c, err := ChainOf(g)
	if err != nil || c.Input != "x" || c.Output != "b" || len(c.Weights) != 1 || len(c.Ops) != 2 {
		t.Errorf("%+v: %v", c, err)
	}
}
