package lower

import "ipusolve/encode"

// Arena is the placement problem of a tile, or of the pair of tiles that it
// belongs to where these want equal addresses.
func Arena(p *Program, m MemoryMap, tile int) *encode.Arena {
	for _, c := range arenas(p, m) {
		for _, t := range c.tiles {
			if int(t) == tile || c.paired && int(t)+1 == tile {
				return c.arena
			}
		}
	}
	return nil
}
