package presolve

// Raise carries a new cost of the original variable j, delta more than before, to
// the model. It returns the variable's index there, or −1 when the model has its
// value only, which goes into the constant. What the log justifies stays
// justified, because bounds only rise: the variable must not be negative.
func (r *Reduced) Raise(j int, delta int64) int {
	k := r.at[j]
	if k < 0 {
		r.Shift(delta * r.value[j])
		return k
	}
	r.Model.Vars[k].Cost += delta
	return k
}

// Shift adds to the model's constant.
func (r *Reduced) Shift(delta int64) { r.Model.Constant += delta }

// Value is the value of an original variable that the model lacks.
func (r *Reduced) Value(j int) int64 { return r.value[j] }
