package format

import (
	"strconv"
	"strings"

	"ipusolve/solve"
)

// maxName is the longest name written; CBC and GLPK take up to 255 bytes.
const maxName = 200

// Names gives the written names of a model, unique within variables and
// within rows, and never equal to the two reserved ones.
type Names struct {
	Vars, Rows []string
}

// Reserved names: the objective row, and the variable fixed at 1 that carries
// the constant of the objective (solvers disagree on the sign of any other
// form).
const (
	Objective = "cost"
	Constant  = "constant"
)

// NamesOf makes the names a file will use; the same for every format.
func NamesOf(m *solve.Model) Names {
	n := Names{make([]string, len(m.Vars)), make([]string, len(m.Rows))}
	for j := range m.Vars {
		n.Vars[j] = m.Vars[j].Name
	}
	for i := range m.Rows {
		n.Rows[i] = m.Rows[i].Name
	}
	legalise(n.Vars, Constant)
	legalise(n.Rows, Objective)
	return n
}

// legalise rewrites names in place; names that need no change keep theirs.
func legalise(names []string, reserved ...string) {
	taken := make(map[string]bool, len(names))
	for _, r := range reserved {
		taken[r] = true
	}
	bad := []int{}
	for k, n := range names {
		if legal(n) && !taken[n] {
			taken[n] = true
		} else {
			bad = append(bad, k)
		}
	}
	for _, k := range bad {
		base := clean(names[k])
		name := base
		for s := 2; taken[name]; s++ {
			name = base + "~" + strconv.Itoa(s)
		}
		names[k] = name
		taken[name] = true
	}
}

// legal names start with a letter or '_' and are no words or numbers of LP files.
func legal(n string) bool { return clean(n) == n }

func clean(n string) string {
	if len(n) > maxName-10 {
		n = n[:maxName-10]
	}
	b := []byte(n)
	for i, c := range b {
		switch {
		case c == '/':
			b[i] = '.'
		case c == '[':
			b[i] = '('
		case c == ']':
			b[i] = ')'
		case !letter(c) && !digit(c) && !strings.ContainsRune("_.(),#~", rune(c)):
			b[i] = '_'
		}
	}
	n = string(b)
	if n == "" || !(letter(n[0]) || n[0] == '_') || exponent(n) || keyword(n) {
		n = "_" + n
	}
	return n
}

// exponent: readers may take e5 after a coefficient for a part of the number.
func exponent(n string) bool {
	return n[0]|0x20 == 'e' && (len(n) == 1 || digit(n[1]) || n[1] == '.')
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// keyword lists what LP readers take for a section or a value.
func keyword(n string) bool {
	switch strings.ToLower(n) {
	case "minimize", "minimise", "minimum", "min", "maximize", "maximise", "maximum", "max", "subject", "such", "st", "s.t.", "st.",
		"bounds", "bound", "general", "generals", "gen", "integer", "integers", "int", "binary", "binaries", "bin", "free",
		"inf", "infinity", "nan", "sos", "sos1", "sos2", "sin", "semi", "semis", "semi-continuous", "end":
		return true
	}
	return false
}
