package format

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ipusolve/solve"
)

// random draws a model of binaries, integers, continuous variables, or of
// binaries alone.
func random(r *rand.Rand, binary bool) *solve.Model {
	b := solve.NewBuilder("random")
	n := 1 + r.IntN(6)
	for j := range n {
		name, cost := fmt.Sprintf("x%d", j+1), int64(r.IntN(21))-10
		lo := int64(r.IntN(7)) - 3
		switch k := r.IntN(3); {
		case binary || k == 0:
			b.Binary(name, cost)
		case k == 1:
			b.Integer(name, lo, lo+2+int64(r.IntN(3)), cost)
		default:
			b.Continuous(name, lo, lo+int64(r.IntN(5)), cost)
		}
	}
	for i := range r.IntN(6) {
		var terms []solve.Term
		for j := range n {
			if c := int64(r.IntN(9)) - 4; c != 0 {
				terms = append(terms, solve.Term{Var: j, Coef: c})
			}
		}
		b.Row(fmt.Sprintf("c%d", i+1), solve.Sense(r.IntN(3)), int64(r.IntN(9))-4, terms...)
	}
	b.Constant(int64(r.IntN(3)) * 7)
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

// What the writers write the readers read: the same model, unless the format
// itself says it in another way.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		m := random(r, false)
		for j := range m.Vars { // readers cannot tell binaries from integers in [0, 1]
			if v := &m.Vars[j]; v.Kind == solve.Integer && v.Lower >= 0 && v.Upper <= 1 {
				v.Kind = solve.Binary
			}
		}
		for _, f := range []struct {
			write func(io.Writer, *solve.Model) error
			read  func(io.Reader) (*Problem, error)
		}{{WriteLP, ReadLP}, {WriteMPS, ReadMPS}} {
			var text strings.Builder
			if err := f.write(&text, m); err != nil {
				t.Fatal(err)
			}
			p, err := f.read(strings.NewReader(text.String()))
			if err != nil {
				t.Fatalf("%v\n%s", err, text.String())
			}
			want := &Problem{Model: m, Scale: 1}
			want.Model.Name = p.Model.Name // LP has none
			if len(m.Rows) == 0 {
				p.Model.Rows = nil // LP writes one that says nothing
			}
			if d := cmp.Diff(want, p, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%s\n%s", d, text.String())
			}
		}
	}
}

func TestRoundTripOPB(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		m := random(r, true)
		var text strings.Builder
		if err := WriteOPB(&text, m); err != nil {
			t.Fatal(err)
		}
		p, err := ReadOPB(strings.NewReader(text.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		// Variables without an entry are lost, and their order: compare all points.
		at := map[string]int{}
		for j := range p.Model.Vars {
			at[p.Model.Vars[j].Name] = j
		}
		extra := fmt.Sprintf("x%d", len(m.Vars)+1)
		for point := range 1 << len(m.Vars) {
			a, b := solve.Assignment{Values: make([]int64, len(m.Vars))}, solve.Assignment{Values: make([]int64, len(p.Model.Vars))}
			for j := range m.Vars {
				a.Values[j] = int64(point >> j & 1)
				if k, ok := at[m.Vars[j].Name]; ok {
					b.Values[k] = a.Values[j]
				}
			}
			if k, ok := at[extra]; ok {
				b.Values[k] = 1
			}
			if (m.Check(&a) == nil) != (p.Model.Check(&b) == nil) {
				t.Fatalf("point %b\n%s", point, text.String())
			}
			x, errX := m.Evaluate(&a)
			y, errY := p.Model.Evaluate(&b)
			if errX != nil || errY != nil || x.Cmp(y) != 0 {
				t.Fatalf("%v %v at %b\n%s", x, y, point, text.String())
			}
		}
	}
}

// clausal draws clauses, at-most-one, exactly-one and at-least-all-but-one rows.
func clausal(r *rand.Rand) *solve.Model {
	b := solve.NewBuilder("clausal")
	n := 1 + r.IntN(6)
	for j := range n {
		if r.IntN(8) == 0 {
			x := int64(r.IntN(2))
			b.Add(solve.Var{Name: fmt.Sprintf("x%d", j+1), Lower: x, Upper: x})
		} else {
			b.Binary(fmt.Sprintf("x%d", j+1), 0)
		}
	}
	for i := range r.IntN(7) {
		var terms []solve.Term
		var negative int64
		size := 1 + int64(r.IntN(3))
		for j := range n {
			switch r.IntN(4) {
			case 0:
				terms = append(terms, solve.Term{Var: j, Coef: size})
			case 1:
				terms = append(terms, solve.Term{Var: j, Coef: -size})
				negative++
			}
		}
		k := int64(len(terms))
		need, sense := int64(1), solve.GE
		switch r.IntN(5) {
		case 0:
			sense = solve.LE
		case 1:
			if k > 1 {
				sense = solve.EQ
			}
		case 2:
			need = k - 1
		case 3:
			need = k + int64(r.IntN(2))
		}
		b.Row(fmt.Sprintf("r%d", i), sense, (need-negative)*size, terms...)
	}
	m, err := b.Build()
	if err != nil {
		panic(err)
	}
	return m
}

func TestRoundTripCNF(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for range 500 {
		m := clausal(r)
		var text strings.Builder
		if err := WriteCNF(&text, m); err != nil {
			t.Fatalf("%v %+v", err, m)
		}
		p, err := ReadCNF(strings.NewReader(text.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		for point := range 1 << len(m.Vars) {
			a := solve.Assignment{Values: make([]int64, len(m.Vars))}
			for j := range m.Vars {
				a.Values[j] = int64(point >> j & 1)
			}
			if (m.Check(&a) == nil) != (p.Model.Check(&a) == nil) {
				t.Fatalf("point %b: %v, %v\n%+v\n%s", point, m.Check(&a), p.Model.Check(&a), m, text.String())
			}
		}
	}
}

func TestWriteUnsupported(t *testing.T) {
	m := awkward(t)
	if err := WriteOPB(io.Discard, m); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "variable y is integer in [-3, 5], not 0-1") {
		t.Error(err)
	}
	if err := WriteCNF(io.Discard, m); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	two := &solve.Model{Vars: []solve.Var{{Name: "a", Upper: 1}, {Name: "b", Upper: 1}}}
	two.Rows = []solve.Row{{Name: "r", Terms: []solve.Term{{Var: 0, Coef: 2}, {Var: 1, Coef: 3}}, Sense: solve.GE, RHS: 2}}
	if err := WriteCNF(io.Discard, two); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "row r is no clause") {
		t.Error(err)
	}
	two.Rows, two.Vars[1].Cost = nil, 1
	if err := WriteCNF(io.Discard, two); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "variable b has a cost") {
		t.Error(err)
	}
	for _, write := range []func(io.Writer, *solve.Model) error{WriteOPB, WriteCNF} {
		if err := write(failing{}, &solve.Model{}); err == nil {
			t.Error("no error")
		}
	}
}

const everyLP = `\ comment
Maximize
 obj: 0.5 x + 2 y - 1.5 z + 3 w
 + 2.5
Subject To
 c1: x + 2y + x <= 10   \ x twice
 -2 <= x - y <= 8
 c3: 0.1 x
   + 0.3 z >= 1e-1
 3 >= w + y
 c7: -inf <= x + z <= 7
 c4: - - x + z = +2
 c5: x >= -inf
Bounds
 -1.5 <= z <= 3.5
 y <= 4.7
 w free
 -infinity <= x <= 5
General
 y
Binary
 x
End
`

// Every construct of an LP file.
func TestReadLP(t *testing.T) {
	p, err := ReadLP(strings.NewReader(everyLP))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteLP(&b, p.Model); err != nil {
		t.Fatal(err)
	}
	// The objective is doubled and negated; w has no lower bound.
	want := `\ 4 variables, 9 rows
Minimize
 cost: -1 x -4 y +3 z -6 w -5 constant
Subject To
 c1: +2 x +2 y <= 10
 row2: +1 x -1 y <= 8
 row2~range: +1 x -1 y >= -2
 c3: +1 x +3 z >= 1
 row5: +1 y +1 w <= 3
 c7: +1 x +1 z <= 7
 c4: +1 x +1 z = 2
 bound.z: +2 z >= -3
 bound.z~2: +2 z <= 7
Bounds
 0 <= x <= 1
 0 <= y <= 4
 -2 <= z <= 4
 -2147483645 <= w <= 3
 constant = 1
Generals
 x
 y
End
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	if !p.Maximize || p.Scale != 2 || cmp.Diff([]Assumed{{3, false}}, p.Assumed) != "" {
		t.Errorf("%+v", p)
	}
	if got := p.Objective(big.NewRat(-7, 1)); got.RatString() != "7/2" {
		t.Error(got)
	}
}

const fixedMPS = `NAME          every thing
OBJSENSE
    MAX
ROWS
 N  profit
 L  lim one
 G  lim two
 E  bal
 E  bal2
 N  other
COLUMNS
    x one     profit             1.5   lim one            1.0
    x one     bal                1.0
    M1        'MARKER'                 'INTORG'
    y         profit            -2.0   lim two            1.0
    y         bal                1.0   other              9.0
    z         lim one            0.5
    M2        'MARKER'                 'INTEND'
    w         bal2               1.0   bal                2.0
RHS
    RHS       lim one            4.0   lim two            1.0
    RHS       bal                3.0   profit            -7.0
RANGES
    RNG       lim one            2.5   lim two            6.0
    RNG       bal                2.0   bal2              -3.0
BOUNDS
 UP BND       x one              4.0
 LO BND       y                  1.0
 UP BND       y                  9.0
 MI BND       w
 UP BND       w                  2.0
ENDATA
`

// Every section of an MPS file, fixed and free.
func TestReadMPS(t *testing.T) {
	free := strings.ReplaceAll(strings.NewReplacer("x one", "x_one", "lim one", "lim_one", "lim two", "lim_two", "every thing", "every FREE", "\n    ", "\n\t").Replace(fixedMPS), "RNG", "")
	for _, text := range []string{fixedMPS, free} {
		p, err := ReadMPS(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var b strings.Builder
		if err := WriteLP(&b, p.Model); err != nil {
			t.Fatal(err)
		}
		want := `\ 4 variables, 8 rows
Minimize
 cost: -3 x_one +4 y +0 z +0 w -14 constant
Subject To
 lim_one: +2 x_one +1 z <= 8
 lim_two: +1 y >= 1
 bal: +1 x_one +1 y +2 w >= 3
 bal2: +1 w <= 0
 lim_one~range: +2 x_one +1 z >= 3
 lim_two~range: +1 y <= 7
 bal~range: +1 x_one +1 y +2 w <= 5
 bal2~range: +1 w >= -3
Bounds
 0 <= x_one <= 4
 1 <= y <= 9
 0 <= z <= 1
 -5 <= w <= 2
 constant = 1
Generals
 y
 z
End
`
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Errorf("%s\n%s", d, text)
		}
		if !p.Maximize || p.Scale != 2 || p.Assumed != nil {
			t.Errorf("%+v", p)
		}
	}
}

func TestReadOPB(t *testing.T) {
	p, err := ReadOPB(strings.NewReader("* #variable= 3 #constraint= 2\nmax: +2 x1 -3 ~x2;\n* note\n+1 x1 +4 ~x3 >= 2 ;\n-1 x1 +1 x2 = 0;\n+1 x3 <= 1 ;"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteOPB(&b, p.Model); err != nil {
		t.Fatal(err)
	}
	want := `* #variable= 4 #constraint= 4
* x1 x1
* x2 x2
* x3 x3
min: -2 x1 -3 x2 +3 x4 ;
+1 x1 -4 x3 >= -2 ;
-1 x1 +1 x2 = 0 ;
-1 x3 >= -1 ;
+1 x4 = 1 ;
`
	if d := cmp.Diff(want, b.String()); d != "" || !p.Maximize {
		t.Error(d)
	}
}

func TestReadCNF(t *testing.T) {
	p, err := ReadCNF(strings.NewReader("c hello\np cnf 3 4\n1 -2\n 0 2 -2 3 0\n1 1 0 0\n%\n0\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []solve.Row{
		{Name: "c1", Sense: solve.GE, RHS: 0, Terms: []solve.Term{{Var: 0, Coef: 1}, {Var: 1, Coef: -1}}},
		{Name: "c2", Sense: solve.GE, RHS: 0},
		{Name: "c3", Sense: solve.GE, RHS: 1, Terms: []solve.Term{{Var: 0, Coef: 1}}},
		{Name: "c4", Sense: solve.GE, RHS: 1},
	}
	if d := cmp.Diff(want, p.Model.Rows); d != "" || len(p.Model.Vars) != 3 {
		t.Error(d)
	}
}

func TestReadErrors(t *testing.T) {
	type reader = func(io.Reader) (*Problem, error)
	mps := func(rows, columns, rest string) string {
		return "NAME x\nROWS\n N c\n L r\n" + rows + "COLUMNS\n x c 1\n x r 1\n" + columns + rest + "ENDATA\n"
	}
	lp := func(rows, rest string) string { return "min\n x + y\nst\n r: x + y >= 1\n" + rows + rest + "end\n" }
	for _, c := range []struct {
		read reader
		text string
		want string
		is   error
	}{
		{ReadLP, "", `line 1, column 1: syntax: want minimize or maximize, found nothing`, ErrSyntax},
		{ReadLP, "min x", "line 1, column 6: syntax: want +, - or subject to, found nothing", ErrSyntax},
		{ReadLP, "min x y\n", `line 1, column 7: syntax: want +, - or subject to, found "y"`, ErrSyntax},
		{ReadLP, "min x\nst\nx >= 1", "line 3, column 7: syntax: want a row, a section or end, found nothing", ErrSyntax},
		{ReadLP, lp(" x + >= 2\n", ""), `line 5, column 6: syntax: want a number or a variable, found ">="`, ErrSyntax},
		{ReadLP, lp(" x + y\n", ""), `line 6, column 1: syntax: want +, -, <=, >= or =, found "end"`, ErrSyntax},
		{ReadLP, lp(" x >= y\n", ""), `line 5, column 7: syntax: want a number, found "y"`, ErrSyntax},
		{ReadLP, lp(" 1 <= x >= 2\n", ""), `want two relations of the same direction, found "<= >="`, ErrSyntax},
		{ReadLP, lp(" r: x >= 2\n", ""), `line 5, column 2: syntax: want a new row name, found "r"`, ErrSyntax},
		{ReadLP, lp(" x >= inf\n", ""), `want a finite right-hand side`, ErrSyntax},
		{ReadLP, lp(" x >= 1..2\n", ""), `line 5, column 7: syntax: want a number, found "1..2"`, ErrSyntax},
		{ReadLP, lp(" [ x ^ 2 ] >= 1\n", ""), "line 5, column 2: not supported: quadratic terms", ErrUnsupported},
		{ReadLP, lp(" x = 1 -> y >= 1\n", ""), "line 5, column 8: not supported: indicator constraints", ErrUnsupported},
		{ReadLP, lp("", "bounds\n q <= 3\n"), `line 6, column 2: syntax: want a variable of the objective or a row, found "q"`, ErrSyntax},
		{ReadLP, lp("", "bounds\n x 3\n"), `line 6, column 4: syntax: want <=, >=, = or free, found "3"`, ErrSyntax},
		{ReadLP, lp("", "bounds\n x <= -3\n"), `line 6, column 7: syntax: want a lower bound as well`, ErrSyntax},
		{ReadLP, lp("", "sos1\n s: x:1 y:2\n"), "line 5, column 1: not supported: special ordered sets", ErrUnsupported},
		{ReadLP, lp("", "semi-continuous\n x\n"), "not supported: semi-continuous variables", ErrUnsupported},
		{ReadLP, lp("", "end\n"), `line 6, column 1: syntax: want nothing after end, found "end"`, ErrSyntax},
		{ReadLP, lp(" 0.333333333333333 x + 7 y >= 1\n", "bounds\n x <= 1\n y <= 1\n"), "", nil},
		{ReadLP, lp(" 0.333333333333333 x + 70 y >= 100\n", ""), "row row2: malformed model: its numbers exceed 2^53 when scaled to integers", solve.ErrModel},
		{ReadLP, lp(" x <= 9007199254740993\n", ""), "its numbers exceed 2^53", solve.ErrModel},
		{ReadMPS, "", "line 1, column 1: syntax: want ENDATA, found nothing", ErrSyntax},
		{ReadMPS, mps(" Q s\n", "", ""), `line 5, column 2: syntax: want N, L, G or E, found "Q"`, ErrSyntax},
		{ReadMPS, mps(" L r\n", "", ""), `line 5, column 4: syntax: want a new row name, found "r"`, ErrSyntax},
		{ReadMPS, mps("", " y s 1\n", ""), `line 8, column 4: syntax: want a row of ROWS, found "s"`, ErrSyntax},
		{ReadMPS, mps("", " y r one\n", ""), `line 8, column 6: syntax: want a number, found "one"`, ErrSyntax},
		{ReadMPS, mps("", " y r\n", ""), `line 8, column 2: syntax: want a column and one or two pairs of row and number, found "y r"`, ErrSyntax},
		{ReadMPS, mps("", " y r 1\n y r 2\n", ""), `line 9, column 4: syntax: want each row once per column, found "r"`, ErrSyntax},
		{ReadMPS, mps("", " y r 1\n x c 2\n", ""), `line 9, column 2: syntax: want the entries of a column together, found "x"`, ErrSyntax},
		{ReadMPS, mps("", "", "BOUNDS\n SC B x 3\n"), "line 9, column 2: not supported: semi-continuous variables", ErrUnsupported},
		{ReadMPS, mps("", "", "BOUNDS\n UP B q 3\n"), `line 9, column 7: syntax: want a column of COLUMNS, found "q"`, ErrSyntax},
		{ReadMPS, mps("", "", "BOUNDS\n UP B x -3\n"), `line 9, column 9: syntax: want a lower bound as well`, ErrSyntax},
		{ReadMPS, mps("", "", "RHS\n RHS r 1e30\nRANGES\n RNG r 2\n RNG r 3\n"), `line 12, column 6: syntax: want one range per row, found "r"`, ErrSyntax},
		{ReadMPS, mps("", "", "ROWS\n"), `line 8, column 1: syntax: want a section that may follow COLUMNS, found "ROWS"`, ErrSyntax},
		{ReadMPS, mps("", "", "QUADOBJ\n"), "line 8, column 1: not supported: section QUADOBJ", ErrUnsupported},
		{ReadMPS, mps("", "", "FOO\n"), `line 8, column 1: syntax: want a section, found "FOO"`, ErrSyntax},
		{ReadOPB, "min: +1 x1", "line 1, column 11: syntax: want a number or ;, found nothing", ErrSyntax},
		{ReadOPB, "+1 x1 x2 >= 1;", "line 1, column 7: not supported: products of literals", ErrUnsupported},
		{ReadOPB, "soft: 3 ;", "line 1, column 1: not supported: soft constraints", ErrUnsupported},
		{ReadOPB, "[2] +1 x1 >= 1;", "line 1, column 1: not supported: soft constraints", ErrUnsupported},
		{ReadOPB, "+1 x1 > 1;", `line 1, column 7: syntax: want a number, >=, = or <=, found ">"`, ErrSyntax},
		{ReadOPB, "+1 x1 >= x;", `line 1, column 10: syntax: want an integer, found "x"`, ErrSyntax},
		{ReadOPB, "+1.5 x1 >= 1;", `line 1, column 1: syntax: want an integer of at most 2^53, found "+1.5"`, ErrSyntax},
		{ReadOPB, "+1 3 >= 1;", `line 1, column 4: syntax: want a literal, found "3"`, ErrSyntax},
		{ReadCNF, "1 2 0\n", `line 1, column 1: syntax: want a line p cnf VARIABLES CLAUSES, found "1"`, ErrSyntax},
		{ReadCNF, "p cnf 2 1\n1 3 0\n", `line 2, column 3: syntax: want a literal of variables 1 to 2, or 0, found "3"`, ErrSyntax},
		{ReadCNF, "p cnf 2 1\n1 2\n", "line 3, column 1: syntax: want 0 at the end of a clause, found nothing", ErrSyntax},
		{ReadCNF, "p cnf 2 2\n1 2 0\n", `line 3, column 1: syntax: want 2 clauses, found "1"`, ErrSyntax},
		{ReadCNF, "p cnf 2 1\n1 0 2 0\n", `line 2, column 7: syntax: want 1 clauses, found "one more"`, ErrSyntax},
		{ReadCNF, "p cnf 999999999 1\n1 0\n", "line 1, column 7: not supported: more than 4194304 variables", ErrUnsupported},
	} {
		p, err := c.read(strings.NewReader(c.text))
		if c.is == nil {
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if p != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for text, want := range map[string]decimal{
		"0": {0, 0}, "-0.00e5": {0, 0}, "12": {12, 0}, "+1.50": {15, -1}, "-.5": {-5, -1}, "3.": {3, 0}, "2500": {25, 2}, "1e3": {1, 3}, "1.5D-2": {15, -3},
		"100000000000000000000000001": {1, 20}, "0.10000000000000000000000000": {1, -1},
	} {
		got, err := parseDecimal(text)
		if err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
		if r, ok := new(big.Rat).SetString(strings.Replace(text, "D", "e", 1)); ok && !got.infinite() {
			mine := new(big.Rat).SetFrac(got.times(max(0, -got.e)), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(0, -got.e))), nil))
			if mine.Cmp(r) != 0 {
				t.Errorf("%s: %s", text, mine)
			}
		}
	}
	for _, text := range []string{"", "+", "-", ".", "e5", "1e", "1e+", "1e99999999999999999999", "1x", "--1", "1.2.3", "0x10", "1_000", "12345678901234567890.5"} {
		if d, err := parseDecimal(text); err == nil {
			t.Errorf("%q: %v", text, d)
		}
	}
	for _, c := range []struct {
		d           decimal
		floor, ceil int64
	}{{decimal{15, -1}, 1, 2}, {decimal{-15, -1}, -2, -1}, {decimal{3, 0}, 3, 3}, {decimal{1, -30}, 0, 1}, {decimal{-1, -30}, -1, 0}, {decimal{7, 2}, 700, 700}} {
		f, _ := c.d.floor()
		u, _ := c.d.ceil()
		if f != c.floor || u != c.ceil {
			t.Errorf("%v: %d %d", c.d, f, u)
		}
	}
}
