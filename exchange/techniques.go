package exchange

// Techniques of List that Options.Off can switch off, to see what each is worth.
// The schedule stays legal without any of them.
const (
	ByWaves     = "waves"      // rounds of matchings as an order to list messages in
	ByWaveOrder = "wave order" // which of the waves go first
	ByDispatch  = "dispatch"   // listing in time by rules
	ByEjection  = "ejection"   // shorter and shorter horizons, with messages that make room for others
	ByExact     = "exact"      // search on small components, with proof
	ByRoles     = "roles"      // slices of time for tiles that cannot send and receive at once
	ByDense     = "dense"      // listing of short messages in address runs
)

// Techniques lists them.
var Techniques = []string{ByWaves, ByWaveOrder, ByDispatch, ByEjection, ByExact, ByRoles, ByDense}
