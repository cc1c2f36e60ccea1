package ipuexe

import "crypto/sha256"

// Bytes of the wire records: 8 per pointer plus the data words that the schema
// compiler lays out (internal/wire).
const (
	applicationBytes     = 16 + 16*8
	tileImageBytes       = 16 + 1*8
	segmentBytes         = 16 + 1*8
	bindingBytes         = 0 + 4*8
	regionSliceBytes     = 24
	hostExchangeBytes    = 16 + 3*8
	hostPageBytes        = 16
	hostCallBytes        = 16 + 5*8
	hostSliceBytes       = 32
	entryPointBytes      = 8 + 1*8
	configWriteBytes     = 8
	profilePlanBytes     = 8 + 1*8
	stepBytes            = 24 + 4*8
	metadataBytes        = 8 + 1*8
	activityBytes        = 16
	debugSymbolBytes     = 8 + 1*8
	debugRegionBytes     = 16 + 1*8
	rootPointerBytes     = 8
	compositeHeaderBytes = 8
)

func padded(n int) int { return (n + 7) &^ 7 }

func textBytes(s string) int {
	if s == "" {
		return 0
	}
	return padded(len(s) + 1)
}

func listBytes(n, each int) int {
	if n == 0 {
		return 0
	}
	return compositeHeaderBytes + n*each
}

// wireBytes is the exact size of the segment that Marshal fills.
func (a *Application) wireBytes() int {
	n := rootPointerBytes + applicationBytes + hostExchangeBytes + sha256.Size
	for _, s := range []string{a.CompilerVersion, Target, a.GraphJSON, a.PlanJSON, a.ReportJSON} {
		n += textBytes(s)
	}
	n += listBytes(len(a.Tiles), tileImageBytes)
	for i := range a.Tiles {
		segments := a.Tiles[i].Segments
		n += listBytes(len(segments), segmentBytes)
		for j := range segments {
			n += padded(len(segments[j].Data))
		}
	}
	for _, list := range [][]Binding{a.Inputs, a.Outputs, a.Weights} {
		n += listBytes(len(list), bindingBytes)
		for i := range list {
			b := &list[i]
			n += textBytes(b.Name) + textBytes(string(b.DType)) + padded(4*len(b.Shape)) + listBytes(len(b.Slices), regionSliceBytes)
		}
	}
	h := &a.HostExchange
	n += listBytes(len(h.Pages), hostPageBytes) + padded(4*len(h.AttachOrder)) + listBytes(len(h.Calls), hostCallBytes)
	for i := range h.Calls {
		c := &h.Calls[i]
		n += textBytes(c.Name) + listBytes(len(c.Inputs), hostSliceBytes) + listBytes(len(c.Outputs), hostSliceBytes) +
			padded(4*len(c.InputBatchEnds)) + padded(4*len(c.OutputBatchEnds))
	}
	n += listBytes(len(a.EntryPoints), entryPointBytes)
	for i := range a.EntryPoints {
		n += textBytes(a.EntryPoints[i].Name)
	}
	n += listBytes(len(a.DeviceConfigWrites), configWriteBytes)
	n += listBytes(len(a.ProfileTiles), profilePlanBytes)
	for i := range a.ProfileTiles {
		steps := a.ProfileTiles[i].Steps
		n += listBytes(len(steps), stepBytes)
		for j := range steps {
			s := &steps[j]
			n += textBytes(s.Operation) + textBytes(s.Kernel) +
				listBytes(len(s.Metadata), metadataBytes) + listBytes(len(s.ExchangeActivities), activityBytes)
			for k := range s.Metadata {
				n += textBytes(s.Metadata[k].Name)
			}
		}
	}
	n += listBytes(len(a.DebugSymbols), debugSymbolBytes)
	for i := range a.DebugSymbols {
		n += textBytes(a.DebugSymbols[i].Name)
	}
	n += listBytes(len(a.DebugRegions), debugRegionBytes)
	for i := range a.DebugRegions {
		n += textBytes(a.DebugRegions[i].Name)
	}
	return n
}
