package format

import (
	"fmt"
	"slices"

	"ipusolve/solve"
)

// draft is a problem while a reader collects it, numbers as written.
type draft struct {
	name     string
	maximize bool
	vars     []draftVar
	rows     []draftRow
	constant decimal
	index    map[string]int // of variables
	rowIndex map[string]int
	terms    int // in all rows
}

type draftVar struct {
	name         string
	integral     bool
	cost         decimal
	lower, upper *decimal // nil: infinite
	lowerGiven   bool     // by the file, not by the format's default
	upperGiven   bool
	at           place // of its bound, or of its name
}

type draftRow struct {
	name  string
	at    place
	terms []draftTerm
	sense solve.Sense
	rhs   decimal
	free  bool // says nothing
}

type draftTerm struct {
	v    int
	coef decimal
}

func newDraft() *draft { return &draft{index: map[string]int{}, rowIndex: map[string]int{}} }

// variable finds or adds a variable; its lower bound is 0 until the file says
// otherwise.
func (d *draft) variable(name string, at place) (int, error) {
	if j, ok := d.index[name]; ok {
		return j, nil
	}
	if len(d.vars) == maxVars {
		return 0, at.unsupported(fmt.Sprintf("more than %d variables", maxVars))
	}
	d.index[name] = len(d.vars)
	d.vars = append(d.vars, draftVar{name: name, lower: &decimal{}, at: at})
	return len(d.vars) - 1, nil
}

// row adds a row; an empty name is replaced.
func (d *draft) row(r draftRow) error {
	if r.name == "" {
		r.name = fmt.Sprintf("row%d", len(d.rows)+1)
		for s := 2; ; s++ {
			if _, taken := d.rowIndex[r.name]; !taken {
				break
			}
			r.name = fmt.Sprintf("row%d~%d", len(d.rows)+1, s)
		}
	}
	if _, twice := d.rowIndex[r.name]; twice {
		return r.at.wrong("a new row name", r.name)
	}
	if d.terms += len(r.terms); d.terms > maxTerms {
		return r.at.unsupported(fmt.Sprintf("more than %d terms", maxTerms))
	}
	d.rowIndex[r.name] = len(d.rows)
	d.rows = append(d.rows, r)
	return nil
}

// setBound sets one bound; infinite values take it away.
func (v *draftVar) setBound(upper bool, x decimal, at place) {
	bound := &x
	if x.infinite() && (x.sign() > 0) == upper {
		bound = nil
	}
	v.at = at
	if upper {
		v.upper, v.upperGiven = bound, true
	} else {
		v.lower, v.lowerGiven = bound, true
	}
}

// problem turns the draft into a model with integers and finite bounds.
//
// A fractional bound of a continuous variable becomes a row bound/NAME behind
// the next integers; so do bounds that cross. Rows and the objective are scaled.
func (d *draft) problem() (*Problem, error) {
	d.foldConstant()
	p := &Problem{Model: &solve.Model{Name: d.name, Vars: make([]solve.Var, len(d.vars))}, Maximize: d.maximize}
	for i := range d.rows {
		if err := p.addRow(&d.rows[i]); err != nil {
			return nil, err
		}
	}
	if err := d.objective(p); err != nil {
		return nil, err
	}
	var missing []Assumed
	for j := range d.vars {
		v := &d.vars[j]
		p.Model.Vars[j].Name = v.name
		p.Model.Vars[j].Kind = solve.Continuous
		if v.integral {
			p.Model.Vars[j].Kind = solve.Integer
		}
		if v.upper != nil && v.upper.sign() < 0 && !v.lowerGiven {
			return nil, v.at.wrong("a lower bound as well, for readers disagree what one is implied by a negative upper bound", v.name)
		}
		if err := d.bounds(p, j); err != nil {
			return nil, err
		}
		if v.lower == nil {
			missing = append(missing, Assumed{j, false})
		}
		if v.upper == nil {
			missing = append(missing, Assumed{j, true})
		}
	}
	p.close(missing)
	for j := range p.Model.Vars {
		if v := &p.Model.Vars[j]; v.Kind == solve.Integer && v.Lower >= 0 && v.Upper <= 1 {
			v.Kind = solve.Binary
		}
	}
	if err := p.Model.Validate(); err != nil {
		if len(p.Assumed) > 0 {
			err = fmt.Errorf("%w (with %d missing bounds taken as 2^31: give the variables bounds)", err, len(p.Assumed))
		}
		return nil, err
	}
	return p, nil
}

// foldConstant turns the last variable into the constant of the objective if it
// is the one that the writers add for it: called so, fixed at 1, in no row.
func (d *draft) foldConstant() {
	last := len(d.vars) - 1
	if last < 0 || d.vars[last].name != Constant {
		return
	}
	v, one := &d.vars[last], decimal{1, 0}
	if v.lower == nil || v.upper == nil || *v.lower != one || *v.upper != one {
		return
	}
	for i := range d.rows {
		for _, t := range d.rows[i].terms {
			if t.v == last && t.coef.m != 0 {
				return
			}
		}
	}
	if sum, ok := d.constant.plus(v.cost); ok {
		d.constant, d.vars = sum, d.vars[:last]
	}
}

func (d *draft) objective(p *Problem) error {
	list := make([]decimal, 0, len(d.vars)+1)
	for j := range d.vars {
		list = append(list, d.vars[j].cost)
	}
	numbers, scale, ok := scaled(append(list, d.constant))
	if !ok {
		return fmt.Errorf("%w: the objective exceeds 2^53 when scaled to integers", solve.ErrModel)
	}
	p.Scale = scale
	for j := range numbers {
		if d.maximize {
			numbers[j] = -numbers[j]
		}
		if j < len(d.vars) {
			p.Model.Vars[j].Cost = numbers[j]
		} else {
			p.Model.Constant = numbers[j]
		}
	}
	return nil
}

// addRow scales a row, adding up what names a variable twice.
func (p *Problem) addRow(r *draftRow) error {
	if r.free {
		return nil
	}
	slices.SortStableFunc(r.terms, func(a, b draftTerm) int { return a.v - b.v })
	terms := r.terms[:0]
	for _, t := range r.terms {
		if last := len(terms) - 1; last >= 0 && terms[last].v == t.v {
			sum, ok := terms[last].coef.plus(t.coef)
			if !ok {
				return fmt.Errorf("row %s: %w: a sum of coefficients exceeds 2^53", clip(r.name), solve.ErrModel)
			}
			terms[last].coef = sum
			continue
		}
		terms = append(terms, t)
	}
	terms = slices.DeleteFunc(terms, func(t draftTerm) bool { return t.coef.m == 0 })
	list := make([]decimal, 0, len(terms)+1)
	for _, t := range terms {
		list = append(list, t.coef)
	}
	numbers, _, ok := scaled(append(list, r.rhs))
	if !ok {
		return fmt.Errorf("line %d: row %s: %w: its numbers exceed 2^53 when scaled to integers", r.at.line, clip(r.name), solve.ErrModel)
	}
	row := solve.Row{Name: r.name, Sense: r.sense, RHS: numbers[len(terms)]}
	for k, t := range terms {
		row.Terms = append(row.Terms, solve.Term{Var: t.v, Coef: numbers[k]})
	}
	p.Model.Rows = append(p.Model.Rows, row)
	return nil
}

// bounds sets the finite bounds of variable j, with rows for what the variable
// alone cannot say.
func (d *draft) bounds(p *Problem, j int) error {
	v, out := &d.vars[j], &p.Model.Vars[j]
	limit := func(x *decimal, up bool) (int64, error) {
		n, ok := x.round(up)
		if !ok || n > solve.MaxMagnitude || n < -solve.MaxMagnitude {
			return 0, v.at.wrong("bounds of at most 2^53", v.name)
		}
		return n, nil
	}
	rows := 0
	add := func(sense solve.Sense, x *decimal) error {
		rows++
		name := "bound/" + v.name
		for s := 2; ; s++ {
			if _, taken := d.rowIndex[name]; !taken {
				break
			}
			name = fmt.Sprintf("bound/%s~%d", v.name, s)
		}
		d.rowIndex[name] = -1
		return p.addRow(&draftRow{name: name, at: v.at, terms: []draftTerm{{j, decimal{1, 0}}}, sense: sense, rhs: *x})
	}
	var err error
	// Integral variables round inwards, continuous ones outwards.
	if v.lower != nil {
		if out.Lower, err = limit(v.lower, v.integral); err != nil {
			return err
		}
		if !v.integral && !v.lower.integer() {
			if err := add(solve.GE, v.lower); err != nil {
				return err
			}
		}
	}
	if v.upper != nil {
		if out.Upper, err = limit(v.upper, !v.integral); err != nil {
			return err
		}
		if !v.integral && !v.upper.integer() {
			if err := add(solve.LE, v.upper); err != nil {
				return err
			}
		}
	}
	if v.lower != nil && v.upper != nil && out.Lower > out.Upper {
		if err := add(solve.LE, &decimal{out.Upper, 0}); err != nil {
			return err
		}
		out.Upper = out.Lower
	}
	return nil
}
