package exchange

// waves splits point-to-point messages into as few rounds as possible, each
// with at most one send and one receive a tile: a bipartite edge colouring with
// as many colours as the busiest machine has messages (König). It returns the
// round of every message of the component, or nil if one has several receivers
// or the table would be unreasonably large (a few tiles with very many messages).
//
// Messages are coloured in list order; where sender and receiver have no free
// colour in common, the two-coloured path between them is flipped.
func waves(in *instance, c *component) []int32 {
	local := make(map[int32]int32, len(c.tiles))
	for k, t := range c.tiles {
		local[t] = int32(k)
	}
	tiles := int32(len(c.tiles))
	degree := make([]int32, 2*tiles)
	colours := int32(0)
	ends := make([][2]int32, len(c.messages)) // vertices: sender, tiles + receiver
	for k, i := range c.messages {
		if in.first[i+1]-in.first[i] != 1 {
			return nil
		}
		u, v := local[in.source[i]], tiles+local[in.tile[in.first[i]]]
		ends[k] = [2]int32{u, v}
		degree[u]++
		degree[v]++
		colours = max(colours, degree[u], degree[v])
	}
	if int(2*tiles)*int(colours) > mostCells || int(colours)*len(c.messages) > mostSteps {
		return nil
	}
	// used[v·colours+a] is 1 + the edge of colour a at v.
	used := make([]int32, 2*tiles*colours)
	free := func(v int32) int32 {
		row := used[v*colours : (v+1)*colours]
		for a, e := range row {
			if e == 0 {
				return int32(a)
			}
		}
		panic("exchange: more edges at a vertex than colours")
	}
	out := make([]int32, len(c.messages))
	var path []int32
	for k := range ends {
		u, v := ends[k][0], ends[k][1]
		a, b := free(u), free(v)
		if a != b && used[v*colours+a] != 0 {
			// Swap a and b along the path from v that starts with colour a. It
			// cannot reach u: it would arrive there by colour a, free at u.
			path = path[:0]
			for at, colour := v, a; ; {
				e := used[at*colours+colour]
				if e == 0 {
					break
				}
				path = append(path, e-1)
				at = ends[e-1][0] + ends[e-1][1] - at
				colour = a + b - colour
			}
			for _, e := range path {
				for _, w := range ends[e] {
					used[w*colours+out[e]] = 0
				}
			}
			for _, e := range path {
				out[e] = a + b - out[e]
				for _, w := range ends[e] {
					used[w*colours+out[e]] = e + 1
				}
			}
		}
		out[k] = a
		used[u*colours+a], used[v*colours+a] = int32(k)+1, int32(k)+1
	}
	return out
}

// Limits on the colour table and on the search for free colours.
const (
	mostCells = 1 << 24
	mostSteps = 1 << 28
)
