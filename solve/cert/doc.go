// Package cert checks certificates (solve.Certificate) in exact arithmetic. It
// shares no code with the engines: of package solve it uses the records only.
//
// A certificate is valid when all of this holds:
//
//   - Nodes form one binary tree with root 0, every child behind its parent.
//   - An inner node splits the box of its node completely: an integral variable
//     at x ≤ a | x ≥ a+1, or an exactly-one row into these members 0 | the
//     others 0.
//   - A leaf's dual vector has the right signs, and gives the bound
//     y·b + Σ_j min(r_j·lower_j, r_j·upper_j) + constant, r = c − yA, inside the
//     leaf's box; a Farkas leaf's vector gives a positive bound for c = 0. A leaf
//     whose box is empty needs nothing.
//   - Every bound that a node tightens is justified the same way on the side it
//     cuts off, in the box before that line; sides count like leaves.
//   - A clause holds because the opposite of its literals leads, by what single rows
//     and earlier clauses leave no choice for, to one of them that cannot hold. If
//     a bound is claimed, "the objective is less" is such a row, and the bound
//     counts like that of a leaf.
//   - The incumbent, if any, satisfies bounds, integrality and rows exactly.
//   - The least bound of all leaves and sides, rounded up to the next possible
//     objective, is at least the claimed bound; claimed optimal means that it
//     equals the incumbent's objective; claimed infeasible means that there are
//     Farkas and empty leaves only.
//
// Write and Read are the text form; it is self-contained, one item a line.
// Minimise 3x + 2y subject to 2x + 2y ≥ 1:
//
//	ipusolve-certificate 1
//	model "two"
//	constant 0
//	var binary 0 1 3 "x"
//	var binary 0 1 2 "y"
//	row >= 1 0:2 1:2 "cover"
//	status optimal
//	bound 2
//	values 0 1
//	dual 1 0:1
//	dual 1
//	fix 0 0<=0
//	branch 1 0 1 2
//	leaf 0 farkas
//	leaf 1
//	end
//
// The items, numbers counted from 0 in the order of the text:
//
//	var KIND LOWER UPPER COST "NAME"
//	row SENSE RHS VARIABLE:COEFFICIENT… "NAME"
//	values X…                           incumbent; fraction VARIABLE P/Q replaces one
//	dual DENOMINATOR ROW:NUMERATOR…
//	fix DUAL VARIABLE<=BOUND…           or >=; the side cut off costs too much
//	exclude DUAL VARIABLE<=BOUND…       or >=; the side cut off is infeasible
//	cut DUAL MOST VARIABLE…             at the root: at most MOST of the variables are 1
//	clause VARIABLE=VALUE…              at the root: one of them holds
//	branch VARIABLE AT DOWN UP          children by node number
//	choose ROW DOWN UP VARIABLE…        the variables are 0 in DOWN, the others in UP
//	leaf DUAL [farkas]
//
// A branch, choose or leaf line is a node; the fix, exclude, cut and clause lines
// before it belong to it and apply in their order. A cut or clause is a new row
// with the next row number, for the vectors of later lines. A cut holds because MOST+1 of its
// variables at 1, whichever they are, make the bound of its vector for the zero
// objective positive: 3a + 3b + 4c ≤ 5 with multiplier −1 reads
// −5 + 3a + 3b + 4c ≤ 0, so a + b + c ≤ 1.
//
// The example: with multiplier 1 the row "cover" gives 1 + 1·x + 0·y ≥ 1, so x = 1
// costs at least 2 and may be cut off. Then y = 0 violates the row (1 − 0 > 0), and
// y = 1 costs 2 without any row.
package cert
