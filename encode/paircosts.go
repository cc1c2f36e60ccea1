package encode

import (
	"math"

	"ipusolve/solve"
)

// pairCosts is a Pair by an explicit table; classes are 0, 1, ….
type pairCosts struct {
	cols   int
	cost   []int64 // row-major; barredPair where the pair is forbidden
	barred bool    // some pair is

	left, right, spread []int64 // made by seal
}

const barredPair = math.MaxInt64

func newPairCosts(rows, cols int) *pairCosts {
	return &pairCosts{cols: cols, cost: make([]int64, rows*cols), left: make([]int64, rows), right: make([]int64, cols), spread: make([]int64, rows)}
}

// set enters a cost; from IOPDDLForbidden on the pair is forbidden.
func (t *pairCosts) set(a, b int, cost int64) {
	if cost >= IOPDDLForbidden {
		cost, t.barred = barredPair, true
	}
	t.cost[a*t.cols+b] = cost
}

// add adds another table of the same two nodes, transposed if it lists them the
// other way round; false when a sum leaves the range of a model.
func (t *pairCosts) add(o *pairCosts, transposed bool) bool {
	for k, cost := range t.cost {
		a, b := k/t.cols, k%t.cols
		if transposed {
			a, b = b, a
		}
		more := o.cost[a*o.cols+b]
		if cost == barredPair || more == barredPair {
			t.cost[k], t.barred = barredPair, true
			continue
		}
		sum := cost + more
		if sum > solve.MaxMagnitude || sum < -solve.MaxMagnitude {
			return false
		}
		t.cost[k] = sum
	}
	return true
}

// seal computes the separable bounds from the allowed pairs.
func (t *pairCosts) seal() {
	each := func(f func(a, b int, cost int64)) {
		for k, cost := range t.cost {
			if cost != barredPair {
				f(k/t.cols, k%t.cols, cost)
			}
		}
	}
	for a := range t.left {
		t.left[a] = barredPair
	}
	each(func(a, _ int, cost int64) { t.left[a] = min(t.left[a], cost) })
	for a := range t.left {
		if t.left[a] == barredPair {
			t.left[a] = 0
		}
	}
	for b := range t.right {
		t.right[b] = barredPair
	}
	each(func(a, b int, cost int64) { t.right[b] = min(t.right[b], cost-t.left[a]) })
	for b := range t.right {
		if t.right[b] == barredPair {
			t.right[b] = 0
		}
	}
	each(func(a, b int, cost int64) { t.spread[a] = max(t.spread[a], cost-t.left[a]-t.right[b]) })
}

// magnitude is the largest absolute value of an allowed cost.
func (t *pairCosts) magnitude() uint64 {
	var most int64
	for _, cost := range t.cost {
		if cost != barredPair {
			most = max(most, cost, -cost)
		}
	}
	return uint64(most)
}

func (t *pairCosts) Left(a int32) int64          { return t.left[a] }
func (t *pairCosts) Right(b int32) int64         { return t.right[b] }
func (t *pairCosts) Spread(a int32) int64        { return t.spread[a] }
func (t *pairCosts) LowerBound(a, b int32) int64 { return t.Exact(a, b) }
func (t *pairCosts) Exact(a, b int32) int64      { return t.cost[int(a)*t.cols+int(b)] }
func (t *pairCosts) Forbidden(a, b int32) bool   { return t.Exact(a, b) == barredPair }
