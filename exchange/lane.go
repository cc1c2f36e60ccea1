package exchange

// lane is one machine of a tile: its disjoint busy windows in time order. The
// window of a receive is its source window.
type lane struct {
	start, end []int32
	message    []int32
}

func (l *lane) reset() { l.start, l.end, l.message = l.start[:0], l.end[:0], l.message[:0] }

// after is the index of the first window that ends behind t. It gallops back
// from the last window, as most questions are about times near the end.
func (l *lane) after(t int32) int {
	end := l.end
	lo, hi := 0, len(end) // end[hi] > t, or hi is the end
	for step := 1; lo < hi; step *= 2 {
		if k := len(end) - step; k <= 0 {
			break
		} else if end[k] <= t {
			lo = k + 1
			break
		} else {
			hi = k
		}
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if end[mid] > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// fit is the earliest t' ≥ t at which [t', t'+n) is free.
func (l *lane) fit(t, n int32) int32 {
	for k := l.after(t); k < len(l.start) && l.start[k] < t+n; k++ {
		t = l.end[k]
	}
	return t
}

// starts tells whether a window starts at t.
func (l *lane) starts(t int32) bool {
	k := l.after(t)
	return k < len(l.start) && l.start[k] == t
}

// bounded tells whether a window starts or ends at t.
func (l *lane) bounded(t int32) bool {
	k := l.after(t)
	return k < len(l.start) && l.start[k] == t || k > 0 && l.end[k-1] == t
}

func (l *lane) insert(t, n, message int32) {
	k := l.after(t)
	l.start = insertAt(l.start, k, t)
	l.end = insertAt(l.end, k, t+n)
	l.message = insertAt(l.message, k, message)
}

// remove takes out the window that starts at t.
func (l *lane) remove(t int32) {
	k := l.after(t)
	l.start = append(l.start[:k], l.start[k+1:]...)
	l.end = append(l.end[:k], l.end[k+1:]...)
	l.message = append(l.message[:k], l.message[k+1:]...)
}

// last is the end of the last window, 0 if there is none.
func (l *lane) last() int32 {
	if n := len(l.end); n > 0 {
		return l.end[n-1]
	}
	return 0
}

func insertAt(s []int32, k int, v int32) []int32 {
	s = append(s, v)
	if k < len(s)-1 {
		copy(s[k+1:], s[k:])
		s[k] = v
	}
	return s
}
