// Package encode holds neutral records of decision problems and turns them
// into models of package solve, and answers back. Owners translate their own
// terms into a record; no record knows tiles, tensors or cycles, and none knows
// which solver runs.
//
//	owner ──Selection──▶ encode ──solve.Model──▶ Solver
//	  ▲                    │ ▲                      │
//	  └────choice──────────┘ └──────solve.Result────┘
//
// Glossary:
//
//   - selection: pick one candidate per node; candidates cost, use limited
//     resources, and the two candidates on an edge cost something together.
//   - class: what an edge sees of a candidate; the pair cost is a function of two
//     classes.
//   - separable bound: Left(a)+Right(b) ≤ pair cost (a,b), cheap for all pairs.
//   - matching: senders and receivers with demands, to be served in rounds in which
//     each end takes part once; its total is the sum of the rounds' durations.
//   - spread: how far the pair cost of a class may lie above its separable bound.
package encode
