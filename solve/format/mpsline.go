package format

import "strings"

// mpsLine is a line that is neither empty nor a comment.
type mpsLine struct {
	number int
	text   string
	header bool // begins in the first column
}

// mpsField is a field of a data line.
type mpsField struct {
	text string
	at   place
}

func (f mpsField) number() (decimal, error) {
	word := strings.TrimLeft(f.text, "+-")
	if lpInfinity(word) {
		x := decimal{1, infiniteDigits}
		if strings.HasPrefix(f.text, "-") {
			x = x.neg()
		}
		return x, nil
	}
	x, err := parseDecimal(f.text)
	if err != nil {
		return x, f.at.wrong("a number", f.text)
	}
	return x, nil
}

func joined(f []mpsField) string {
	words := make([]string, 0, len(f))
	for _, x := range f {
		words = append(words, x.text)
	}
	return strings.Join(words, " ")
}

func mpsLines(text string) []mpsLine {
	var out []mpsLine
	for number := 1; len(text) > 0; number++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimRight(line, " \t\r")
		if len(line) > 0 && line[0] != '*' {
			out = append(out, mpsLine{number, line, line[0] != ' ' && line[0] != '\t'})
		}
	}
	return out
}

// words splits a line at blanks.
func (l *mpsLine) words() []mpsField {
	var out []mpsField
	for i := 0; i < len(l.text); {
		if l.text[i] == ' ' || l.text[i] == '\t' {
			i++
			continue
		}
		n := i
		for n < len(l.text) && l.text[n] != ' ' && l.text[n] != '\t' {
			n++
		}
		out = append(out, mpsField{l.text[i:n], place{l.number, i + 1}})
		i = n
	}
	return out
}

// mpsColumns are the fields of fixed MPS: first byte and the byte behind.
var mpsColumns = [...][2]int{{1, 3}, {4, 12}, {14, 22}, {24, 36}, {39, 47}, {49, 61}}

// cut is the part of a line between two bytes, without the blanks around it.
func (l *mpsLine) cut(from, to int) (text string, at int) {
	part := l.text[min(from, len(l.text)):min(to, len(l.text))]
	trimmed := strings.TrimLeft(part, " ")
	return strings.TrimRight(trimmed, " "), from + len(part) - len(trimmed)
}

func (l *mpsLine) blank(from, to int) bool {
	text, _ := l.cut(from, to)
	return text == ""
}

// fields are the fields of a data line that are not blank; there is at least one.
func (l *mpsLine) fields(fixed bool) []mpsField {
	if !fixed {
		return l.words()
	}
	var out []mpsField
	for _, c := range mpsColumns {
		if text, at := l.cut(c[0], c[1]); text != "" {
			out = append(out, mpsField{text, place{l.number, at + 1}})
		}
	}
	return out
}

// mpsFixed tells whether all data lines keep to the columns of fixed MPS.
func mpsFixed(lines []mpsLine) bool {
	some := false
	for i := range lines {
		l := &lines[i]
		if l.header {
			if f := l.words(); strings.EqualFold(f[0].text, "NAME") && len(f) > 1 && strings.EqualFold(f[len(f)-1].text, "FREE") {
				return false
			}
			continue
		}
		if strings.IndexByte(l.text, '\t') >= 0 || len(l.text) > mpsColumns[5][1] {
			return false
		}
		behind := 0
		for _, c := range mpsColumns {
			if !l.blank(behind, c[0]) {
				return false
			}
			// A field that begins late may have been cut in two by the columns.
			if c[0] > 1 && !l.blank(c[0], c[1]) && l.text[c[0]] == ' ' && c != mpsColumns[3] && c != mpsColumns[5] {
				return false
			}
			behind = c[1]
		}
		some = true
	}
	return some
}
