package format

import (
	"fmt"
	"io"

	"ipusolve/solve"
)

// ReadOPB reads a pseudo-Boolean problem: an optional objective min: or max:,
// and rows of integers times literals, each closed by a semicolon. Comments begin
// with *. Products of literals and soft constraints are not supported. Rows are
// called c1, c2, ….
func ReadOPB(r io.Reader) (*Problem, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("format: OPB: %w", err)
	}
	p := &opbParser{text: text, d: newDraft()}
	p.take()
	if err := p.file(); err != nil {
		return nil, fmt.Errorf("format: OPB: %w", err)
	}
	out, err := p.d.problem()
	if err != nil {
		return nil, fmt.Errorf("format: OPB: %w", err)
	}
	return out, nil
}

// opbToken is a word; an empty text is the end of the file.
type opbToken struct {
	text string
	at   place
}

func (t opbToken) number() bool {
	s := t.text
	if len(s) > 1 && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digit(s[0])
}

func (t opbToken) literal() bool {
	s := t.text
	if len(s) > 1 && s[0] == '~' {
		s = s[1:]
	}
	return s != "" && (letter(s[0]) || s[0] == '_')
}

// opbParser splits a file at blanks and semicolons, and knows the next token.
type opbParser struct {
	text   string
	i      int  // next byte
	line   int  // lines before
	start  int  // first byte of the line
	inside bool // the line has had a token
	next   opbToken
	d      *draft
}

func (p *opbParser) peek() opbToken { return p.next }

// take returns the next token and scans the one behind, skipping comments.
func (p *opbParser) take() opbToken {
	t := p.next
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
	for ; p.i < len(p.text); p.i++ {
		c := p.text[p.i]
		if c == '*' && !p.inside {
			for p.i < len(p.text) && p.text[p.i] != '\n' {
				p.i++
			}
			if p.i == len(p.text) {
				break
			}
			c = '\n'
		}
		if c == '\n' {
			p.line, p.start, p.inside = p.line+1, p.i+1, false
		}
		if !blank(c) {
			break
		}
	}
	at := place{p.line + 1, p.i - p.start + 1}
	begin := p.i
	for p.i < len(p.text) && !blank(p.text[p.i]) && (p.text[p.i] != ';' || p.i == begin) {
		p.i++
		if p.text[begin] == ';' {
			break
		}
	}
	p.inside = p.inside || p.i > begin
	p.next = opbToken{p.text[begin:p.i], at}
	return t
}

func (p *opbParser) file() error {
	switch p.peek().text {
	case "min:", "max:":
		p.d.maximize = p.take().text == "max:"
		terms, constant, err := p.sum()
		if err != nil {
			return err
		}
		for _, t := range terms {
			v := &p.d.vars[t.v]
			sum, ok := v.cost.plus(t.coef)
			if !ok {
				return p.peek().at.unsupported("costs of such size")
			}
			v.cost = sum
		}
		p.d.constant = constant
		if end := p.take(); end.text != ";" {
			return end.at.wrong("a number or ;", end.text)
		}
	case "soft:":
		return p.peek().at.unsupported("soft constraints")
	}
	for p.peek().text != "" {
		if err := p.row(); err != nil {
			return err
		}
	}
	return nil
}

// sum reads pairs of number and literal; not-x counts as 1 − x.
func (p *opbParser) sum() ([]draftTerm, decimal, error) {
	var terms []draftTerm
	var constant decimal
	for p.peek().number() {
		number := p.take()
		c, err := number.integer()
		if err != nil {
			return nil, constant, err
		}
		lit := p.take()
		if !lit.literal() {
			return nil, constant, lit.at.wrong("a literal", lit.text)
		}
		name := lit.text
		if name[0] == '~' {
			name = name[1:]
			var ok bool
			if constant, ok = constant.plus(c); !ok {
				return nil, constant, number.at.unsupported("numbers of such size")
			}
			c = c.neg()
		}
		j, err := p.d.variable(name, lit.at)
		if err != nil {
			return nil, constant, err
		}
		v := &p.d.vars[j]
		v.integral, v.upper = true, &decimal{1, 0}
		terms = append(terms, draftTerm{j, c})
		if next := p.peek(); next.literal() {
			return nil, constant, next.at.unsupported("products of literals")
		}
	}
	return terms, constant, nil
}

func (t opbToken) integer() (decimal, error) {
	x, err := parseDecimal(t.text)
	if err != nil || !x.integer() || x.infinite() {
		return x, t.at.wrong("an integer of at most 2^53", t.text)
	}
	return x, nil
}

func (p *opbParser) row() error {
	r := draftRow{name: fmt.Sprintf("c%d", len(p.d.rows)+1), at: p.peek().at}
	if t := p.peek(); len(t.text) > 0 && t.text[0] == '[' {
		return t.at.unsupported("soft constraints")
	}
	terms, constant, err := p.sum()
	if err != nil {
		return err
	}
	r.terms = terms
	switch op := p.take(); op.text {
	case ">=":
		r.sense = solve.GE
	case "=":
		r.sense = solve.EQ
	case "<=":
		r.sense = solve.LE
	default:
		return op.at.wrong("a number, >=, = or <=", op.text)
	}
	number := p.take()
	if !number.number() {
		return number.at.wrong("an integer", number.text)
	}
	rhs, err := number.integer()
	if err != nil {
		return err
	}
	var ok bool
	if r.rhs, ok = rhs.plus(constant.neg()); !ok {
		return number.at.unsupported("numbers of such size")
	}
	if end := p.take(); end.text != ";" {
		return end.at.wrong(";", end.text)
	}
	return p.d.row(r)
}
