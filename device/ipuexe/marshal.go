package ipuexe

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"capnproto.org/go/capnp/v3"

	"ipusolve/device"
	"ipusolve/device/ipuexe/internal/wire"
)

// headerBytes is the segment table of a one-segment message.
const headerBytes = 8

// Marshal is the file of a valid package. Equal packages give equal bytes.
func (a *Application) Marshal() ([]byte, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	// One segment of the final size, built in place behind its header: the
	// bytes of a package are moved once, and the layout depends on nothing else.
	n := a.wireBytes()
	if n > 1<<32-8 {
		return nil, fmt.Errorf("ipuexe: package of %d bytes does not fit a Cap'n Proto segment", n)
	}
	file := make([]byte, headerBytes+n)
	_, seg, err := capnp.NewMessage(capnp.SingleSegment(file[headerBytes:headerBytes]))
	if err != nil {
		return nil, fmt.Errorf("ipuexe: %w", err)
	}
	root, err := wire.NewRootApplication(seg)
	if err != nil {
		return nil, fmt.Errorf("ipuexe: %w", err)
	}
	var w writer
	w.application(root, a)
	if w.err != nil {
		return nil, fmt.Errorf("ipuexe: %w", w.err)
	}
	file = file[:headerBytes+len(seg.Data())]
	binary.LittleEndian.PutUint32(file[4:], uint32(len(seg.Data())/8))
	digest, err := root.Digest()
	if err != nil {
		return nil, fmt.Errorf("ipuexe: %w", err)
	}
	sum := sha256.Sum256(file)
	copy(digest, sum[:])
	return file, nil
}

// writer fills wire records; the first error stays.
type writer struct{ err error }

func (w *writer) check(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) data(set func([]byte) error, b []byte) {
	if len(b) > 0 {
		w.check(set(b))
	}
}

var errTooLong = errors.New("list does not fit Cap'n Proto's 2^29 elements")

// fill writes a list of records. An empty list stays a null pointer.
func fill[E ~capnp.StructKind, R any](w *writer, alloc func(int32) (capnp.StructList[E], error), items []R, put func(*writer, E, *R)) {
	if len(items) == 0 || w.err != nil {
		return
	}
	if len(items) >= 1<<29 {
		w.check(errTooLong)
		return
	}
	list, err := alloc(int32(len(items)))
	if err != nil {
		w.check(err)
		return
	}
	for i := range items {
		put(w, list.At(i), &items[i])
	}
}

func (w *writer) numbers(alloc func(int32) (capnp.UInt32List, error), items []uint32) {
	if len(items) == 0 || w.err != nil {
		return
	}
	if len(items) >= 1<<29 {
		w.check(errTooLong)
		return
	}
	list, err := alloc(int32(len(items)))
	if err != nil {
		w.check(err)
		return
	}
	for i, v := range items {
		list.Set(i, v)
	}
}

func (w *writer) application(o wire.Application, a *Application) {
	o.SetSchemaVersion(SchemaVersion)
	w.check(o.SetCompilerVersion(a.CompilerVersion))
	w.check(o.SetTarget(Target))
	o.SetTileMemoryBase(device.SRAMBase)
	o.SetTileMemorySize(device.SRAMBytes)
	w.check(o.SetDigest(make([]byte, sha256.Size)))
	fill(w, o.NewTiles, a.Tiles, (*writer).tile)
	fill(w, o.NewInputs, a.Inputs, (*writer).binding)
	fill(w, o.NewOutputs, a.Outputs, (*writer).binding)
	fill(w, o.NewWeights, a.Weights, (*writer).binding)
	host, err := o.NewHostExchange()
	w.check(err)
	if err == nil {
		w.hostExchange(host, &a.HostExchange)
	}
	fill(w, o.NewEntryPoints, a.EntryPoints, func(w *writer, o wire.EntryPoint, e *EntryPoint) {
		w.check(o.SetName(e.Name))
		o.SetCommand(e.Command)
		o.SetExternalSyncs(e.ExternalSyncs)
	})
	fill(w, o.NewDeviceConfigWrites, a.DeviceConfigWrites, func(_ *writer, o wire.DeviceConfigWrite, d *DeviceConfigWrite) {
		o.SetOffset(d.Offset)
		o.SetValue(d.Value)
	})
	fill(w, o.NewProfileTiles, a.ProfileTiles, func(w *writer, o wire.TileProfilePlan, p *TileProfilePlan) {
		o.SetPhysicalTile(p.PhysicalTile)
		fill(w, o.NewSteps, p.Steps, (*writer).step)
	})
	fill(w, o.NewDebugSymbols, a.DebugSymbols, func(w *writer, o wire.DebugSymbol, s *DebugSymbol) {
		w.check(o.SetName(s.Name))
		o.SetAddress(s.Address)
	})
	fill(w, o.NewDebugRegions, a.DebugRegions, func(w *writer, o wire.DebugRegion, r *DebugRegion) {
		o.SetPhysicalTile(r.PhysicalTile)
		o.SetAddress(r.Address)
		o.SetSize(r.Size)
		w.check(o.SetName(r.Name))
	})
	w.check(o.SetGraphJson(a.GraphJSON))
	w.check(o.SetPlanJson(a.PlanJSON))
	w.check(o.SetReportJson(a.ReportJSON))
}

func (w *writer) tile(o wire.TileImage, t *TileImage) {
	o.SetPhysicalTile(t.PhysicalTile)
	o.SetEntryPoint(t.EntryPoint)
	o.SetCommandAddress(t.CommandAddress)
	o.SetDiagnosticAddress(t.DiagnosticAddress)
	fill(w, o.NewSegments, t.Segments, func(w *writer, o wire.Segment, s *Segment) {
		o.SetAddress(s.Address)
		o.SetMemorySize(s.MemorySize)
		o.SetFlags(uint32(s.Flags))
		w.data(o.SetData, s.Data)
	})
}

func (w *writer) binding(o wire.Binding, b *Binding) {
	w.check(o.SetName(b.Name))
	w.check(o.SetDtype(string(b.DType)))
	w.numbers(o.NewShape, b.Shape)
	fill(w, o.NewSlices, b.Slices, func(_ *writer, o wire.RegionSlice, s *RegionSlice) {
		o.SetTile(s.Tile)
		o.SetTileAddress(s.TileAddress)
		o.SetFileOffset(s.FileOffset)
		o.SetSize(s.Size)
	})
}

func (w *writer) hostExchange(o wire.HostExchange, h *HostExchange) {
	o.SetStartupMark(h.StartupMark)
	o.SetCommandPage(h.CommandPage)
	o.SetCommandOffset(h.CommandOffset)
	fill(w, o.NewPages, h.Pages, func(_ *writer, o wire.HostPage, p *HostPage) {
		o.SetIndex(p.Index)
		o.SetSize(p.Size)
	})
	w.numbers(o.NewAttachOrder, h.AttachOrder)
	fill(w, o.NewCalls, h.Calls, func(w *writer, o wire.HostCall, c *HostCall) {
		w.check(o.SetName(c.Name))
		o.SetCommand(c.Command)
		o.SetPhases(c.Phases)
		fill(w, o.NewInputs, c.Inputs, (*writer).hostSlice)
		fill(w, o.NewOutputs, c.Outputs, (*writer).hostSlice)
		o.SetInvocations(c.Invocations)
		w.numbers(o.NewInputBatchEnds, c.InputBatchEnds)
		w.numbers(o.NewOutputBatchEnds, c.OutputBatchEnds)
	})
}

func (w *writer) hostSlice(o wire.HostSlice, s *HostSlice) {
	o.SetPage(s.Page)
	o.SetPageOffset(s.PageOffset)
	o.SetFileOffset(s.FileOffset)
	o.SetSize(s.Size)
}

func (w *writer) step(o wire.Step, s *Step) {
	o.SetLocalIndex(s.LocalIndex)
	o.SetPhase(s.Phase)
	o.SetEpoch(s.Epoch)
	w.check(o.SetOperation(s.Operation))
	o.SetKind(wire.StepKind(s.Kind))
	w.check(o.SetKernel(s.Kernel))
	fill(w, o.NewMetadata, s.Metadata, func(w *writer, o wire.Metadata, m *Metadata) {
		w.check(o.SetName(m.Name))
		o.SetValue(m.Value)
	})
	fill(w, o.NewExchangeActivities, s.ExchangeActivities, func(_ *writer, o wire.ExchangeActivity, a *ExchangeActivity) {
		o.SetKind(wire.ActivityKind(a.Kind))
		o.SetStartCycle(a.StartCycle)
		o.SetEndCycle(a.EndCycle)
	})
	o.SetExchangeEventCycles(s.ExchangeEventCycles)
}
