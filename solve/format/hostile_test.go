package format_test

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ipusolve/encode"
	"ipusolve/solve"
	"ipusolve/solve/auto"
	"ipusolve/solve/cert"
	"ipusolve/solve/format"
)

// hostile are files of every format that are empty, degenerate, contradictory,
// unbounded, huge or wrong. want is a status with the best objective, or part of
// an error. alone says why others are not asked; else CBC and GLPK must agree.
var hostile = []struct{ file, text, want, alone string }{
	// LP: nothing, or nearly.
	{"empty.lp", "", "line 1, column 1: syntax", ""},
	{"comment.lp", "\\ nothing else\n", "syntax", ""},
	{"end.lp", "end\n", "syntax", ""},
	{"min.lp", "min\nend\n", "syntax", ""},
	{"zero.lp", "min 0 x\nst\n c: x >= 0\nend\n", "optimal 0", ""},
	{"constant.lp", "max x + 7\nst\n c: x = 0\nend\n", "optimal 7", "GLPK has no constants"},
	{"nost.lp", "min x\nbounds\n 2 <= x <= 3\nend\n", "subject to", ""},
	{"noend.lp", "min x\nst\n c: x >= 1.5\n", "or end, found nothing", ""},
	{"crlf.lp", "min x\r\nst\r\n c: x >= 4\r\nend\r\n", "optimal 4", ""},
	{"behind.lp", "min x\nst\n c: x >= 1\nend\n garbage << here\n", "nothing after end", ""},
	{"nul.lp", "min x\x00\nst\n c: x >= 1\nend\n", "syntax", ""},
	// LP: contradictions.
	{"falserow.lp", "min x\nst\n c: 0 x >= 1\nend\n", "infeasible", ""},
	{"crossed.lp", "min x\nst\n c: x + y >= -9\nbounds\n 3 <= x <= 2\nend\n", "infeasible", "GLPK reports an error"},
	{"hole.lp", "min x\nst\n c: x >= 0\nbounds\n 0.2 <= x <= 0.8\ngeneral\n x\nend\n", "infeasible", "GLPK refuses the bounds"},
	{"parity.lp", "min x\nst\n c: 2 x - 2 y = 1\nbounds\n x <= 9\n y <= 9\ngeneral\n x y\nend\n", "infeasible", ""},
	{"opposite.lp", "min 0 x\nst\n a: x + y >= 3\n b: x + y <= 2\nend\n", "infeasible", ""},
	{"binary.lp", "min x\nst\n c: x >= 2\nbinary\n x\nend\n", "infeasible", ""},
	{"range.lp", "min x\nst\n c: 5 <= x <= 3\nend\n", "infeasible", "GLPK has no such rows, CBC reads the last side"},
	{"emptyfree.lp", "min x\nst\n c: x + y <= 1\n d: x + y >= 2\nbounds\n x free\n y free\nend\n", "infeasible", ""},
	// LP: unbounded.
	{"ray.lp", "max x\nst\n c: x - y <= 1\nend\n", "unbounded", ""},
	{"freecost.lp", "min x\nst\n c: y >= 1\nbounds\n x free\nend\n", "unbounded", ""},
	{"integerray.lp", "max x + y\nst\n c: 2 x - 3 y = 1\ngeneral\n x y\nend\n", "unbounded", ""},
	{"freeinf.lp", "min x\nst\n c: 0 x >= 1\nbounds\n x free\nend\n", "infeasible", "others stop at the first fact"},
	{"freezero.lp", "min 0 x\nst\n c: x - y = 3\nbounds\n x free\n y free\nend\n", "optimal 0", ""},
	// LP: degenerate.
	{"equal.lp", "min x + y\nst\n a: x + y >= 2\n b: x + y >= 2\n c: 2 x + 2 y >= 4\n d: x + y <= 2\nend\n", "optimal 2", ""},
	{"fixed.lp", "max 3 x + y\nst\n c: x + y <= 9\nbounds\n x = 2\n y = 2\nend\n", "optimal 8", ""},
	{"twice.lp", "min x + x - 3 x\nst\n c: x + x <= 4\nend\n", "optimal -2", "GLPK takes no repeats"},
	{"cancel.lp", "min y\nst\n c: x - x + y >= 1\nend\n", "optimal 1", "GLPK takes no repeats"},
	// LP: numbers.
	{"exact.lp", "max 9007199254740991 x\nst\n c: x <= 1\nbinary\n x\nend\n", "optimal 9007199254740991", "floating point"},
	{"tiny.lp", "min 1e-9 x\nst\n c: x >= 3\nend\n", "optimal 0.000000003", "below their tolerances"},
	{"spread.lp", "min x\nst\n c: 1e6 x - 1e-6 y >= 1\nbounds\n y <= 1e6\nend\n", "2^62", ""},
	{"beyond.lp", "min 9007199254740993 x\nst\n c: x >= 1\nend\n", "2^53", ""},
	{"e300.lp", "min x\nst\n c: 1e300 x >= 1\nend\n", "a finite number", ""},
	{"e400.lp", "min x\nst\n c: x >= 1e400\nend\n", "a finite right-hand side", ""},
	{"e-400.lp", "min x\nst\n c: 1e-400 x >= 1\nend\n", "2^53", ""},
	{"longe.lp", "min x\nst\n c: 1e99999999999999999999 x >= 1\nend\n", "a number", ""},
	{"mixed.lp", "min 1e15 x + 1e-15 y\nst\n c: x + y >= 1\nend\n", "2^53", ""},
	{"activity.lp", "max x\nst\n c: 1e10 x + 1e10 y <= 1e15\nbounds\n x <= 1e12\n y <= 1e12\nend\n", "2^62", ""},
	{"infcoef.lp", "min inf x\nst\n c: x >= 1\nend\n", "syntax", ""},
	{"nan.lp", "min nan x\nst\n c: x >= 1\nend\n", "syntax", ""},
	{"infrhs.lp", "min x\nst\n c: x >= -inf\n d: x >= 2\nend\n", "optimal 2", "GLPK has no infinite sides"},
	{"infwrong.lp", "min x\nst\n c: x >= inf\nend\n", "a finite right-hand side", ""},
	{"digits.lp", "min x\nst\n c: x >= 0." + strings.Repeat("3", 400) + "\nend\n", "a number", ""},
	// LP: names and what is not supported.
	{"longname.lp", "min " + strings.Repeat("a", 300) + "\nst\n c: " + strings.Repeat("a", 300) + " >= 2\nend\n", "optimal 2", "longer than their names"},
	{"rowtwice.lp", "min x\nst\n c: x >= 1\n c: x >= 2\nend\n", "new row name", ""},
	{"quadratic.lp", "min x + [ x ^ 2 ] / 2\nst\n c: x >= 1\nend\n", "not supported", ""},
	{"semi.lp", "min x\nst\n c: x >= 1\nbounds\n x <= 9\nsemi-continuous\n x\nend\n", "not supported", ""},
	{"sos.lp", "min x\nst\n c: x >= 1\nsos1\n s: x:1\nend\n", "not supported", ""},
	{"negup.lp", "min x\nst\n c: x >= -9\nbounds\n x <= -1\nend\n", "a lower bound as well", ""},
	// MPS.
	{"empty.mps", "", "syntax", ""},
	{"name.mps", "NAME\nENDATA\n", "optimal 0", "others refuse the empty problem"},
	{"norows.mps", "NAME x\nROWS\n N obj\nCOLUMNS\nRHS\nENDATA\n", "optimal 0", "others refuse the empty problem"},
	{"noobj.mps", "NAME x\nROWS\n G c\nCOLUMNS\n x c 1\nRHS\n R c 2\nENDATA\n", "optimal 0", "GLPK wants an objective"},
	{"unknownrow.mps", "NAME x\nROWS\n N o\nCOLUMNS\n x c 1\nENDATA\n", "syntax", ""},
	{"unknowncol.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1\nBOUNDS\n UP B y 3\nENDATA\n", "syntax", ""},
	{"split.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x o 1\n y o 1\n x c 1\nRHS\n R c 2\nENDATA\n", "the entries of a column together", ""},
	{"entrytwice.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1\n x c 1\n x o 1\nRHS\n R c 2\nENDATA\n", "each row once per column", ""},
	{"nan.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c nan\nENDATA\n", "syntax", ""},
	{"e308.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1e308 o 1\nRHS\n R c 1\nENDATA\n", "a finite number", ""},
	{"noendata.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 2\n", "ENDATA", ""},
	{"marker.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n M 'MARKER' 'INTORG'\n x c 2 o 1\nRHS\n R c 1\nENDATA\n", "optimal 1", ""},
	{"sc.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 2\nBOUNDS\n SC B x 9\nENDATA\n", "not supported", ""},
	{"quad.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 2\nQUADOBJ\n x x 1\nENDATA\n", "not supported", ""},
	{"negup.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c -9\nBOUNDS\n UP B x -1\nENDATA\n", "a lower bound as well", ""},
	{"fixcross.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 0\nBOUNDS\n LO B x 5\n UP B x 4\nENDATA\n", "infeasible", "GLPK refuses the bounds"},
	{"bv.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o -1\n y c 1 o 1\nRHS\n R c 2\nBOUNDS\n BV B x\nENDATA\n", "optimal 0", ""},
	{"mi.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c -5\nBOUNDS\n MI B x\nENDATA\n", "optimal -5", ""},
	{"fr.mps", "NAME x\nROWS\n N o\n L c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 5\nBOUNDS\n FR B x\nENDATA\n", "unbounded", ""},
	{"rangee.mps", "NAME x\nROWS\n N o\n E c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 5\nRANGES\n G c -2\nENDATA\n", "optimal 3", ""},
	{"rangezero.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o -1\nRHS\n R c 5\nRANGES\n G c 0\nENDATA\n", "optimal -5", ""},
	{"constant.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 1 o -10\nENDATA\n", "optimal 11", "signs of constants differ"},
	{"max.mps", "NAME x\nOBJSENSE\n MAX\nROWS\n N o\n L c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 6\nENDATA\n", "optimal 6", "GLPK does not know OBJSENSE"},
	{"inf.mps", "NAME x\nROWS\n N o\n G c\nCOLUMNS\n x c 1 o 1\nRHS\n R c 2\nBOUNDS\n UP B x 1e30\nENDATA\n", "optimal 2", ""},
	{"emptycol.mps", "NAME x\nROWS\n N o\n G c\n G d\nCOLUMNS\n x c 1 o 1\n y o 0\nRHS\n R c 2\nENDATA\n", "optimal 2", ""},
	{"emptyrow.mps", "NAME x\nROWS\n N o\n G c\n G d\nCOLUMNS\n x c 1 o 1\nRHS\n R c 2 d 1\nENDATA\n", "infeasible", ""},
	// OPB.
	{"empty.opb", "", "optimal 0", ""},
	{"comment.opb", "* #variable= 0 #constraint= 0\n", "optimal 0", ""},
	{"objective.opb", "min: +3 x1 -2 x2 ;\n", "optimal -2", ""},
	{"always.opb", "+1 x1 >= 0 ;\n", "optimal 0", ""},
	{"never.opb", "+1 x1 +1 x2 >= 3 ;\n", "infeasible", ""},
	{"parity.opb", "+2 x1 +2 x2 = 3 ;\n", "infeasible", ""},
	{"negated.opb", "min: +1 x1 ;\n+1 ~x1 >= 1 ;\n", "optimal 0", ""},
	{"repeat.opb", "min: +1 x1 ;\n+1 x1 +1 x1 >= 2 ;\n", "optimal 1", ""},
	{"bigtrue.opb", "min: +1 x1 ;\n+9007199254740992 x1 >= 9007199254740992 ;\n", "optimal 1", ""},
	{"bigger.opb", "+9007199254740993 x1 >= 1 ;\n", "2^53", ""},
	{"hugeint.opb", "+" + strings.Repeat("9", 400) + " x1 >= 1 ;\n", "2^53", ""},
	{"product.opb", "+1 x1 x2 >= 1 ;\n", "not supported", ""},
	{"soft.opb", "soft: 5 ;\n[2] +1 x1 >= 1 ;\n", "not supported", ""},
	{"semicolon.opb", "+1 x1 >= 1", "syntax", ""},
	{"sides.opb", "+1 x1 ;\n", "syntax", ""},
	// CNF.
	{"empty.cnf", "", "p cnf", ""},
	{"none.cnf", "p cnf 0 0\n", "optimal 0", ""},
	{"free.cnf", "p cnf 3 0\n", "optimal 0", ""},
	{"emptyclause.cnf", "p cnf 1 1\n0\n", "infeasible", ""},
	{"tautology.cnf", "p cnf 1 1\n1 -1 0\n", "optimal 0", ""},
	{"units.cnf", "p cnf 1 2\n1 0\n-1 0\n", "infeasible", ""},
	{"doubled.cnf", "p cnf 2 2\n1 1 2 0 -1 -1\n0\n", "optimal 0", ""},
	{"range.cnf", "p cnf 2 1\n1 3 0\n", "a literal of variables 1 to 2", ""},
	{"few.cnf", "p cnf 2 2\n1 2 0\n", "2 clauses", ""},
	{"many.cnf", "p cnf 2 1\n1 2 0\n1 0\n", "1 clauses", ""},
	{"open.cnf", "p cnf 2 1\n1 2\n", "0 at the end of a clause", ""},
	{"twop.cnf", "p cnf 1 1\np cnf 1 1\n1 0\n", "one line p", ""},
	{"vast.cnf", "p cnf 999999999 1\n1 0\n", "not supported", ""},
	{"minus.cnf", "p cnf -1 1\n1 0\n", "a number", ""},
	{"int64.cnf", "p cnf 1 1\n9999999999999999999999 0\n", "a literal", ""},
	{"percent.cnf", "c old\np cnf 1 1\n1 0\n%\n0\n", "optimal 0", ""},
	// IOPDDL.
	{"empty.json", "", "unexpected end", ""},
	{"null.json", "null", "usage_limit: want an integer", ""},
	{"object.json", "{}", "usage_limit: want an integer", ""},
	{"nonodes.json", `{"problem": {"name": "n", "usage_limit": 9, "nodes": {"intervals": [], "costs": [], "usages": []}}}`, "optimal 0", ""},
	{"forbidden.json", `{"problem": {"name": "f", "usage_limit": 9, "nodes": {"intervals": [[0, 1], [0, 1]], "costs": [[1], [1]], "usages": [[0], [0]]},
		"edges": {"nodes": [[0, 1]], "costs": [[1000000000000000000]]}}}`, "infeasible", ""},
	{"full.json", `{"problem": {"name": "u", "usage_limit": 3, "nodes": {"intervals": [[0, 2], [1, 3]], "costs": [[1], [1]], "usages": [[2], [2]]}}}`, "infeasible", ""},
	{"nochoice.json", `{"problem": {"name": "c", "usage_limit": 9, "nodes": {"intervals": [[0, 1]], "costs": [[]], "usages": [[]]}}}`, "infeasible", ""},
	{"short.json", `{"problem": {"name": "s", "usage_limit": 9, "nodes": {"intervals": [[0, 1]], "costs": [[1, 2]], "usages": [[1]]}}}`, "one per strategy", ""},
	{"edge.json", `{"problem": {"name": "e", "usage_limit": 9, "nodes": {"intervals": [[0, 1]], "costs": [[1]], "usages": [[1]]}, "edges": {"nodes": [[0, 4]], "costs": [[1]]}}}`, "two of the nodes 0 to 0", ""},
	{"self.json", `{"problem": {"name": "l", "usage_limit": 9, "nodes": {"intervals": [[0, 1]], "costs": [[1, 3]], "usages": [[1, 1]]}, "edges": {"nodes": [[0, 0]], "costs": [[9, 0, 0, 0]]}}}`, "two of the nodes 0 to 0", ""},
	{"e300.json", `{"problem": {"name": "h", "nodes": {"intervals": [[0, 1]], "costs": [[1e300]], "usages": [[1]]}}}`, "a 64-bit integer", ""},
	// MiniMalloc; the capacity is 8.
	{"empty.csv", "", "header", ""},
	{"header.csv", "id,lower,upper,size\n", "optimal 0", ""},
	{"full.csv", "id,lower,upper,size\na,0,1,8\nb,1,2,8\n", "optimal 8", ""},
	{"over.csv", "id,lower,upper,size\na,0,2,8\nb,1,2,1\n", "infeasible", ""},
	{"large.csv", "id,lower,upper,size\na,0,2,9\n", "infeasible", ""},
	{"int64.csv", "id,lower,upper,size\na,-9223372036854775808,9223372036854775807,8\n", "optimal 8", ""},
	{"back.csv", "id,lower,upper,size\na,2,1,8\n", "lives from 2 to 1", ""},
	{"nosize.csv", "id,lower,upper,size\na,0,1,0\n", "size 0", ""},
	{"twice.csv", "id,lower,upper,size\na,0,1,1\na,0,1,1\n", "twice", ""},
	{"column.csv", "id,lower,size\na,0,1\n", "upper", ""},
	{"huge.csv", "id,lower,upper,size\na,0,1,99999999999999999999\n", "64-bit integer", ""},
}

// verdict is what is made of a file: a status with the best objective, or an
// error's text.
func verdict(t *testing.T, file, text string) string {
	ctx, opt := context.Background(), solve.Options{Effort: 2000}
	if strings.HasSuffix(file, ".csv") {
		p, _, err := encode.ReadMiniMalloc(strings.NewReader(text), file, 8)
		if err != nil {
			return err.Error()
		}
		r, err := encode.MinimisePacking(ctx, p, opt)
		if err != nil {
			return err.Error()
		}
		if r.At == nil {
			return r.Status.String()
		}
		return r.Status.String() + " " + strconv.FormatInt(r.Height, 10)
	}
	p := &format.Problem{Scale: 1}
	var err error
	if strings.HasSuffix(file, ".json") {
		var in *encode.IOPDDL
		if in, err = encode.ReadIOPDDL(strings.NewReader(text)); err == nil {
			var full *encode.FullModel
			if full, err = encode.NewFullModel(context.Background(), in.Selection); err == nil {
				p.Model = full.Model
			}
		}
	} else {
		read := map[string]func(io.Reader) (*format.Problem, error){".lp": format.ReadLP, ".mps": format.ReadMPS, ".opb": format.ReadOPB, ".cnf": format.ReadCNF}
		p, err = read[filepath.Ext(file)](strings.NewReader(text))
	}
	if err != nil {
		return err.Error()
	}
	a, err := auto.Solve(ctx, p, auto.Solver{}, opt)
	if err != nil {
		t.Errorf("%s: the model is valid, and yet: %v", file, err)
		return err.Error()
	}
	if _, err := cert.Check(p.Model, a.Result.Certificate); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	if a.Objective == nil {
		return a.Status
	}
	if digits, exact := a.Objective.FloatPrec(); exact {
		return a.Status + " " + a.Objective.FloatString(digits)
	}
	return a.Status + " " + a.Objective.RatString()
}

func TestHostile(t *testing.T) {
	for _, c := range hostile {
		if got := verdict(t, c.file, c.text); c.want == "" || !strings.Contains(got, c.want) || isStatus(c.want) && got != c.want {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
}

// isStatus tells a status from a part of an error.
func isStatus(want string) bool {
	word, _, _ := strings.Cut(want, " ")
	return word == "optimal" || word == "infeasible" || word == "unbounded"
}

// CBC and GLPK say the same of those files that they read.
func TestHostileElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := t.TempDir()
	asked := 0
	for _, c := range hostile {
		ext := filepath.Ext(c.file)
		if c.alone != "" || !isStatus(c.want) || ext != ".lp" && ext != ".mps" {
			continue
		}
		path := filepath.Join(dir, c.file)
		text := strings.Replace(c.text, "NAME x\n", "NAME x FREE\n", 1) // CBC guesses else
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, other := range []struct {
			name string
			args []string
		}{{"cbc", []string{path, "-solve"}}, {"glpsol", []string{map[string]string{".lp": "--lp", ".mps": "--freemps"}[ext], path, "-o", path + ".out"}}} {
			out, err := exec.Command(other.name, other.args...).CombinedOutput()
			if errors.Is(err, exec.ErrNotFound) {
				t.Skip(err)
			}
			if more, err := os.ReadFile(path + ".out"); err == nil {
				out = append(out, more...)
			}
			asked++
			if !agrees(strings.ToLower(string(out)), c.want) {
				t.Errorf("%s: %s does not say %s\n%s", c.file, other.name, c.want, out)
			}
		}
	}
	t.Logf("%d answers of others", asked)
}

// agrees looks for a verdict in what another solver prints. Infeasible and
// unbounded are not always told apart.
func agrees(out, want string) bool {
	word, best, _ := strings.Cut(want, " ")
	if word != "optimal" {
		return regexp.MustCompile(`infeasible|unbounded|no (primal |dual |integer |)feasible|empty`).MatchString(out)
	}
	x, _ := strconv.ParseFloat(best, 64)
	for _, m := range regexp.MustCompile(`objective(?: value)?:? +(?:\S+ = )?(-?[0-9.]+(?:e[-+]?\d+)?)`).FindAllStringSubmatch(out, -1) {
		if y, err := strconv.ParseFloat(m[1], 64); err == nil && (math.Abs(x-y) < 1e-6 || math.Abs(x+y) < 1e-6) {
			return true
		}
	}
	return false
}
