package trial

import (
	"context"
	"fmt"

	"ipusolve/device/ipuexe"
	"ipusolve/device/sim"
	"ipusolve/model"
	"ipusolve/model/eval"
)

// Rig is a package on the simulated device.
type Rig struct {
	Plan    *model.Plan
	Machine *sim.Machine
}

// New puts a package of a plan on the device.
func New(app *ipuexe.Application, plan *model.Plan, opt sim.Options) (*Rig, error) {
	m, err := sim.New(app, opt)
	if err != nil {
		return nil, err
	}
	return &Rig{plan, m}, nil
}

// Load hands the tensors of a role to the machine. An error that wraps
// model.ErrUsage names a value for which there is no data.
func (r *Rig) Load(role string, data Tensors) error {
	for i := range r.Plan.Values {
		v := &r.Plan.Values[i]
		if v.Role != role {
			continue
		}
		t, ok := data[v.Graph]
		if !ok {
			return fmt.Errorf("no data for %s %s: %w", role, v.Graph, model.ErrUsage)
		}
		bytes, err := model.Pack(v, t)
		if err != nil {
			return err
		}
		if err := r.Machine.Load(v.Graph, bytes); err != nil {
			return err
		}
	}
	return nil
}

// Outputs reads all outputs. Copies of an element that differ are an error that
// wraps model.ErrCopies.
func (r *Rig) Outputs() (Tensors, error) {
	out := Tensors{}
	for i := range r.Plan.Values {
		v := &r.Plan.Values[i]
		if v.Role != model.RoleOutput {
			continue
		}
		bytes, err := r.Machine.Output(v.Graph)
		if err != nil {
			return nil, err
		}
		if out[v.Graph], err = model.Unpack(v, bytes); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Judge is a job's verdict on outputs.
func (r *Rig) Judge(j *Job, outputs Tensors) eval.Report {
	g := &r.Plan.Problem.Graph
	v, _ := g.Value(g.Outputs[0])
	return j.Check(eval.Tensor{Shape: []int{v.Rows(), v.Cols()}, Data: outputs[v.Name]})
}

// Run runs a job with a check once: cycles and verdict.
func (r *Rig) Run(ctx context.Context, j *Job) (*sim.Result, eval.Report, error) {
	for _, role := range []string{model.RoleWeight, model.RoleInput} {
		if err := r.Load(role, j.Data); err != nil {
			return nil, eval.Report{}, err
		}
	}
	result, err := r.Machine.Run(ctx)
	if err != nil {
		return nil, eval.Report{}, err
	}
	outputs, err := r.Outputs()
	if err != nil {
		return nil, eval.Report{}, err
	}
	return result, r.Judge(j, outputs), nil
}
