package ipuexe

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"capnproto.org/go/capnp/v3"

	"ipusolve/device"
	"ipusolve/device/ipuexe/internal/wire"
)

// Sentinels of Read besides ErrInvalid.
var (
	// ErrFormat reports bytes that are not one whole Cap'n Proto message of
	// schema version 5 for this target: truncated, trailing bytes, bad pointers.
	ErrFormat = errors.New("not a package")
	// ErrDigest reports a package whose bytes are not those that were written.
	ErrDigest = errors.New("wrong digest")
)

// maxSegments is the most a message may have, as in the library's streams.
const maxSegments = 512

// Read decodes and validates a package file. Segment data of the result share
// memory with file, which the caller gives away: it must not change
// afterwards, nor be read by anybody else during the call.
//
// Fails with ErrFormat, ErrDigest or ErrInvalid. Time and memory are bounded
// by a constant times len(file), whatever the bytes are.
func Read(file []byte) (*Application, error) {
	if err := checkFrame(file); err != nil {
		return nil, fmt.Errorf("ipuexe: %w: %w", ErrFormat, err)
	}
	msg, err := capnp.Unmarshal(file)
	if err != nil {
		return nil, fmt.Errorf("ipuexe: %w: %w", ErrFormat, err)
	}
	// Every object of an honest file is visited once, so its size is limit
	// enough; the library counts a word for elements of no size.
	msg.TraverseLimit = uint64(len(file))
	root, err := wire.ReadRootApplication(msg)
	if err != nil {
		return nil, fmt.Errorf("ipuexe: %w: %w", ErrFormat, err)
	}
	if err := checkDigest(root, file); err != nil {
		return nil, fmt.Errorf("ipuexe: %w", err)
	}
	a := new(Application)
	if err := readApplication(root, a); err != nil {
		return nil, fmt.Errorf("ipuexe: %w: %w", ErrFormat, err)
	}
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return a, nil
}

// checkFrame demands that the segment table describes exactly the file.
func checkFrame(file []byte) error {
	if len(file) < 8 {
		return fmt.Errorf("%d bytes are no segment table", len(file))
	}
	count := uint64(binary.LittleEndian.Uint32(file)) + 1
	if count > maxSegments {
		return fmt.Errorf("%d segments, at most %d", count, maxSegments)
	}
	table := (4 + 4*count + 7) &^ 7
	if table > uint64(len(file)) {
		return fmt.Errorf("segment table of %d bytes in %d", table, len(file))
	}
	total := table
	for i := range count {
		total += 8 * uint64(binary.LittleEndian.Uint32(file[4+4*i:]))
	}
	switch n := uint64(len(file)); {
	case n < total:
		return fmt.Errorf("truncated: %d of %d bytes", n, total)
	case n > total:
		return fmt.Errorf("%d bytes after the message", n-total)
	}
	return nil
}

// checkDigest hashes the file with its digest bytes zero and puts them back.
func checkDigest(root wire.Application, file []byte) error {
	stored, err := root.Digest()
	if err != nil {
		return fmt.Errorf("%w: digest: %w", ErrFormat, err)
	}
	if len(stored) != sha256.Size {
		return fmt.Errorf("%w: digest: %d bytes, not %d", ErrFormat, len(stored), sha256.Size)
	}
	want := bytes.Clone(stored)
	clear(stored)
	got := sha256.Sum256(file)
	copy(stored, want)
	if !bytes.Equal(got[:], want) {
		return fmt.Errorf("%w: file says %x, its bytes give %x", ErrDigest, want, got)
	}
	return nil
}

// list reads a list of records; one decodes a single element.
func list[E ~capnp.StructKind, R any](name string, get func() (capnp.StructList[E], error), one func(E, *R) error) ([]R, error) {
	from, err := get()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n := from.Len()
	if n == 0 {
		return nil, nil
	}
	to := make([]R, n)
	for i := range to {
		if err := one(from.At(i), &to[i]); err != nil {
			return nil, fmt.Errorf("%s[%d].%w", name, i, err)
		}
	}
	return to, nil
}

func numbers(name string, get func() (capnp.UInt32List, error)) ([]uint32, error) {
	from, err := get()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if from.Len() == 0 {
		return nil, nil
	}
	to := make([]uint32, from.Len())
	for i := range to {
		to[i] = from.At(i)
	}
	return to, nil
}

func text(name string, get func() (string, error)) (string, error) {
	s, err := get()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func readApplication(o wire.Application, a *Application) (err error) {
	target, err := text("target", o.Target)
	switch {
	case err != nil:
		return err
	case o.SchemaVersion() != SchemaVersion:
		return fmt.Errorf("schemaVersion: %d, not %d", o.SchemaVersion(), SchemaVersion)
	case target != Target:
		return fmt.Errorf("target: %q, not %q", target, Target)
	case o.TileMemoryBase() != device.SRAMBase:
		return fmt.Errorf("tileMemoryBase: %#x, not %#x", o.TileMemoryBase(), device.SRAMBase)
	case o.TileMemorySize() != device.SRAMBytes:
		return fmt.Errorf("tileMemorySize: %d, not %d", o.TileMemorySize(), device.SRAMBytes)
	}
	if a.CompilerVersion, err = text("compilerVersion", o.CompilerVersion); err != nil {
		return err
	}
	if a.Tiles, err = list("tiles", o.Tiles, readTile); err != nil {
		return err
	}
	if a.Inputs, err = list("inputs", o.Inputs, readBinding); err != nil {
		return err
	}
	if a.Outputs, err = list("outputs", o.Outputs, readBinding); err != nil {
		return err
	}
	if a.Weights, err = list("weights", o.Weights, readBinding); err != nil {
		return err
	}
	host, err := o.HostExchange()
	if err != nil {
		return fmt.Errorf("hostExchange: %w", err)
	}
	if err := readHostExchange(host, &a.HostExchange); err != nil {
		return fmt.Errorf("hostExchange.%w", err)
	}
	a.EntryPoints, err = list("entryPoints", o.EntryPoints, func(o wire.EntryPoint, e *EntryPoint) (err error) {
		e.Command, e.ExternalSyncs = o.Command(), o.ExternalSyncs()
		e.Name, err = text("name", o.Name)
		return err
	})
	if err != nil {
		return err
	}
	a.DeviceConfigWrites, err = list("deviceConfigWrites", o.DeviceConfigWrites, func(o wire.DeviceConfigWrite, d *DeviceConfigWrite) error {
		*d = DeviceConfigWrite{o.Offset(), o.Value()}
		return nil
	})
	if err != nil {
		return err
	}
	a.ProfileTiles, err = list("profileTiles", o.ProfileTiles, func(o wire.TileProfilePlan, p *TileProfilePlan) (err error) {
		p.PhysicalTile = o.PhysicalTile()
		p.Steps, err = list("steps", o.Steps, readStep)
		return err
	})
	if err != nil {
		return err
	}
	a.DebugSymbols, err = list("debugSymbols", o.DebugSymbols, func(o wire.DebugSymbol, s *DebugSymbol) (err error) {
		s.Address = o.Address()
		s.Name, err = text("name", o.Name)
		return err
	})
	if err != nil {
		return err
	}
	a.DebugRegions, err = list("debugRegions", o.DebugRegions, func(o wire.DebugRegion, r *DebugRegion) (err error) {
		r.PhysicalTile, r.Address, r.Size = o.PhysicalTile(), o.Address(), o.Size()
		r.Name, err = text("name", o.Name)
		return err
	})
	if err != nil {
		return err
	}
	if a.GraphJSON, err = text("graphJson", o.GraphJson); err != nil {
		return err
	}
	if a.PlanJSON, err = text("planJson", o.PlanJson); err != nil {
		return err
	}
	a.ReportJSON, err = text("reportJson", o.ReportJson)
	return err
}

func readTile(o wire.TileImage, t *TileImage) (err error) {
	t.PhysicalTile, t.EntryPoint = o.PhysicalTile(), o.EntryPoint()
	t.CommandAddress, t.DiagnosticAddress = o.CommandAddress(), o.DiagnosticAddress()
	t.Segments, err = list("segments", o.Segments, func(o wire.Segment, s *Segment) error {
		data, err := o.Data()
		if err != nil {
			return fmt.Errorf("data: %w", err)
		}
		if len(data) == 0 {
			data = nil
		}
		*s = Segment{o.Address(), o.MemorySize(), slices.Clip(data), Flags(o.Flags())}
		return nil
	})
	return err
}

func readBinding(o wire.Binding, b *Binding) (err error) {
	if b.Name, err = text("name", o.Name); err != nil {
		return err
	}
	dtype, err := text("dtype", o.Dtype)
	if err != nil {
		return err
	}
	b.DType = DType(dtype)
	if b.Shape, err = numbers("shape", o.Shape); err != nil {
		return err
	}
	b.Slices, err = list("slices", o.Slices, func(o wire.RegionSlice, s *RegionSlice) error {
		*s = RegionSlice{o.Tile(), o.TileAddress(), o.FileOffset(), o.Size()}
		return nil
	})
	return err
}

func readHostExchange(o wire.HostExchange, h *HostExchange) (err error) {
	h.StartupMark, h.CommandPage, h.CommandOffset = o.StartupMark(), o.CommandPage(), o.CommandOffset()
	h.Pages, err = list("pages", o.Pages, func(o wire.HostPage, p *HostPage) error {
		*p = HostPage{o.Index(), o.Size()}
		return nil
	})
	if err != nil {
		return err
	}
	if h.AttachOrder, err = numbers("attachOrder", o.AttachOrder); err != nil {
		return err
	}
	h.Calls, err = list("calls", o.Calls, readHostCall)
	return err
}

func readHostCall(o wire.HostCall, c *HostCall) (err error) {
	c.Command, c.Phases, c.Invocations = o.Command(), o.Phases(), o.Invocations()
	if c.Name, err = text("name", o.Name); err != nil {
		return err
	}
	if c.Inputs, err = list("inputs", o.Inputs, readHostSlice); err != nil {
		return err
	}
	if c.Outputs, err = list("outputs", o.Outputs, readHostSlice); err != nil {
		return err
	}
	if c.InputBatchEnds, err = numbers("inputBatchEnds", o.InputBatchEnds); err != nil {
		return err
	}
	c.OutputBatchEnds, err = numbers("outputBatchEnds", o.OutputBatchEnds)
	return err
}

func readHostSlice(o wire.HostSlice, s *HostSlice) error {
	*s = HostSlice{o.Page(), o.PageOffset(), o.FileOffset(), o.Size()}
	return nil
}

func readStep(o wire.Step, s *Step) (err error) {
	s.LocalIndex, s.Phase, s.Epoch = o.LocalIndex(), o.Phase(), o.Epoch()
	s.Kind, s.ExchangeEventCycles = StepKind(o.Kind()), o.ExchangeEventCycles()
	if s.Operation, err = text("operation", o.Operation); err != nil {
		return err
	}
	if s.Kernel, err = text("kernel", o.Kernel); err != nil {
		return err
	}
	s.Metadata, err = list("metadata", o.Metadata, func(o wire.Metadata, m *Metadata) (err error) {
		m.Value = o.Value()
		m.Name, err = text("name", o.Name)
		return err
	})
	if err != nil {
		return err
	}
	s.ExchangeActivities, err = list("exchangeActivities", o.ExchangeActivities, func(o wire.ExchangeActivity, a *ExchangeActivity) error {
		*a = ExchangeActivity{ActivityKind(o.Kind()), o.StartCycle(), o.EndCycle()}
		return nil
	})
	return err
}
