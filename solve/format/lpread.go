package format

import (
	"fmt"
	"io"
	"strings"

	"ipusolve/solve"
)

// ReadLP reads a linear program in CPLEX LP format: objective, subject to,
// bounds, general, binary, end. A row may have a constant on its left, for a
// range; its right-hand side is a number. Quadratic terms, special ordered sets
// and semi-continuous variables are not supported. Errors wrap ErrSyntax,
// ErrUnsupported or solve.ErrModel.
func ReadLP(r io.Reader) (*Problem, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("format: LP: %w", err)
	}
	p := &lpParser{scan: lpScanner{text: text}, d: newDraft()}
	if err := p.file(); err != nil {
		return nil, fmt.Errorf("format: LP: %w", err)
	}
	out, err := p.d.problem()
	if err != nil {
		return nil, fmt.Errorf("format: LP: %w", err)
	}
	return out, nil
}

type lpParser struct {
	scan  lpScanner
	ahead []lpToken // scanned, not taken
	d     *draft
}

// look is the token k behind the next one.
func (p *lpParser) look(k int) lpToken {
	for len(p.ahead) <= k {
		p.ahead = append(p.ahead, p.scan.next())
	}
	return p.ahead[k]
}

func (p *lpParser) peek() lpToken { return p.look(0) }

// take returns the next token.
func (p *lpParser) take() lpToken {
	t := p.look(0)
	p.ahead = p.ahead[1:]
	return t
}

func (p *lpParser) file() error {
	head := p.take()
	if head.kind != lpSection || (head.text != "minimize" && head.text != "maximize") {
		return head.at.wrong("minimize or maximize", head.text)
	}
	p.d.maximize = head.text == "maximize"
	if err := p.objective(); err != nil {
		return err
	}
	if t := p.take(); t.kind != lpSection || t.text != "rows" {
		return t.at.wrong("+, - or subject to", t.text)
	}
	for p.peek().kind != lpSection {
		if p.peek().kind == lpEnd {
			return p.peek().at.wrong("a row, a section or end", "")
		}
		if err := p.row(); err != nil {
			return err
		}
	}
	for {
		t := p.take()
		if t.kind != lpSection {
			return t.at.wrong("a section or end", t.text)
		}
		var err error
		switch t.text {
		case "bounds":
			for err == nil && p.peek().kind != lpSection && p.peek().kind != lpEnd {
				err = p.bound()
			}
		case "general", "binary":
			err = p.integers(t.text == "binary")
		case "end":
			if t := p.peek(); t.kind != lpEnd {
				return t.at.wrong("nothing after end", t.text)
			}
			return nil
		case "minimize", "maximize", "rows":
			return t.at.wrong("bounds, general, binary or end", t.text)
		default:
			return t.at.unsupported(t.text)
		}
		if err != nil {
			return err
		}
	}
}

func (p *lpParser) label() string {
	if p.peek().kind == lpName && p.look(1).kind == lpColon {
		name := p.take().text
		p.take()
		return name
	}
	return ""
}

func (p *lpParser) objective() error {
	p.label()
	e, err := p.sum()
	if err != nil {
		return err
	}
	for _, t := range e.terms {
		v := &p.d.vars[t.v]
		sum, ok := v.cost.plus(t.coef)
		if !ok {
			return e.at.unsupported("costs of such different size")
		}
		v.cost = sum
	}
	p.d.constant = e.constant
	return nil
}

// lpSum is a sum of terms and numbers.
type lpSum struct {
	at       place
	terms    []draftTerm
	constant decimal
	infinite *decimal // instead of all that: the left side of a range
}

// sum reads terms as long as signs join them.
func (p *lpParser) sum() (lpSum, error) {
	e := lpSum{at: p.peek().at}
	for first := true; ; first = false {
		negative, signed := p.signs()
		t := p.peek()
		if !signed && (!first || (t.kind != lpNumber && t.kind != lpName)) {
			if t.kind == lpOther {
				return e, p.odd(t)
			}
			return e, nil
		}
		coef, number := decimal{1, 0}, false
		if t.kind == lpNumber {
			var err error
			if coef, err = parseDecimal(t.text); err != nil {
				return e, t.at.wrong("a number", t.text)
			}
			if coef.infinite() {
				return e, t.at.wrong("a finite number", t.text)
			}
			p.take()
			number = true
			t = p.peek()
		}
		if negative {
			coef = coef.neg()
		}
		if t.kind == lpName && (!number || p.look(1).kind != lpColon) {
			j, err := p.d.variable(t.text, t.at)
			if err != nil {
				return e, err
			}
			p.take()
			e.terms = append(e.terms, draftTerm{j, coef})
			continue
		}
		if !number {
			if t.kind == lpOther {
				return e, p.odd(t)
			}
			return e, t.at.wrong("a number or a variable", t.text)
		}
		sum, ok := e.constant.plus(coef)
		if !ok {
			return e, t.at.unsupported("constants of such different size")
		}
		e.constant = sum
	}
}

// odd is the error about a character that LP files have and this reader not.
func (p *lpParser) odd(t lpToken) error {
	switch t.text {
	case "[", "]", "^", "*":
		return t.at.unsupported("quadratic terms")
	case "->":
		return t.at.unsupported("indicator constraints")
	}
	return t.at.wrong("a number or a variable", t.text)
}

// signs reads any number of signs.
func (p *lpParser) signs() (negative, any bool) {
	for p.peek().kind == lpSign {
		any = true
		if p.take().text == "-" {
			negative = !negative
		}
	}
	return negative, any
}

// value reads a number with its sign; infinity is allowed.
func (p *lpParser) value() (decimal, error) {
	negative, _ := p.signs()
	t := p.take()
	x := decimal{1, infiniteDigits}
	switch word := strings.ToLower(t.text); {
	case t.kind == lpName && (word == "inf" || word == "infinity"):
	case t.kind == lpNumber:
		var err error
		if x, err = parseDecimal(t.text); err != nil {
			return x, t.at.wrong("a number", t.text)
		}
	default:
		return x, t.at.wrong("a number", t.text)
	}
	if negative {
		x = x.neg()
	}
	return x, nil
}

var lpSenses = map[string]solve.Sense{"<=": solve.LE, ">=": solve.GE, "=": solve.EQ}

// row reads [NAME:] [NUMBER <=] SUM <= NUMBER.
func (p *lpParser) row() error {
	at := p.peek().at
	name := p.label()
	left, err := p.left()
	if err != nil {
		return err
	}
	op := p.take()
	if op.kind == lpOther {
		return p.odd(op)
	}
	if op.kind != lpCompare {
		return op.at.wrong("+, -, <=, >= or =", op.text)
	}
	sense := lpSenses[op.text]
	if len(left.terms) > 0 {
		rhs, err := p.value()
		if err != nil {
			return err
		}
		return p.addRow(name, at, left, sense, rhs)
	}
	// NUMBER <= SUM, and perhaps <= NUMBER.
	right, err := p.sum()
	if err != nil {
		return err
	}
	mirrored := solve.GE - sense
	if left.infinite != nil {
		left.constant = *left.infinite
	}
	if p.peek().kind != lpCompare {
		return p.addRow(name, at, right, mirrored, left.constant)
	}
	op2 := p.take()
	if lpSenses[op2.text] != sense || sense == solve.EQ {
		return op2.at.wrong("two relations of the same direction", op.text+" "+op2.text)
	}
	rhs, err := p.value()
	if err != nil {
		return err
	}
	if err := p.addRow(name, at, right, sense, rhs); err != nil {
		return err
	}
	if name == "" {
		name = p.d.rows[len(p.d.rows)-1].name
	}
	return p.addRow(name+"~range", at, right, mirrored, left.constant)
}

// left reads what stands left of the first relation: a sum or infinity.
func (p *lpParser) left() (lpSum, error) {
	k := 0
	for p.look(k).kind == lpSign {
		k++
	}
	if t := p.look(k); t.kind == lpName && lpInfinity(t.text) && p.look(k+1).kind == lpCompare {
		x, err := p.value()
		return lpSum{infinite: &x}, err
	}
	return p.sum()
}

// addRow adds the row sum sense rhs; an infinite right-hand side says nothing.
func (p *lpParser) addRow(name string, at place, e lpSum, sense solve.Sense, rhs decimal) error {
	r := draftRow{name: name, at: at, terms: append([]draftTerm(nil), e.terms...), sense: sense}
	switch {
	case rhs.infinite() && (sense == solve.LE && rhs.sign() > 0 || sense == solve.GE && rhs.sign() < 0):
		r.free = true
	case rhs.infinite():
		return at.wrong("a finite right-hand side", "infinity")
	default:
		var ok bool
		if r.rhs, ok = rhs.plus(e.constant.neg()); !ok {
			return at.unsupported("constants of such different size")
		}
	}
	return p.d.row(r)
}

// bound reads NAME free, NAME <= NUMBER, or NUMBER <= NAME [<= NUMBER].
func (p *lpParser) bound() error {
	if t := p.peek(); t.kind == lpName && !lpInfinity(t.text) {
		v, err := p.known()
		if err != nil {
			return err
		}
		op := p.take()
		if op.kind == lpName && strings.EqualFold(op.text, "free") {
			v.lower, v.upper, v.lowerGiven, v.upperGiven = nil, nil, true, true
			return nil
		}
		if op.kind != lpCompare {
			return op.at.wrong("<=, >=, = or free", op.text)
		}
		at := p.peek().at
		x, err := p.value()
		if err != nil {
			return err
		}
		v.limit(lpSenses[op.text], x, at)
		return nil
	}
	at := p.peek().at
	x, err := p.value()
	if err != nil {
		return err
	}
	op := p.take()
	if op.kind != lpCompare {
		return op.at.wrong("<=, >= or =", op.text)
	}
	v, err := p.known()
	if err != nil {
		return err
	}
	v.limit(solve.GE-lpSenses[op.text], x, at)
	if p.peek().kind != lpCompare {
		return nil
	}
	op = p.take()
	at = p.peek().at
	if x, err = p.value(); err != nil {
		return err
	}
	v.limit(lpSenses[op.text], x, at)
	return nil
}

func lpInfinity(s string) bool {
	return strings.EqualFold(s, "inf") || strings.EqualFold(s, "infinity")
}

// limit applies a bound.
func (v *draftVar) limit(sense solve.Sense, x decimal, at place) {
	if sense != solve.GE {
		v.setBound(true, x, at)
	}
	if sense != solve.LE {
		v.setBound(false, x, at)
	}
}

// known reads the name of a variable that appeared before.
func (p *lpParser) known() (*draftVar, error) {
	t := p.take()
	j, ok := p.d.index[t.text]
	if t.kind != lpName || !ok {
		return nil, t.at.wrong("a variable of the objective or a row", t.text)
	}
	return &p.d.vars[j], nil
}

// integers reads the names of integral variables.
func (p *lpParser) integers(binary bool) error {
	for p.peek().kind != lpSection && p.peek().kind != lpEnd {
		at := p.peek().at
		v, err := p.known()
		if err != nil {
			return err
		}
		v.integral = true
		if !binary {
			continue
		}
		// Bounds that were given stay if they are tighter.
		if v.lower == nil || v.lower.sign() < 0 {
			v.setBound(false, decimal{}, at)
		}
		if one := (decimal{1, 0}); v.upper == nil || one.below(*v.upper) {
			v.setBound(true, one, at)
		}
	}
	return nil
}
