package exchange

// Techniques of List that Options.Off can switch off, to see what each is worth.
// The schedule stays legal without any of them.
const (
	ByWaves    = "waves"    // rounds of matchings as an order to list messages in
	ByDispatch = "dispatch" // listing in time by rules
	ByEjection = "ejection" // improvement of a listing
	ByVarying  = "varying"  // listings in orders near the best
	ByExact    = "exact"    // search on small components, with proof
	ByDense    = "dense"    // listing of short messages in address runs
)

// Techniques lists them.
var Techniques = []string{ByWaves, ByDispatch, ByEjection, ByVarying, ByExact, ByDense}
