package lower

import "ipusolve/device"

// FewerRowBytes is the largest room for exchange rows, less than there is, that
// would leave at least that many more bytes to data; 0 if there is none. It is a
// ReserveOptions.RowCap to place again with: real rows are often shorter than
// what is proven to do, and CheckReserve tells.
func (m MemoryMap) FewerRowBytes(more int) int {
	if m.RowTable.Start < device.SecondCodeBase {
		return 0 // rows take nothing from data
	}
	first := uint32(device.CodeBase)
	for _, s := range m.Symbols {
		if s.Addr < device.WindowBase {
			first = max(first, s.Addr+uint32(s.Spec.CodeBytes()))
		}
	}
	if m.Code.Start < device.WindowBase {
		first = max(first, m.Code.End)
	}
	rows := int(device.WindowBase) - int(alignUp(first, codeAlign))
	elements := max(1, (more+device.StandardElement-1)/device.StandardElement)
	rows = max(rows, int(m.RowTable.End)-elements*device.StandardElement-int(m.RowTable.Start))
	return max(rows-device.FetchGuard, 0)
}
