package cert

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"ipusolve/solve"
)

// ErrSyntax is wrapped by every error of Read about its text.
var ErrSyntax = errors.New("certificate syntax")

const header = "ipusolve-certificate 1"

// Write writes model and certificate in the text form of the package comment.
func Write(w io.Writer, m *solve.Model, c *solve.Certificate) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\nmodel %q\nconstant %d\n", header, m.Name, m.Constant)
	for j := range m.Vars {
		v := &m.Vars[j]
		fmt.Fprintf(b, "var %s %d %d %d %q\n", v.Kind, v.Lower, v.Upper, v.Cost, v.Name)
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		fmt.Fprintf(b, "row %s %d", r.Sense, r.RHS)
		for _, t := range r.Terms {
			fmt.Fprintf(b, " %d:%d", t.Var, t.Coef)
		}
		fmt.Fprintf(b, " %q\n", r.Name)
	}
	fmt.Fprintf(b, "status %s\n", c.Status)
	if c.Bound != nil {
		fmt.Fprintf(b, "bound %s\n", c.Bound.RatString())
	}
	if len(c.Values) > 0 || c.Status == solve.Optimal || c.Status == solve.Feasible {
		fmt.Fprint(b, "values")
		for _, x := range c.Values {
			fmt.Fprintf(b, " %d", x)
		}
		fmt.Fprintln(b)
	}
	for _, f := range c.Fractions {
		fmt.Fprintf(b, "fraction %d %s\n", f.Var, f.Value.RatString())
	}
	for k := range c.Duals {
		d := &c.Duals[k]
		fmt.Fprintf(b, "dual %d", d.Den)
		for e, i := range d.Rows {
			fmt.Fprintf(b, " %d:%d", i, d.Num[e])
		}
		fmt.Fprintln(b)
	}
	for k := range c.Nodes {
		writeNode(b, &c.Nodes[k])
	}
	fmt.Fprintln(b, "end")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("cert: %w", err)
	}
	return nil
}

func writeNode(b *bufio.Writer, n *solve.ProofNode) {
	for _, f := range n.Fix {
		if f.Clause != nil {
			fmt.Fprint(b, "clause")
			for _, l := range f.Clause.Literals {
				if l < 0 {
					fmt.Fprintf(b, " %d=0", -l-1)
				} else {
					fmt.Fprintf(b, " %d=1", l-1)
				}
			}
			fmt.Fprintln(b)
			continue
		}
		if f.Cut != nil {
			fmt.Fprintf(b, "cut %d %d", f.Dual, f.Cut.Most)
			for _, j := range f.Cut.Vars {
				fmt.Fprintf(b, " %d", j)
			}
			fmt.Fprintln(b)
			continue
		}
		word := "fix"
		if f.Farkas {
			word = "exclude"
		}
		fmt.Fprintf(b, "%s %d", word, f.Dual)
		for _, c := range f.Bounds {
			op := ">="
			if c.Upper {
				op = "<="
			}
			fmt.Fprintf(b, " %d%s%d", c.Var, op, c.Bound)
		}
		fmt.Fprintln(b)
	}
	if n.Branch == nil {
		fmt.Fprintf(b, "leaf %d", n.Dual)
		if n.Farkas {
			fmt.Fprint(b, " farkas")
		}
		fmt.Fprintln(b)
		return
	}
	if len(n.Branch.Zero) == 0 {
		fmt.Fprintf(b, "branch %d %d %d %d\n", n.Branch.Var, n.Branch.At, n.Branch.Down, n.Branch.Up)
		return
	}
	fmt.Fprintf(b, "choose %d %d %d", n.Branch.Row, n.Branch.Down, n.Branch.Up)
	for _, j := range n.Branch.Zero {
		fmt.Fprintf(b, " %d", j)
	}
	fmt.Fprintln(b)
}

// maxLine is the longest line Read takes, in bytes.
const maxLine = 64 << 20

// Read reads what Write wrote and validates the model. Errors wrap ErrSyntax
// (with the line number) or solve.ErrModel.
func Read(r io.Reader) (*solve.Model, *solve.Certificate, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	p := &parser{m: &solve.Model{}, c: &solve.Certificate{}}
	ended := false
	for line := 1; sc.Scan(); line++ {
		text := sc.Text()
		if ended || (line == 1 && text != header) {
			return nil, nil, fmt.Errorf("cert: line %d: %w: expected %s", line, ErrSyntax, map[bool]string{true: "nothing after end", false: header}[ended])
		}
		if line == 1 {
			continue
		}
		if ended = text == "end"; ended {
			continue
		}
		if err := p.line(text); err != nil {
			return nil, nil, fmt.Errorf("cert: line %d: %w: %w", line, ErrSyntax, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, nil, fmt.Errorf("cert: %w", err)
	}
	if !ended || p.fix != nil {
		return nil, nil, fmt.Errorf("cert: %w: ends early", ErrSyntax)
	}
	if err := p.m.Validate(); err != nil {
		return nil, nil, fmt.Errorf("cert: %w", err)
	}
	return p.m, p.c, nil
}

// parser collects the items of a text, one line after the other.
type parser struct {
	m   *solve.Model
	c   *solve.Certificate
	fix []solve.Tightening // waiting for their node
}

func (p *parser) line(text string) error {
	fields, name := text, ""
	if q := strings.IndexByte(text, '"'); q >= 0 {
		var err error
		if name, err = strconv.Unquote(text[q:]); err != nil {
			return fmt.Errorf("bad name %s", text[q:])
		}
		fields = text[:q]
	}
	f := strings.Fields(fields)
	if len(f) == 0 {
		return errors.New("empty line")
	}
	word, f := f[0], f[1:]
	switch word {
	case "model":
		p.m.Name = name
		return nil
	case "constant":
		return numbers(f, &p.m.Constant)
	case "var":
		return p.variable(f, name)
	case "row":
		return p.row(f, name)
	case "status":
		if len(f) != 1 {
			return errors.New("one status expected")
		}
		return p.c.Status.UnmarshalText([]byte(f[0]))
	case "bound":
		x, err := rational(f)
		p.c.Bound = x
		return err
	case "values":
		p.c.Values = make([]int64, len(f))
		return each(f, p.c.Values)
	case "fraction":
		return p.fraction(f)
	case "dual":
		return p.dual(f)
	case "fix", "exclude":
		return p.tightening(f, word == "exclude")
	case "cut":
		return p.cut(f)
	case "clause":
		return p.clause(f)
	case "leaf", "branch", "choose":
		return p.node(word, f)
	}
	return fmt.Errorf("unknown word %q", word)
}

func (p *parser) variable(f []string, name string) error {
	v := solve.Var{Name: name}
	if len(f) != 4 {
		return errors.New("var: kind, lower, upper, cost and name expected")
	}
	if err := v.Kind.UnmarshalText([]byte(f[0])); err != nil {
		return err
	}
	err := numbers(f[1:], &v.Lower, &v.Upper, &v.Cost)
	p.m.Vars = append(p.m.Vars, v)
	return err
}

func (p *parser) row(f []string, name string) error {
	r := solve.Row{Name: name}
	if len(f) < 2 {
		return errors.New("row: sense, right-hand side, terms and name expected")
	}
	if err := r.Sense.UnmarshalText([]byte(f[0])); err != nil {
		return err
	}
	if err := numbers(f[1:2], &r.RHS); err != nil {
		return err
	}
	for _, t := range f[2:] {
		j, a, err := pair(t, ":")
		if err != nil {
			return err
		}
		r.Terms = append(r.Terms, solve.Term{Var: int(j), Coef: a})
	}
	p.m.Rows = append(p.m.Rows, r)
	return nil
}

func (p *parser) fraction(f []string) error {
	var j int64
	if len(f) != 2 {
		return errors.New("fraction: variable and value expected")
	}
	if err := numbers(f[:1], &j); err != nil {
		return err
	}
	x, err := rational(f[1:])
	p.c.Fractions = append(p.c.Fractions, solve.Fraction{Var: int(j), Value: x})
	return err
}

func (p *parser) dual(f []string) error {
	var d solve.Dual
	if len(f) == 0 {
		return errors.New("dual: denominator expected")
	}
	if err := numbers(f[:1], &d.Den); err != nil {
		return err
	}
	for _, t := range f[1:] {
		i, y, err := pair(t, ":")
		if err != nil {
			return err
		}
		d.Rows, d.Num = append(d.Rows, int(i)), append(d.Num, y)
	}
	p.c.Duals = append(p.c.Duals, d)
	return nil
}

func (p *parser) tightening(f []string, farkas bool) error {
	if len(f) < 2 {
		return errors.New("dual and bounds expected")
	}
	var dual int64
	if err := numbers(f[:1], &dual); err != nil {
		return err
	}
	t := solve.Tightening{Dual: int(dual), Farkas: farkas}
	for _, w := range f[1:] {
		upper := strings.Contains(w, "<=")
		j, x, err := pair(w, map[bool]string{true: "<=", false: ">="}[upper])
		if err != nil {
			return err
		}
		t.Bounds = append(t.Bounds, solve.BoundChange{Var: int(j), Upper: upper, Bound: x})
	}
	p.fix = append(p.fix, t)
	return nil
}

func (p *parser) cut(f []string) error {
	ints := make([]int64, len(f))
	if err := each(f, ints); err != nil {
		return err
	}
	if len(f) < 3 {
		return errors.New("dual, number and variables expected")
	}
	c := &solve.Cut{Most: ints[1]}
	for _, j := range ints[2:] {
		c.Vars = append(c.Vars, int(j))
	}
	p.fix = append(p.fix, solve.Tightening{Dual: int(ints[0]), Farkas: true, Cut: c})
	return nil
}

func (p *parser) clause(f []string) error {
	c := &solve.Clause{Literals: make([]int, 0, len(f))}
	for _, t := range f {
		j, value, err := pair(t, "=")
		if err != nil {
			return err
		}
		if j < 0 || j >= int64(len(p.m.Vars)) || value < 0 || value > 1 {
			return fmt.Errorf("bad literal %q", t)
		}
		l := int(j) + 1
		if value == 0 {
			l = -l
		}
		c.Literals = append(c.Literals, l)
	}
	p.fix = append(p.fix, solve.Tightening{Dual: -1, Clause: c})
	return nil
}

func (p *parser) node(word string, f []string) error {
	n := solve.ProofNode{Dual: -1, Fix: p.fix}
	p.fix = nil
	ints := make([]int64, len(f))
	switch word {
	case "leaf":
		if len(f) == 2 && f[1] == "farkas" {
			n.Farkas, f = true, f[:1]
		}
		if len(f) != 1 {
			return errors.New("leaf: dual expected")
		}
		if err := each(f, ints); err != nil {
			return err
		}
		n.Dual = int(ints[0])
	case "branch":
		if len(f) != 4 {
			return errors.New("branch: variable, value and two children expected")
		}
		if err := each(f, ints); err != nil {
			return err
		}
		n.Branch = &solve.Branch{Var: int(ints[0]), At: ints[1], Down: int(ints[2]), Up: int(ints[3])}
	case "choose":
		if len(f) < 4 {
			return errors.New("choose: row, two children and variables expected")
		}
		if err := each(f, ints); err != nil {
			return err
		}
		n.Branch = &solve.Branch{Row: int(ints[0]), Down: int(ints[1]), Up: int(ints[2])}
		for _, j := range ints[3:] {
			n.Branch.Zero = append(n.Branch.Zero, int(j))
		}
	}
	p.c.Nodes = append(p.c.Nodes, n)
	return nil
}

// numbers parses as many integers as there are targets.
func numbers(f []string, to ...*int64) error {
	if len(f) != len(to) {
		return fmt.Errorf("%d numbers, %d expected", len(f), len(to))
	}
	for k := range f {
		x, err := strconv.ParseInt(f[k], 10, 64)
		if err != nil {
			return fmt.Errorf("bad number %q", f[k])
		}
		*to[k] = x
	}
	return nil
}

// each parses f into the front of to.
func each(f []string, to []int64) error {
	for k := range f {
		if err := numbers(f[k:k+1], &to[k]); err != nil {
			return err
		}
	}
	return nil
}

func pair(t, sep string) (a, b int64, err error) {
	l, r, ok := strings.Cut(t, sep)
	if !ok {
		return 0, 0, fmt.Errorf("bad entry %q", t)
	}
	return a, b, numbers([]string{l, r}, &a, &b)
}

// maxRational limits the digits of a rational: SetString takes exponents that
// would fill the memory, so only p/q and integers are read.
const maxRational = 4096

func rational(f []string) (*big.Rat, error) {
	if len(f) != 1 || len(f[0]) > maxRational || strings.Trim(f[0], "-/0123456789") != "" {
		return nil, errors.New("one rational expected")
	}
	x, ok := new(big.Rat).SetString(f[0])
	if !ok {
		return nil, fmt.Errorf("bad rational %q", f[0])
	}
	return x, nil
}
