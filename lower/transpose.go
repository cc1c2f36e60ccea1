package lower

import (
	"fmt"

	"ipusolve/kernels"
	"ipusolve/model"
)

// transpose lowers StepTranspose: one call per shard, whose panels follow each other
// in both orders, so that the whole shard is one row of panels to the kernel.
func (b *builder) transpose(step int) error {
	s := &b.plan.Steps[step]
	in, out := b.values[s.In[0]], b.values[s.Out]
	if in.Layout.Order.Kind != model.TransposedLeft || out.Layout.Order.Kind != model.TransposedBlockMajor {
		return fmt.Errorf("%w: a transpose turns %v into %v, found %v and %v", ErrOrder, model.TransposedLeft, model.TransposedBlockMajor, in.Layout.Order.Kind, out.Layout.Order.Kind)
	}
	if len(in.shards) != len(out.shards) || s.Phase >= 0 {
		return fmt.Errorf("a transpose works where its panels lie, without a phase")
	}
	for i, x := range in.shards {
		y := out.shards[i]
		st := storageOf(out.PlanValue, y)
		switch {
		case x != y:
			return fmt.Errorf("shard %d of %s and %s differ", x.Index, in.Name, out.Name)
		case !x.Whole() || !in.filled[i]:
			return fmt.Errorf("shard %d of %s is incomplete", x.Index, in.Name)
		case x.Cols.Stored()%micro != 0 || st.rowBlock() != x.Cols.Stored():
			return fmt.Errorf("%w: shard %d of %s is not made of whole panels in one row block", ErrOrder, x.Index, in.Name)
		}
		b.allocateShard(out, i)
		out.filled[i] = true
		if x.Elements() == 0 {
			continue
		}
		identity := b.identity(x.Tile, out, 1)
		to := out.at[i].Item
		result, streamed := &b.prog.Items[to], &b.prog.Items[identity]
		result.Tail = max(result.Tail, kernels.ResultTail)
		streamed.Tail = max(streamed.Tail, kernels.LeftTail)
		b.apart(to, identity)
		spec := kernels.TransposeSpec(x.Elements()/(micro*micro), in.Layout.Class == model.Interleaved)
		b.call(x.Tile, step, spec, Addr(out.at[i].Ref), Addr(Ref{Item: identity}), Addr(in.at[i].Ref))
	}
	return nil
}
