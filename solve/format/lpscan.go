package format

import "strings"

// lpToken is a word of an LP file.
type lpToken struct {
	kind lpKind
	text string
	at   place
}

type lpKind uint8

const (
	lpEnd     lpKind = iota
	lpNumber         // without a sign
	lpName           // a variable, a row, free, infinity
	lpSign           // + or -
	lpCompare        // <=, >= or =
	lpColon
	lpSection // the section's name
	lpOther
)

// lpSections maps the words that begin a section, as the first words of a line,
// to the section's name.
var lpSections = map[string]string{
	"minimize": "minimize", "minimise": "minimize", "minimum": "minimize", "min": "minimize",
	"maximize": "maximize", "maximise": "maximize", "maximum": "maximize", "max": "maximize",
	"subject to": "rows", "such that": "rows", "st": "rows", "s.t.": "rows", "st.": "rows",
	"bounds": "bounds", "bound": "bounds",
	"general": "general", "generals": "general", "gen": "general", "integer": "general", "integers": "general", "int": "general",
	"binary": "binary", "binaries": "binary", "bin": "binary",
	"end":             "end",
	"semi-continuous": "semi-continuous variables", "semi": "semi-continuous variables", "semis": "semi-continuous variables",
	"sos": "special ordered sets", "sos1": "special ordered sets", "sos2": "special ordered sets",
	"lazy constraints": "lazy constraints", "user cuts": "user cuts", "pwlobj": "piecewise linear objectives",
	"general constraints": "general constraints",
}

// lpScanner splits an LP file into words, one at a time.
type lpScanner struct {
	text   string
	i      int  // next byte
	line   int  // lines before
	start  int  // first byte of the line
	inside bool // the line has had a word
}

// next is the next word; at the end of the file, again and again, the end.
func (s *lpScanner) next() lpToken {
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == '\n':
			s.i++
			s.line, s.start, s.inside = s.line+1, s.i, false
			continue
		case c == ' ' || c == '\t' || c == '\r':
			s.i++
			continue
		case c == '\\':
			for s.i < len(s.text) && s.text[s.i] != '\n' {
				s.i++
			}
			continue
		}
		at, first := s.place(), !s.inside
		s.inside = true
		if first {
			if name, n := lpSectionAt(s.text[s.i:]); n > 0 {
				s.i += n
				return lpToken{lpSection, name, at}
			}
		}
		kind, n := lpWord(s.text[s.i:])
		word := s.text[s.i : s.i+n]
		s.i += n
		if kind == lpCompare {
			switch {
			case strings.Contains(word, "<"):
				word = "<="
			case strings.Contains(word, ">"):
				word = ">="
			}
		}
		return lpToken{kind, word, at}
	}
	return lpToken{lpEnd, "", s.place()}
}

func (s *lpScanner) place() place { return place{s.line + 1, s.i - s.start + 1} }

// lpSectionAt recognises the first words of a line as the start of a section; n
// is their length, 0 if they are none.
func lpSectionAt(text string) (name string, n int) {
	word := func(from int) int { // end of the word at from
		for from < len(text) && text[from] > ' ' && text[from] != ':' && text[from] != '\\' && text[from] != '<' && text[from] != '>' && text[from] != '=' {
			from++
		}
		return from
	}
	blank := func(from int) int {
		for from < len(text) && (text[from] == ' ' || text[from] == '\t') {
			from++
		}
		return from
	}
	const longest = 24
	first := word(0)
	if first > longest {
		return "", 0
	}
	ends := []int{first}
	if second := word(blank(first)); second > first && second <= 2*longest {
		ends = []int{second, first}
	}
	for _, n := range ends {
		words := strings.ToLower(strings.Join(strings.Fields(text[:n]), " "))
		// A name before a colon is that of a row.
		if next := blank(n); lpSections[words] != "" && (next == len(text) || text[next] != ':') {
			return lpSections[words], n
		}
	}
	return "", 0
}

// lpWord is the kind and length of the word that text begins with.
func lpWord(text string) (lpKind, int) {
	c := text[0]
	at := func(i int) byte {
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	switch {
	case c == '+' || c == '-':
		if c == '-' && at(1) == '>' {
			return lpOther, 2
		}
		return lpSign, 1
	case c == ':':
		return lpColon, 1
	case c == '<' || c == '>' || c == '=':
		if d := at(1); d == '<' || d == '>' || d == '=' {
			return lpCompare, 2
		}
		return lpCompare, 1
	case digit(c) || c == '.' && digit(at(1)):
		n := 0
		for digit(at(n)) || at(n) == '.' {
			n++
		}
		if at(n)|0x20 == 'e' {
			e := n + 1
			if at(e) == '+' || at(e) == '-' {
				e++
			}
			if digit(at(e)) {
				for n = e; digit(at(n)); n++ {
				}
			}
		}
		return lpNumber, n
	case lpNameByte(c):
		n := 1
		for lpNameByte(at(n)) || digit(at(n)) {
			n++
		}
		return lpName, n
	}
	return lpOther, 1
}

func lpNameByte(c byte) bool {
	return letter(c) || c >= 0x80 || c != 0 && strings.IndexByte("!\"#$%&(),.;?@_`'{}~/|", c) >= 0
}
