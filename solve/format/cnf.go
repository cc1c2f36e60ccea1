package format

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ipusolve/solve"
)

// ReadCNF reads clauses in DIMACS form: comments c, the line p cnf VARIABLES
// CLAUSES, then clauses closed by 0. Variables become x1, x2, …; a clause is the
// row that the number of its true literals is at least 1.
func ReadCNF(r io.Reader) (*Problem, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("format: CNF: %w", err)
	}
	c := cnfParser{m: &solve.Model{}, clauses: -1}
	if err := c.file(text); err != nil {
		return nil, fmt.Errorf("format: CNF: %w", err)
	}
	if err := c.m.Validate(); err != nil {
		return nil, fmt.Errorf("format: CNF: %w", err)
	}
	return &Problem{Model: c.m, Scale: 1}, nil
}

type cnfParser struct {
	m       *solve.Model
	clauses int // announced; −1 before the p line
	clause  []int
	terms   int
	ended   bool // by a % line, as old files are
}

func (c *cnfParser) file(text string) error {
	number := 1
	for ; len(text) > 0 && !c.ended; number++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		l := mpsLine{number: number, text: strings.TrimRight(line, " \t\r")}
		f := l.words()
		if len(f) == 0 || f[0].text[0] == 'c' {
			continue
		}
		if err := c.line(f); err != nil {
			return err
		}
	}
	end := place{number, 1}
	switch {
	case c.clauses < 0:
		return end.wrong("a line p cnf VARIABLES CLAUSES", "")
	case len(c.clause) > 0:
		return end.wrong("0 at the end of a clause", "")
	case len(c.m.Rows) != c.clauses:
		return end.wrong(fmt.Sprintf("%d clauses", c.clauses), strconv.Itoa(len(c.m.Rows)))
	}
	return nil
}

func (c *cnfParser) line(f []mpsField) error {
	switch {
	case f[0].text == "%":
		c.ended = true
		return nil
	case f[0].text == "p":
		return c.header(f)
	case c.clauses < 0:
		return f[0].at.wrong("a line p cnf VARIABLES CLAUSES", f[0].text)
	}
	for _, w := range f {
		x, err := strconv.Atoi(w.text)
		if err != nil || x > len(c.m.Vars) || x < -len(c.m.Vars) {
			return w.at.wrong(fmt.Sprintf("a literal of variables 1 to %d, or 0", len(c.m.Vars)), w.text)
		}
		if x != 0 {
			c.clause = append(c.clause, x)
			continue
		}
		if len(c.m.Rows) == c.clauses {
			return w.at.wrong(fmt.Sprintf("%d clauses", c.clauses), "one more")
		}
		if c.terms += len(c.clause) + 1; c.terms > maxTerms {
			return w.at.unsupported(fmt.Sprintf("more than %d literals", maxTerms))
		}
		c.close()
	}
	return nil
}

func (c *cnfParser) header(f []mpsField) error {
	if c.clauses >= 0 {
		return f[0].at.wrong("one line p", joined(f))
	}
	if len(f) != 4 || f[1].text != "cnf" {
		return f[0].at.wrong("p cnf VARIABLES CLAUSES", joined(f))
	}
	var n [2]int
	for k := range n {
		x, err := strconv.Atoi(f[2+k].text)
		if err != nil || x < 0 {
			return f[2+k].at.wrong("a number", f[2+k].text)
		}
		n[k] = x
	}
	if n[0] > maxVars {
		return f[2].at.unsupported(fmt.Sprintf("more than %d variables", maxVars))
	}
	c.clauses = n[1]
	c.m.Vars = make([]solve.Var, n[0])
	for j := range c.m.Vars {
		c.m.Vars[j] = solve.Var{Name: "x" + strconv.Itoa(j+1), Kind: solve.Binary, Upper: 1}
	}
	return nil
}

// close turns the clause into a row. Of a literal that appears twice one is
// kept; a clause with x and not-x holds always.
func (c *cnfParser) close() {
	r := solve.Row{Name: "c" + strconv.Itoa(len(c.m.Rows)+1), Sense: solve.GE, RHS: 1}
	sign := make(map[int]int64, len(c.clause))
	for _, x := range c.clause {
		v, s := x-1, int64(1)
		if x < 0 {
			v, s = -x-1, -1
		}
		switch sign[v] {
		case s:
			continue
		case -s:
			c.m.Rows = append(c.m.Rows, solve.Row{Name: r.Name, Sense: solve.GE})
			c.clause = c.clause[:0]
			return
		}
		sign[v] = s
		if s < 0 {
			r.RHS--
		}
		r.Terms = append(r.Terms, solve.Term{Var: v, Coef: s})
	}
	c.m.Rows = append(c.m.Rows, r)
	c.clause = c.clause[:0]
}

// WriteCNF writes a model of 0-1 variables without costs as clauses in DIMACS
// form. Rows must be clauses, or have at least or at most one true or false
// literal left to choose (at-most-one is written pairwise); for others, and for
// costs, the error wraps ErrUnsupported. Comments give the variables' names.
func WriteCNF(w io.Writer, m *solve.Model) error {
	clauses, err := Clauses(m)
	if err != nil {
		return fmt.Errorf("format: CNF: %w", err)
	}
	b := bufio.NewWriter(w)
	for j := range m.Vars {
		fmt.Fprintf(b, "c %d %s\n", j+1, clean(m.Vars[j].Name))
	}
	fmt.Fprintf(b, "p cnf %d %d\n", len(m.Vars), len(clauses))
	for _, c := range clauses {
		for _, x := range c {
			fmt.Fprintf(b, "%d ", x)
		}
		fmt.Fprintln(b, 0)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("format: CNF: %w", err)
	}
	return nil
}

// Clauses are the rows and fixed variables of a model as WriteCNF writes them:
// literals are variable indices plus 1, negative when negated.
func Clauses(m *solve.Model) ([][]int, error) {
	if err := zeroOne(m); err != nil {
		return nil, err
	}
	var out [][]int
	for j := range m.Vars {
		v := &m.Vars[j]
		if v.Cost != 0 {
			return nil, fmt.Errorf("%w: variable %s has a cost, clauses have none", ErrUnsupported, clip(v.Name))
		}
		if v.Lower == v.Upper {
			x := j + 1
			if v.Lower == 0 {
				x = -x
			}
			out = append(out, []int{x})
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		ok := true
		if r.Sense != solve.LE {
			out, ok = atLeast(out, r, 1)
		}
		if ok && r.Sense != solve.GE {
			out, ok = atLeast(out, r, -1)
		}
		if !ok {
			return nil, fmt.Errorf("%w: row %s is no clause and no at-most-one", ErrUnsupported, clip(r.Name))
		}
	}
	return out, nil
}

// atLeast adds the clauses of Σ sign·a·x ≥ sign·b, all |a| equal.
func atLeast(out [][]int, r *solve.Row, sign int64) ([][]int, bool) {
	var size int64
	var literals []int
	need := sign * r.RHS // of the sum; then of true literals
	for _, t := range r.Terms {
		c := sign * t.Coef
		if c == 0 {
			continue
		}
		x := t.Var + 1
		if c < 0 {
			need -= c // c·x = c − c·(not x)
			c, x = -c, -x
		}
		if size != 0 && c != size {
			return out, false
		}
		size = c
		literals = append(literals, x)
	}
	if need <= 0 {
		return out, true
	}
	if size > 0 {
		need = (need + size - 1) / size
	}
	switch n := int64(len(literals)); {
	case need > n:
		out = append(out, []int{})
	case need == n:
		for _, x := range literals {
			out = append(out, []int{x})
		}
	case need == 1:
		out = append(out, literals)
	case need == n-1:
		for k, x := range literals {
			for _, y := range literals[:k] {
				out = append(out, []int{y, x})
			}
		}
	default:
		return out, false
	}
	return out, true
}
