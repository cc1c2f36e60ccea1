package encode

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"ipusolve/solve"
)

// ErrIOPDDL is wrapped by every error about the content of an IOPDDL file.
var ErrIOPDDL = errors.New("malformed IOPDDL problem")

// IOPDDLForbidden is the cost from which on a strategy or pair may not be used.
const IOPDDLForbidden = 1_000_000_000_000_000_000

// maxIOPDDL bounds the text of a problem after decompression, in bytes.
const maxIOPDDL = 1 << 29

// IOPDDL is a problem of the contest on intra-operator parallelism: one strategy
// per node, costs of nodes and of edges, and a limit on what the live nodes use
// at any time. Costs and limits are kept in the file's units.
type IOPDDL struct {
	Name      string
	Selection *Selection
	// Strategies says which strategy of the file candidate k of node n is:
	// those that are forbidden, or whose usage exceeds 2^53 (and so the limit), are
	// no candidates.
	Strategies [][]int
}

// Solution names the chosen strategy of every node as the contest does.
func (p *IOPDDL) Solution(c Choice) []int {
	s := make([]int, len(c))
	for n, k := range c {
		s[n] = p.Strategies[n][k]
	}
	return s
}

// iopddlFile is the JSON form.
type iopddlFile struct {
	Problem struct {
		Name  string `json:"name"`
		Nodes struct {
			Intervals [][]int64 `json:"intervals"`
			Costs     [][]int64 `json:"costs"`
			Usages    [][]int64 `json:"usages"`
		} `json:"nodes"`
		Edges struct {
			Nodes [][]int   `json:"nodes"`
			Costs [][]int64 `json:"costs"`
		} `json:"edges"`
		UsageLimit *int64 `json:"usage_limit"`
	} `json:"problem"`
}

// ReadIOPDDL reads a problem in JSON, plain or compressed with gzip. Limits are
// the moments at which the set of live nodes is maximal; edges between the same
// nodes are added up. Errors wrap ErrIOPDDL and name line and column, or the
// JSON path, with what was expected and what was found.
func ReadIOPDDL(r io.Reader) (*IOPDDL, error) {
	text, err := inflate(r, maxIOPDDL)
	if err != nil {
		return nil, fmt.Errorf("encode: IOPDDL: %w", err)
	}
	var f iopddlFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("encode: %w: %w", ErrIOPDDL, jsonError(text, err))
	}
	p, err := f.problem()
	if err != nil {
		return nil, fmt.Errorf("encode: %w: problem.%w", ErrIOPDDL, err)
	}
	return p, nil
}

// inflate reads everything, through gzip if the first two bytes say so.
func inflate(r io.Reader, limit int64) ([]byte, error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(head[:n]), r)
	if n == 2 && head[0] == 0x1f && head[1] == 0x8b {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrIOPDDL, err)
		}
	}
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrIOPDDL, limit)
	}
	return text, nil
}

// jsonError puts line and column before an error of the JSON reader.
func jsonError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var at int64
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
		err = fmt.Errorf("%s: want %s, found %s", kind.Field, wanted(kind), kind.Value)
	default:
		return err
	}
	before := text[:max(0, min(at-1, int64(len(text))))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

func wanted(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "slice":
		return "an array"
	case "struct":
		return "an object"
	case "string":
		return "a string"
	}
	return "a 64-bit integer"
}

// problem checks the file's arrays and builds the selection.
func (f *iopddlFile) problem() (*IOPDDL, error) {
	q := &f.Problem
	nodes := len(q.Nodes.Costs)
	switch {
	case q.UsageLimit == nil:
		return nil, errors.New("usage_limit: want an integer, found nothing")
	case *q.UsageLimit > solve.MaxMagnitude || *q.UsageLimit < -solve.MaxMagnitude:
		return nil, fmt.Errorf("usage_limit: want at most 2^53, found %d", *q.UsageLimit)
	case len(q.Nodes.Intervals) != nodes:
		return nil, fmt.Errorf("nodes.intervals: want %d entries as in costs, found %d", nodes, len(q.Nodes.Intervals))
	case len(q.Nodes.Usages) != nodes:
		return nil, fmt.Errorf("nodes.usages: want %d entries as in costs, found %d", nodes, len(q.Nodes.Usages))
	case len(q.Edges.Costs) != len(q.Edges.Nodes):
		return nil, fmt.Errorf("edges.costs: want %d entries as in nodes, found %d", len(q.Edges.Nodes), len(q.Edges.Costs))
	}
	p := &IOPDDL{Name: q.Name, Selection: &Selection{Name: q.Name}, Strategies: make([][]int, nodes)}
	if p.Name == "" {
		p.Name, p.Selection.Name = "iopddl", "iopddl"
	}
	for n, iv := range q.Nodes.Intervals {
		if len(iv) != 2 {
			return nil, fmt.Errorf("nodes.intervals[%d]: want 2 entries, found %d", n, len(iv))
		}
	}
	live, err := f.limits(p.Selection)
	if err != nil {
		return nil, err
	}
	for n := range nodes {
		if err := f.node(p, n, live[n]); err != nil {
			return nil, err
		}
	}
	if err := f.sums(p); err != nil {
		return nil, err
	}
	return p, f.edges(p)
}

// maxLive bounds the number of times a node is live in a limit, over all nodes.
const maxLive = 1 << 26

// limits adds a limit per maximal set of live nodes and returns in which limits
// each node counts. While time runs, a set is maximal when a node has started
// and the next event is an end.
func (f *iopddlFile) limits(s *Selection) ([][]int, error) {
	type event struct {
		at    int64
		start bool
		node  int
	}
	var events []event
	for n, iv := range f.Problem.Nodes.Intervals {
		if iv[0] < iv[1] {
			events = append(events, event{iv[0], true, n}, event{iv[1], false, n})
		}
	}
	// Intervals are half open: ends come before starts.
	slices.SortFunc(events, func(a, b event) int {
		switch {
		case a.at != b.at:
			if a.at < b.at {
				return -1
			}
			return 1
		case a.start != b.start:
			if b.start {
				return -1
			}
			return 1
		}
		return a.node - b.node
	})
	counts := make([][]int, len(f.Problem.Nodes.Intervals))
	alive := map[int]bool{}
	total := 0
	for i, e := range events {
		if !e.start {
			delete(alive, e.node)
			continue
		}
		alive[e.node] = true
		if events[i+1].start { // the last event is an end
			continue
		}
		for n := range alive {
			counts[n] = append(counts[n], len(s.Limits))
		}
		if total += len(alive); total > maxLive {
			return nil, fmt.Errorf("nodes.intervals: more than %d live nodes over all times", maxLive)
		}
		s.Limits = append(s.Limits, Limit{Name: "usage/" + strconv.FormatInt(e.at, 10), Amount: *f.Problem.UsageLimit})
	}
	return counts, nil
}

// node adds node n, which counts in the limits live.
func (f *iopddlFile) node(p *IOPDDL, n int, live []int) error {
	costs, usages := f.Problem.Nodes.Costs[n], f.Problem.Nodes.Usages[n]
	if len(usages) != len(costs) {
		return fmt.Errorf("nodes.usages[%d]: want %d entries, one per strategy, found %d", n, len(costs), len(usages))
	}
	node := Node{Name: "node" + strconv.Itoa(n), Counts: [][]int{live},
		Describe: func(i int) string { return "s" + strconv.Itoa(p.Strategies[n][i]) }}
	for k, cost := range costs {
		switch {
		case usages[k] < 0:
			return fmt.Errorf("nodes.usages[%d][%d]: want no negative number, found %d", n, k, usages[k])
		case cost >= IOPDDLForbidden || (len(live) > 0 && usages[k] > solve.MaxMagnitude):
			continue
		case cost > solve.MaxMagnitude || cost < -solve.MaxMagnitude:
			return fmt.Errorf("nodes.costs[%d][%d]: want at most 2^53, or 10^18 for forbidden, found %d", n, k, cost)
		}
		c := Candidate{Cost: cost, Class: int32(len(node.Candidates)), Use: []int64{usages[k]}}
		if len(live) == 0 {
			c.Use[0] = 0
		}
		node.Candidates = append(node.Candidates, c)
		p.Strategies[n] = append(p.Strategies[n], k)
	}
	p.Selection.Nodes = append(p.Selection.Nodes, node)
	return nil
}

// sums reports usages whose sum over the live nodes may leave 64 bits.
func (f *iopddlFile) sums(p *IOPDDL) error {
	most := make([]uint64, len(p.Selection.Limits))
	for n := range p.Selection.Nodes {
		node := &p.Selection.Nodes[n]
		var largest int64
		for _, c := range node.Candidates {
			largest = max(largest, c.Use[0])
		}
		for _, l := range node.Counts[0] {
			sum, carry := bits.Add64(most[l], uint64(largest), 0)
			if carry != 0 || sum > math.MaxInt64 {
				return fmt.Errorf("nodes.usages[%d]: the usages of the live nodes may exceed 64 bits", n)
			}
			most[l] = sum
		}
	}
	return nil
}

// edges adds the edges, one per pair of nodes, in order of first appearance.
func (f *iopddlFile) edges(p *IOPDDL) error {
	s := p.Selection
	at := map[[2]int]int{}
	var magnitude uint64 // of all costs that a choice may add up
	for e, ends := range f.Problem.Edges.Nodes {
		if len(ends) != 2 {
			return fmt.Errorf("edges.nodes[%d]: want 2 entries, found %d", e, len(ends))
		}
		a, b := ends[0], ends[1]
		if a < 0 || b < 0 || a >= len(s.Nodes) || b >= len(s.Nodes) || a == b {
			return fmt.Errorf("edges.nodes[%d]: want two of the nodes 0 to %d, found %d and %d", e, len(s.Nodes)-1, a, b)
		}
		costs := f.Problem.Edges.Costs[e]
		rows, cols := len(f.Problem.Nodes.Costs[a]), len(f.Problem.Nodes.Costs[b])
		if len(costs) != rows*cols {
			return fmt.Errorf("edges.costs[%d]: want %d entries, %d × %d strategies, found %d", e, rows*cols, rows, cols, len(costs))
		}
		t := newPairCosts(len(p.Strategies[a]), len(p.Strategies[b]))
		for i, sa := range p.Strategies[a] {
			for j, sb := range p.Strategies[b] {
				cost := costs[sa*cols+sb]
				if cost < IOPDDLForbidden && (cost > solve.MaxMagnitude || cost < -solve.MaxMagnitude) {
					return fmt.Errorf("edges.costs[%d][%d]: want at most 2^53, or 10^18 for forbidden, found %d", e, sa*cols+sb, cost)
				}
				t.set(i, j, cost)
			}
		}
		key := [2]int{min(a, b), max(a, b)}
		first, twice := at[key]
		if !twice {
			at[key] = len(s.Edges)
			s.Edges = append(s.Edges, Edge{Name: fmt.Sprintf("edge%d", e), From: a, To: b, Pair: t})
			continue
		}
		old := &s.Edges[first]
		if !old.Pair.(*pairCosts).add(t, old.From != a) {
			return fmt.Errorf("edges.costs[%d]: the sum with edge %s exceeds 2^53", e, old.Name)
		}
	}
	for e := range s.Edges {
		t := s.Edges[e].Pair.(*pairCosts)
		t.seal()
		if t.barred {
			s.Edges[e].Forbidden = t.Forbidden
		}
		if magnitude += t.magnitude(); magnitude > math.MaxInt64 {
			return fmt.Errorf("edges.costs[%d]: the cost of a choice may exceed 64 bits", e)
		}
	}
	for n := range s.Nodes {
		var most int64
		for _, c := range s.Nodes[n].Candidates {
			most = max(most, c.Cost, -c.Cost)
		}
		if magnitude += uint64(most); magnitude > math.MaxInt64 {
			return fmt.Errorf("nodes.costs[%d]: the cost of a choice may exceed 64 bits", n)
		}
	}
	return nil
}
