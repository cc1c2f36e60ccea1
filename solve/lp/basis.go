package lp

// Basis is a snapshot of the basis: CLP's status byte per column, then per row.
type Basis []byte

// Low three bits of a Basis entry.
const (
	basisMask = 7
	basic     = 1
	atUpper   = 2
	atLower   = 3
)

// SlackBasis is the basis of a first solve: all columns at their lower bound.
func SlackBasis(rows, cols int) Basis {
	b := make(Basis, cols+rows)
	for k := range b {
		b[k] = basic
		if k < cols {
			b[k] = atLower
		}
	}
	return b
}

// ColumnBasic reports whether column j is basic.
func (b Basis) ColumnBasic(j int) bool { return b[j]&basisMask == basic }

// ColumnAtUpper reports whether column j sits at its upper bound.
func (b Basis) ColumnAtUpper(j int) bool { return b[j]&basisMask == atUpper }

// RowBasic reports whether the slack of row i is basic in a problem of the
// given number of columns, that is, whether the row is not binding.
func (b Basis) RowBasic(i, cols int) bool { return b[cols+i]&basisMask == basic }

// Select is the part of b, of a problem with n columns, for the columns cols.
// CLP completes a basis that lost basic columns with slacks.
func (b Basis) Select(n int, cols []int) Basis {
	out := make(Basis, 0, len(cols)+len(b)-n)
	for _, j := range cols {
		out = append(out, b[j])
	}
	return append(out, b[n:]...)
}

// Expand undoes Select; the other columns are at their lower bound. nil stays nil.
func (b Basis) Expand(n int, cols []int) Basis {
	if b == nil {
		return nil
	}
	out := make(Basis, n, n+len(b)-len(cols))
	for j := range out {
		out[j] = atLower
	}
	for k, j := range cols {
		out[j] = b[k]
	}
	return append(out, b[len(cols):]...)
}
