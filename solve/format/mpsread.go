package format

import (
	"fmt"
	"io"
	"strings"

	"ipusolve/solve"
)

// ReadMPS reads a linear program in MPS format, free or fixed: sections NAME,
// OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS, ENDATA. A file whose every line
// keeps to the columns of fixed MPS, and whose NAME line does not say FREE, is
// read as fixed; names may then hold blanks. Where readers disagree:
//
//   - the right-hand side of the objective is the negated constant (as in CPLEX
//     and CBC; GLPK adds it);
//   - an integer between markers without any bound is 0-1; with any bound of its
//     own its upper bound is infinite unless given (as in CBC);
//   - a negative upper bound without a lower bound is an error.
//
// The first free row is the objective, others are ignored. Semi-continuous
// variables, special ordered sets and quadratic parts are not supported. Errors
// wrap ErrSyntax, ErrUnsupported or solve.ErrModel.
func ReadMPS(r io.Reader) (*Problem, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("format: MPS: %w", err)
	}
	p := &mpsParser{d: newDraft(), free: map[string]int{}, ranges: map[int]mpsRange{}}
	if err := p.file(mpsLines(text)); err != nil {
		return nil, fmt.Errorf("format: MPS: %w", err)
	}
	out, err := p.d.problem()
	if err != nil {
		return nil, fmt.Errorf("format: MPS: %w", err)
	}
	return out, nil
}

// mpsParser collects the sections.
type mpsParser struct {
	d        *draft
	fixed    bool
	section  string
	free     map[string]int // N rows by order; the first is the objective
	integral bool           // between markers
	ranges   map[int]mpsRange
}

type mpsRange struct {
	value decimal
	at    place
}

func (p *mpsParser) file(lines []mpsLine) error {
	p.fixed = mpsFixed(lines)
	for i := range lines {
		l := &lines[i]
		if p.section == "ENDATA" {
			return place{l.number, 1}.wrong("nothing after ENDATA", l.text)
		}
		if err := p.line(l); err != nil {
			return err
		}
	}
	if p.section != "ENDATA" {
		last := 1
		if len(lines) > 0 {
			last = lines[len(lines)-1].number + 1
		}
		return place{last, 1}.wrong("ENDATA", "")
	}
	return p.finish()
}

// mpsOrder says which section may follow which: one of a higher number.
var mpsOrder = map[string]int{"": 0, "NAME": 1, "OBJSENSE": 2, "ROWS": 3, "COLUMNS": 4, "RHS": 5, "RANGES": 6, "BOUNDS": 7, "ENDATA": 8}

func (p *mpsParser) line(l *mpsLine) error {
	if l.header {
		return p.header(l)
	}
	f := l.fields(p.fixed)
	switch p.section {
	case "OBJSENSE":
		return p.sense(f)
	case "ROWS":
		return p.row(f)
	case "COLUMNS":
		return p.column(f)
	case "RHS", "RANGES":
		return p.vector(l, f)
	case "BOUNDS":
		return p.bound(l, f)
	}
	return f[0].at.wrong("a section", f[0].text)
}

func (p *mpsParser) header(l *mpsLine) error {
	f := l.words()
	name := strings.ToUpper(f[0].text)
	order, known := mpsOrder[name]
	switch {
	case known && order > mpsOrder[p.section]:
	case known:
		return f[0].at.wrong("a section that may follow "+p.section, f[0].text)
	case strings.HasPrefix(name, "SOS") || strings.HasPrefix(name, "Q") || name == "INDICATORS" || name == "OBJNAME" || name == "SETS" || name == "GENCONS" || name == "CSECTION":
		return f[0].at.unsupported("section " + name)
	default:
		return f[0].at.wrong("a section", f[0].text)
	}
	p.section = name
	switch {
	case name == "NAME" && len(f) > 1 && !strings.EqualFold(f[1].text, "FREE"):
		p.d.name = f[1].text
	case name == "OBJSENSE" && len(f) > 1:
		return p.sense(f[1:])
	}
	return nil
}

func (p *mpsParser) sense(f []mpsField) error {
	switch strings.ToUpper(f[0].text) {
	case "MAX", "MAXIMIZE", "MAXIMISE":
		p.d.maximize = true
	case "MIN", "MINIMIZE", "MINIMISE":
		p.d.maximize = false
	default:
		return f[0].at.wrong("MAX or MIN", f[0].text)
	}
	return nil
}

func (p *mpsParser) row(f []mpsField) error {
	if len(f) != 2 {
		return f[0].at.wrong("a sense and a row name", joined(f))
	}
	name := f[1].text
	if _, twice := p.free[name]; twice {
		return f[1].at.wrong("a new row name", name)
	}
	r := draftRow{name: name, at: f[1].at}
	switch strings.ToUpper(f[0].text) {
	case "N":
		if _, twice := p.d.rowIndex[name]; twice {
			return f[1].at.wrong("a new row name", name)
		}
		p.free[name] = len(p.free)
		return nil
	case "L":
		r.sense = solve.LE
	case "G":
		r.sense = solve.GE
	case "E":
		r.sense = solve.EQ
	default:
		return f[0].at.wrong("N, L, G or E", f[0].text)
	}
	return p.d.row(r)
}

func (p *mpsParser) column(f []mpsField) error {
	if len(f) >= 3 && f[1].text == "'MARKER'" {
		switch word := f[len(f)-1]; word.text {
		case "'INTORG'":
			p.integral = true
		case "'INTEND'":
			p.integral = false
		case "'SOSORG'", "'SOSEND'":
			return word.at.unsupported("special ordered sets")
		default:
			return word.at.wrong("'INTORG' or 'INTEND'", word.text)
		}
		return nil
	}
	if len(f) != 3 && len(f) != 5 {
		return f[0].at.wrong("a column and one or two pairs of row and number", joined(f))
	}
	j, known := p.d.index[f[0].text]
	if !known {
		var err error
		if j, err = p.d.variable(f[0].text, f[0].at); err != nil {
			return err
		}
		p.d.vars[j].integral = p.integral
	} else if j != len(p.d.vars)-1 {
		return f[0].at.wrong("the entries of a column together", f[0].text)
	}
	for k := 1; k < len(f); k += 2 {
		x, err := f[k+1].number()
		if err != nil {
			return err
		}
		if x.infinite() {
			return f[k+1].at.wrong("a finite number", f[k+1].text)
		}
		if n, ok := p.free[f[k].text]; ok {
			if n == 0 {
				v := &p.d.vars[j]
				if v.cost, ok = v.cost.plus(x); !ok {
					return f[k+1].at.unsupported("costs of such different size")
				}
			}
			continue
		}
		i, ok := p.d.rowIndex[f[k].text]
		if !ok {
			return f[k].at.wrong("a row of ROWS", f[k].text)
		}
		r := &p.d.rows[i]
		if last := len(r.terms) - 1; last >= 0 && r.terms[last].v == j {
			return f[k].at.wrong("each row once per column", f[k].text)
		}
		if p.d.terms++; p.d.terms > maxTerms {
			return f[k].at.unsupported(fmt.Sprintf("more than %d terms", maxTerms))
		}
		r.terms = append(r.terms, draftTerm{j, x})
	}
	return nil
}

// vector reads an entry of RHS or RANGES, whose first field, the vector's name,
// may be missing.
func (p *mpsParser) vector(l *mpsLine, f []mpsField) error {
	if !p.fixed && len(f)%2 == 1 || p.fixed && !l.blank(4, 12) {
		f = f[1:]
	}
	if len(f) != 2 && len(f) != 4 {
		return place{l.number, 1}.wrong("one or two pairs of row and number", joined(f))
	}
	for k := 0; k < len(f); k += 2 {
		x, err := f[k+1].number()
		if err != nil {
			return err
		}
		i, ok := p.d.rowIndex[f[k].text]
		n, free := p.free[f[k].text]
		switch {
		case !ok && !free:
			return f[k].at.wrong("a row of ROWS", f[k].text)
		case free && n == 0 && p.section == "RHS" && !x.infinite():
			p.d.constant = x.neg()
		case free:
		case p.section == "RANGES":
			if _, twice := p.ranges[i]; twice {
				return f[k].at.wrong("one range per row", f[k].text)
			}
			p.ranges[i] = mpsRange{x, f[k+1].at}
		default:
			p.d.rows[i].rhs = x
		}
	}
	return nil
}

// bound reads TYPE [SET] COLUMN [NUMBER].
func (p *mpsParser) bound(l *mpsLine, f []mpsField) error {
	kind := strings.ToUpper(f[0].text)
	valued := false
	switch kind {
	case "UP", "LO", "FX", "UI", "LI":
		valued = true
	case "FR", "MI", "PL", "BV":
	case "SC":
		return f[0].at.unsupported("semi-continuous variables")
	default:
		return f[0].at.wrong("UP, LO, FX, FR, MI, PL, BV, UI or LI", f[0].text)
	}
	head := f[0]
	f = f[1:]
	var set bool
	switch {
	case p.fixed:
		set = !l.blank(4, 12)
	case valued:
		set = len(f) == 3
	default: // a value that is not needed may follow
		set = len(f) == 3
		if len(f) == 2 {
			_, set = p.d.index[f[1].text]
		}
	}
	if set && len(f) > 0 {
		f = f[1:]
	}
	if len(f) == 0 || valued && len(f) != 2 || len(f) > 2 {
		return head.at.wrong(kind+" [SET] COLUMN"+map[bool]string{true: " NUMBER", false: ""}[valued], joined(append([]mpsField{head}, f...)))
	}
	j, ok := p.d.index[f[0].text]
	if !ok {
		return f[0].at.wrong("a column of COLUMNS", f[0].text)
	}
	v, at := &p.d.vars[j], f[0].at
	var x decimal
	if valued {
		var err error
		if x, err = f[1].number(); err != nil {
			return err
		}
		at = f[1].at
	}
	upper := func(x decimal) { v.setBound(true, x, at) }
	lower := func(x decimal) { v.setBound(false, x, at) }
	infinity := decimal{1, infiniteDigits}
	switch kind {
	case "UP", "UI":
		upper(x)
	case "LO", "LI":
		lower(x)
	case "FX":
		lower(x)
		upper(x)
	case "FR":
		lower(infinity.neg())
		upper(infinity)
	case "MI":
		lower(infinity.neg())
	case "PL":
		upper(infinity)
	case "BV":
		lower(decimal{})
		upper(decimal{1, 0})
	}
	v.integral = v.integral || kind == "BV" || kind == "UI" || kind == "LI"
	return nil
}

// finish applies ranges and the default bounds of integers.
func (p *mpsParser) finish() error {
	for j := range p.d.vars {
		if v := &p.d.vars[j]; v.integral && !v.lowerGiven && !v.upperGiven {
			v.upper = &decimal{1, 0}
		}
	}
	rows := len(p.d.rows)
	for i := range rows {
		r := &p.d.rows[i]
		if r.rhs.infinite() {
			if r.sense == solve.EQ || (r.rhs.sign() > 0) != (r.sense == solve.LE) {
				return r.at.wrong("a finite right-hand side", r.name)
			}
			r.free, r.rhs = true, decimal{}
			continue
		}
		g, ok := p.ranges[i]
		if !ok || g.value.infinite() {
			continue
		}
		other := draftRow{name: r.name + "~range", at: g.at, terms: append([]draftTerm(nil), r.terms...)}
		size := g.value
		if size.sign() < 0 {
			size = size.neg()
		}
		switch {
		case r.sense == solve.LE:
			other.sense, size = solve.GE, size.neg()
		case r.sense == solve.GE:
			other.sense = solve.LE
		case g.value.sign() > 0:
			r.sense, other.sense = solve.GE, solve.LE
		case g.value.sign() < 0:
			r.sense, other.sense, size = solve.LE, solve.GE, size.neg()
		default:
			continue
		}
		if other.rhs, ok = r.rhs.plus(size); !ok {
			return g.at.unsupported("a range of so different size")
		}
		if err := p.d.row(other); err != nil {
			return err
		}
	}
	return nil
}
