package exchange

// component is a set of messages that share tiles, directly or through others,
// with no one outside.
type component struct {
	tiles    []int32 // ascending
	messages []int32 // ascending
}

// components splits a problem; messages of different components cannot affect
// each other, as every rule is about one tile.
func components(p *Problem) []component {
	parent := make([]int32, p.Tiles)
	for t := range parent {
		parent[t] = int32(t)
	}
	root := func(t int32) int32 {
		for parent[t] != t {
			parent[t] = parent[parent[t]]
			t = parent[t]
		}
		return t
	}
	active := make([]bool, p.Tiles)
	for i := range p.Messages {
		m := &p.Messages[i]
		a := root(m.Source)
		active[m.Source] = true
		join := func(t int32) {
			active[t] = true
			b := root(t)
			a, b = min(a, b), max(a, b)
			parent[b] = a
		}
		if m.Paired {
			join(m.Source ^ 1) // lends its lane
		}
		for _, d := range m.Dests {
			join(d.Tile)
		}
	}
	number := make([]int32, p.Tiles) // of a root's component + 1
	var out []component
	for t := range parent {
		if !active[t] {
			continue
		}
		r := root(int32(t))
		if number[r] == 0 {
			out = append(out, component{})
			number[r] = int32(len(out))
		}
		c := &out[number[r]-1]
		c.tiles = append(c.tiles, int32(t))
	}
	for i := range p.Messages {
		c := &out[number[root(p.Messages[i].Source)]-1]
		c.messages = append(c.messages, int32(i))
	}
	return out
}
