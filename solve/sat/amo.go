package sat

// AMO is an encoding of at-most-one constraints over n literals.
type AMO uint8

const (
	Pairwise  AMO = iota // n(n−1)/2 clauses, no variable
	Commander            // groups of three under a commander each: about 3.5 n clauses, n/2 variables
	Product              // a grid of rows and columns: about 2n + 4√n clauses, 2√n variables
)

// amoPairwise is the most literals for which pairwise is the smallest.
const amoPairwise = 5

// amoCommander is the most literals for which commanders mostly beat the product.
const amoCommander = 27

// AtMostOne demands that at most one of the literals holds, in the encoding
// with the fewest clauses, or nearly. Unit propagation is complete in each.
func (f *Formula) AtMostOne(lits ...Lit) {
	switch n := len(lits); {
	case n <= amoPairwise:
		f.AtMostOneBy(Pairwise, lits...)
	case n <= amoCommander:
		f.AtMostOneBy(Commander, lits...)
	default:
		f.AtMostOneBy(Product, lits...)
	}
}

// AtMostOneBy is AtMostOne in a given encoding; for the parts that the
// encoding reduces it to, the smallest is used.
func (f *Formula) AtMostOneBy(how AMO, lits ...Lit) {
	n := len(lits)
	switch {
	case n < 4 || how == Pairwise:
		for i := range lits {
			for _, l := range lits[:i] {
				f.AddClause(-l, -lits[i])
			}
		}
	case how == Commander:
		var over []Lit
		for len(lits) > 0 {
			group := lits[:min(3, len(lits))]
			lits = lits[len(group):]
			c := f.NewVar()
			over = append(over, c)
			for _, l := range group {
				f.AddClause(-l, c)
			}
			f.AtMostOneBy(Pairwise, group...)
		}
		f.AtMostOne(over...)
	default:
		width := 1
		for width*width < n {
			width++
		}
		rows, cols := f.NewVars((n+width-1)/width), f.NewVars(width)
		for i, l := range lits {
			f.AddClause(-l, rows[i/width])
			f.AddClause(-l, cols[i%width])
		}
		f.AtMostOne(rows...)
		f.AtMostOne(cols...)
	}
}

// ExactlyOne demands that one of the literals holds and no other.
func (f *Formula) ExactlyOne(lits ...Lit) {
	f.AddClause(lits...)
	f.AtMostOne(lits...)
}
