package ipusolve

import (
	"fmt"

	"ipusolve/solve"
	"ipusolve/solve/cert"
)

// Claim is one thing a file says, and what checking it gave.
type Claim struct {
	Name      string `json:"name"`    // by level, e.g. "exchange/2/horizon"
	Claimed   string `json:"claimed"` // as the file says it
	Derived   string `json:"derived"` // as recomputed from the rest of the file
	OK        bool   `json:"ok"`
	Unchecked bool   `json:"unchecked,omitempty"` // nothing in the file can show it
	Reason    string `json:"reason,omitempty"`    // why it failed or is not checked
}

// Failed tells that a claim was checked and does not hold.
func (c *Claim) Failed() bool { return !c.OK && !c.Unchecked }

// FirstFailure is the first claim that does not hold, as an error that wraps
// ErrVerify; nil if all hold.
func FirstFailure(list []Claim) error {
	if err := claims(list).failure(); err != nil {
		return fmt.Errorf("%w: %w", ErrVerify, err)
	}
	return nil
}

// claims collects claims.
type claims []Claim

// failure is the first claim that does not hold, nil if all do.
func (c claims) failure() error {
	for i := range c {
		if c[i].Failed() {
			return fmt.Errorf("%s: %s", c[i].Name, c[i].Reason)
		}
	}
	return nil
}

// equal claims that a figure is the one derived.
func (c *claims) equal(name string, claimed, derived any) {
	a, b := fmt.Sprint(claimed), fmt.Sprint(derived)
	x := Claim{Name: name, Claimed: a, Derived: b, OK: a == b}
	if !x.OK {
		x.Reason = fmt.Sprintf("the file says %s, checking gives %s", a, b)
	}
	*c = append(*c, x)
}

// holds claims that err is nil; derived says what checking found.
func (c *claims) holds(name, claimed, derived string, err error) {
	x := Claim{Name: name, Claimed: claimed, Derived: derived, OK: err == nil}
	if err != nil {
		x.Derived, x.Reason = "", err.Error()
	}
	*c = append(*c, x)
}

// derived claims that a figure is the one derived, if deriving it did not fail.
func (c *claims) derived(name string, claimed, derived any, err error) {
	if err != nil {
		c.holds(name, fmt.Sprint(claimed), "", err)
		return
	}
	c.equal(name, claimed, derived)
}

// unchecked lists what the file cannot show.
func (c *claims) unchecked(name, claimed, reason string) {
	*c = append(*c, Claim{Name: name, Claimed: claimed, Unchecked: true, Reason: reason})
}

// level claims status word and gap of a best value and its bound.
func (c *claims) level(name, status string, g float64, best, bound int64) {
	c.derived(name+"/status", status, statusWord(best, bound), errorIf(bound > best, "bound %d exceeds the best %d", bound, best))
	c.equal(name+"/gap", g, gap(best, bound))
}

func errorIf(bad bool, format string, args ...any) error {
	if bad {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// VerifyCertificate checks a certificate of solve/cert against its model.
func VerifyCertificate(m *solve.Model, proof *solve.Certificate) []Claim {
	var c claims
	v, err := cert.Check(m, proof)
	c.holds("certificate/proof", fmt.Sprintf("%v, bound %s", proof.Status, ratText(proof.Bound)),
		fmt.Sprintf("%v, bound %s", v.Status, ratText(v.Bound)), err)
	if err == nil && v.Objective != nil {
		c.holds("certificate/incumbent", "feasible", "objective "+v.Objective.RatString(), nil)
	}
	return c
}
