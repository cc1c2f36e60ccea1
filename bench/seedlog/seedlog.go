package seedlog

import (
	"bytes"
	_ "embed" // of the plan

	"ipusolve/model"
)

//go:embed testdata/seed1.plan.json
var first []byte

// FirstPlan is the plan that the first seed log chose, for the SigLIP MLP on 1472
// tiles under profile seed (reference: planspace.md §10.4).
func FirstPlan() (*model.Plan, error) { return model.ReadPlan(bytes.NewReader(first)) }
