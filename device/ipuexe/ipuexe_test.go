package ipuexe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"capnproto.org/go/capnp/v3"
	"github.com/google/go-cmp/cmp"

	"ipusolve/device"
	"ipusolve/device/ipuexe/internal/wire"
)

func TestRoundTrip(t *testing.T) {
	a := sample()
	file := mustMarshal(t, a)
	if want := headerBytes + a.wireBytes(); len(file) != want {
		t.Errorf("file has %d bytes, sized as %d", len(file), want)
	}
	if again := mustMarshal(t, sample()); !bytes.Equal(file, again) {
		t.Error("equal packages give different bytes")
	}
	got, err := Read(bytes.Clone(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, got); diff != "" {
		t.Error(diff)
	}
	if again := mustMarshal(t, got); !bytes.Equal(file, again) {
		t.Error("a package changes when read and written")
	}
	if n := got.Inputs[0].Bytes(); n != 36 {
		t.Errorf("input has %d bytes, want 36", n)
	}
}

// A message in several segments, as other writers make them, reads the same.
func TestReadManySegments(t *testing.T) {
	a := sample()
	arena := capnp.MultiSegment(nil)
	msg, seg, err := capnp.NewMessage(arena)
	if err != nil {
		t.Fatal(err)
	}
	root, err := wire.NewRootApplication(seg)
	if err != nil {
		t.Fatal(err)
	}
	var w writer
	w.application(root, a)
	if w.err != nil {
		t.Fatal(w.err)
	}
	file, err := msg.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if msg.NumSegments() < 2 || !seal(file) {
		t.Fatal("no message of several segments")
	}
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, got); diff != "" {
		t.Error(diff)
	}
}

// The reference compiler's own decoder sees the fields through the schema.
func TestCapnpDecode(t *testing.T) {
	tool, err := exec.LookPath("capnp")
	if err != nil {
		t.Skip("capnp is not installed")
	}
	schema, err := os.ReadFile("internal/wire/ipuexe.capnp")
	if err != nil {
		t.Fatal(err)
	}
	// The Go annotations need a file that only the Go module has.
	var plain []string
	for _, line := range strings.Split(string(schema), "\n") {
		if !strings.Contains(line, "Go.") && !strings.HasPrefix(line, "using Go") {
			plain = append(plain, line)
		}
	}
	path := filepath.Join(t.TempDir(), "plain.capnp")
	if err := os.WriteFile(path, []byte(strings.Join(plain, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "decode", "--short", path, "Application")
	cmd.Stdin = bytes.NewReader(mustMarshal(t, sample()))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		`schemaVersion = 5, compilerVersion = "ipusolve test", target = "ipu21", tileMemoryBase = 311296, tileMemorySize = 638976`,
		`segments = [(address = 360448, memorySize = 1760, flags = 3), (address = 311312, memorySize = 64, data = `,
		`slices = [(tile = 2, tileAddress = 393216, fileOffset = 0, size = 16), (tile = 64, tileAddress = 950252, fileOffset = 16, size = 20)]`,
		`hostExchange = (startupMark = 23, commandPage = 4, commandOffset = 4092, pages = [(index = 4, size = 4096), `,
		`invocations = 2, inputBatchEnds = [1, 1, 2], outputBatchEnds = [0, 1]`,
		`entryPoints = [(name = "run", command = 5, externalSyncs = 6)], deviceConfigWrites = [(offset = 4, value = 7), (offset = 0, value = 8)]`,
		`steps = [(localIndex = 0, phase = 2147483648, epoch = 3, operation = "gather", kind = exchange, kernel = "row", metadata = [(name = "sentWords", value = 64), `,
		`exchangeActivities = [(kind = receive, startCycle = 1, endCycle = 65), (kind = partnerBusy, startCycle = 70, endCycle = 70)], exchangeEventCycles = 130)`,
		`debugSymbols = [(name = "worker_barrier", address = 311552), `,
		`(physicalTile = 4294967295, address = 360448, size = 1760, name = "runtime state")]`,
		`planJson = "{\"tiles\":64}"`, `digest = `,
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("decoded text lacks %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%.3000s … %.5000s", out, out[max(0, len(out)-5000):])
	}
}

func TestReadRefusesDamage(t *testing.T) {
	file := mustMarshal(t, sample())
	for n := range len(file) {
		if n%7 != 0 && n > 200 && n < len(file)-20 {
			continue
		}
		if _, err := Read(bytes.Clone(file[:n])); !errors.Is(err, ErrFormat) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(file), err)
		}
	}
	for _, tail := range [][]byte{{0}, make([]byte, 8), file} {
		if _, err := Read(append(bytes.Clone(file), tail...)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "after the message") {
			t.Errorf("%d bytes more: %v", len(tail), err)
		}
	}
	for i := range file {
		if i%5 != 0 && i > 400 {
			continue
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(file)
			bad[i] ^= flip
			if _, err := Read(bad); !errors.Is(err, ErrDigest) && !errors.Is(err, ErrFormat) {
				t.Fatalf("byte %d of %d flipped by %#x: %v", i, len(file), flip, err)
			}
		}
	}
	bad := bytes.Clone(file)
	bad[len(bad)-1] ^= 1
	before := bytes.Clone(bad)
	if _, err := Read(bad); !errors.Is(err, ErrDigest) {
		t.Error(err)
	}
	if !bytes.Equal(bad, before) {
		t.Error("Read changed the file's bytes")
	}
}

// Messages with a right digest that claim more than they hold.
func TestReadRefusesAmplification(t *testing.T) {
	build := func(fill func(*capnp.Segment, wire.Application) error) []byte {
		msg, seg, err := capnp.NewMessage(capnp.SingleSegment(nil))
		if err != nil {
			t.Fatal(err)
		}
		root, err := wire.NewRootApplication(seg)
		if err != nil {
			t.Fatal(err)
		}
		a := sample()
		var w writer
		w.application(root, a)
		if err := errors.Join(w.err, fill(seg, root)); err != nil {
			t.Fatal(err)
		}
		file, err := msg.Marshal()
		if err != nil || !seal(file) {
			t.Fatal(err, "not sealed")
		}
		return file
	}
	huge := func(seg *capnp.Segment) capnp.List {
		l, err := capnp.NewCompositeList(seg, capnp.ObjectSize{}, 1<<29-1)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for name, file := range map[string][]byte{
		"tiles of no size": build(func(seg *capnp.Segment, root wire.Application) error {
			return root.SetTiles(wire.TileImage_List(huge(seg)))
		}),
		"numbers of no size": build(func(seg *capnp.Segment, root wire.Application) error {
			h, err := root.HostExchange()
			if err != nil {
				return err
			}
			return h.SetAttachOrder(capnp.UInt32List(huge(seg)))
		}),
		"one list in every binding": build(func(seg *capnp.Segment, root wire.Application) error {
			inputs, err := root.NewInputs(1000)
			if err != nil {
				return err
			}
			slices, err := inputs.At(0).NewSlices(1000)
			if err != nil {
				return err
			}
			for i := range inputs.Len() {
				if err := inputs.At(i).SetSlices(slices); err != nil {
					return err
				}
			}
			return nil
		}),
	} {
		if _, err := Read(file); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "traversal limit") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(wire.Application){
		"schemaVersion: 4, not 5":          func(o wire.Application) { o.SetSchemaVersion(4) },
		`target: "ipu2", not "ipu21"`:      func(o wire.Application) { _ = o.SetTarget("ipu2") },
		"tileMemoryBase: 0x0, not 0x4c000": func(o wire.Application) { o.SetTileMemoryBase(0) },
		"tileMemorySize: 1, not 638976":    func(o wire.Application) { o.SetTileMemorySize(1) },
	} {
		file := build(func(_ *capnp.Segment, root wire.Application) error { change(root); return nil })
		if _, err := Read(file); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The digest may lie anywhere in the file.
	file := build(func(_ *capnp.Segment, root wire.Application) error { return root.SetDigest(make([]byte, 32)) })
	if _, err := Read(file); err != nil {
		t.Error(err)
	}
}

func TestValidate(t *testing.T) {
	type change struct {
		want string
		do   func(*Application)
	}
	seg := func(a *Application, i int) *Segment { return &a.Tiles[3].Segments[i] }
	cases := []change{
		{"tiles: 0, not", func(a *Application) { a.Tiles = nil }},
		{"tiles: 63, not", func(a *Application) { a.Tiles = a.Tiles[:63] }},
		{"tiles[3].physicalTile: 1472 not below", func(a *Application) { a.Tiles[3].PhysicalTile = 1472 }},
		{"tiles[3].physicalTile: 63 is logical tile 1471", func(a *Application) { a.Tiles[3].PhysicalTile = 63 }},
		{"tiles[4].physicalTile: 66 is used twice", func(a *Application) { a.Tiles[4].PhysicalTile = a.Tiles[3].PhysicalTile }},
		{"tiles[3].entryPoint: 0x58000", func(a *Application) { a.Tiles[3].EntryPoint = 0x58000 }},
		{"tiles[3].entryPoint: 0x4c012", func(a *Application) { a.Tiles[3].EntryPoint = 0x4c012 }},
		{"tiles[3].segments: none", func(a *Application) { a.Tiles[3].Segments = nil }},
		{"tiles[3].segments[1].address: 0x4bffc outside SRAM", func(a *Application) { seg(a, 1).Address = 0x4bffc }},
		{"tiles[3].segments[1].address: lowest is 0x4c014", func(a *Application) { seg(a, 1).Address = 0x4c014; seg(a, 1).MemorySize = 60 }},
		{"tiles[3].segments[1].address: lowest is 0x4c000", func(a *Application) { seg(a, 1).Address = 0x4c000 }},
		{"tiles[3].segments[2].address: 0x4c050 lies in segments[1]", func(a *Application) { seg(a, 1).MemorySize = 65 }},
		{"tiles[3].segments[0].memorySize: 0", func(a *Application) { seg(a, 0).MemorySize = 0 }},
		{"tiles[3].segments[0].memorySize: 0x58000 + 4294967295 ends at", func(a *Application) { seg(a, 0).MemorySize = 1<<32 - 1 }},
		{"tiles[3].segments[2].data: 3 bytes, memory size 2", func(a *Application) { seg(a, 2).MemorySize = 2 }},
		{"tiles[3].segments[0].data: ends at 0xe7bb1", func(a *Application) {
			seg(a, 0).Address = device.LoaderEnd
			seg(a, 0).MemorySize = 9
			seg(a, 0).Data = []byte{1}
		}},
		{"tiles[3].segments[0].flags: 0x8", func(a *Application) { seg(a, 0).Flags = 8 }},
		{"tiles[3].segments[0].flags: executable, but ends at 0x80001", func(a *Application) {
			*seg(a, 0) = Segment{Address: 0x7fff0, MemorySize: 17, Flags: FlagExecute}
		}},
		{"inputs[0].name: empty", func(a *Application) { a.Inputs[0].Name = "" }},
		{`weights[0].name: "x" is used twice`, func(a *Application) { a.Weights[0].Name = "x" }},
		{`outputs[1].dtype: unknown "i8"`, func(a *Application) { a.Outputs[1].DType = "i8" }},
		{"inputs[0].shape[1]: 0", func(a *Application) { a.Inputs[0].Shape[1] = 0 }},
		{"inputs[0].shape: [4294967295 4294967295 4294967295] is too large", func(a *Application) { a.Inputs[0].Shape = []uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1} }},
		{"inputs[0].slices: 36 bytes do not hold shape [3 7] of f16, 42 bytes", func(a *Application) { a.Inputs[0].Shape[1] = 7 }},
		{"outputs[0].slices: 9 bytes do not hold", func(a *Application) { a.Outputs[0].Slices[0].Size = 9 }},
		{"inputs[0].slices[1].tile: no tile 63", func(a *Application) { a.Inputs[0].Slices[1].Tile = 63 }},
		{"inputs[0].slices[1].tileAddress: 0x0 outside", func(a *Application) { a.Inputs[0].Slices[1].TileAddress = 0 }},
		{"inputs[0].slices[1].size: 0xe7fec + 21 is behind", func(a *Application) { a.Inputs[0].Slices[1].Size = 21 }},
		{"inputs[0].slices[1].size: 0xe7fec + 18446744073709551615 is behind", func(a *Application) { a.Inputs[0].Slices[1].Size = 1<<64 - 1 }},
		{"inputs[0].slices[1].fileOffset: 12, but", func(a *Application) { a.Inputs[0].Slices[1].FileOffset = 12 }},
		{"hostExchange.pages[1].index: 4 is used twice", func(a *Application) { a.HostExchange.Pages[1].Index = 4 }},
		{"hostExchange.commandOffset: 4 bytes at 4093 leave page 4", func(a *Application) { a.HostExchange.CommandOffset = 4093 }},
		{"hostExchange.commandOffset: no page 9", func(a *Application) { a.HostExchange.CommandPage = 9 }},
		{"hostExchange.attachOrder[1]: no page 5", func(a *Application) { a.HostExchange.AttachOrder[1] = 5 }},
		{"hostExchange.calls[0].invocations: 0", func(a *Application) { a.HostExchange.Calls[0].Invocations = 0 }},
		{"hostExchange.calls[0].inputs[0]: no page 2", func(a *Application) { a.HostExchange.Calls[0].Inputs[0].Page = 2 }},
		{"hostExchange.calls[0].inputs[0]: 36 bytes at 18446744073709551615 leave page 1", func(a *Application) { a.HostExchange.Calls[0].Inputs[0].PageOffset = 1<<64 - 1 }},
		{"hostExchange.calls[0].outputs[0]: 9 bytes at", func(a *Application) { a.HostExchange.Calls[0].Outputs[0].Size = 9 }},
		{"hostExchange.calls[0].outputs[0].fileOffset: 18446744073709551615", func(a *Application) { a.HostExchange.Calls[0].Outputs[0].FileOffset = 1<<64 - 1 }},
		{"hostExchange.calls[0].inputBatchEnds[1]: 0 after 1", func(a *Application) { a.HostExchange.Calls[0].InputBatchEnds[1] = 0 }},
		{"hostExchange.calls[0].inputBatchEnds: end at 3 of 2", func(a *Application) { a.HostExchange.Calls[0].InputBatchEnds[2] = 3 }},
		{"hostExchange.calls[0].outputBatchEnds: end at 0 of 1", func(a *Application) { a.HostExchange.Calls[0].OutputBatchEnds = nil }},
		{"deviceConfigWrites[0].offset: 0x2 not a multiple", func(a *Application) { a.DeviceConfigWrites[0].Offset = 2 }},
		{"deviceConfigWrites[1].offset: 0x4 is used twice", func(a *Application) { a.DeviceConfigWrites[1].Offset = 4 }},
		{"profileTiles[0].physicalTile: no tile 63", func(a *Application) { a.ProfileTiles[0].PhysicalTile = 63 }},
		{"profileTiles[1].physicalTile: 64 is used twice", func(a *Application) { a.ProfileTiles = append(a.ProfileTiles, a.ProfileTiles[0]) }},
		{"profileTiles[0].steps[1].localIndex: 0", func(a *Application) { a.ProfileTiles[0].Steps[1].LocalIndex = 0 }},
		{"profileTiles[0].steps[0].kind: unknown 4", func(a *Application) { a.ProfileTiles[0].Steps[0].Kind = 4 }},
		{"profileTiles[0].steps[0].exchangeActivities[1].kind: unknown 3", func(a *Application) { a.ProfileTiles[0].Steps[0].ExchangeActivities[1].Kind = 3 }},
		{"profileTiles[0].steps[0].exchangeActivities[0].endCycle: 0 before 1", func(a *Application) { a.ProfileTiles[0].Steps[0].ExchangeActivities[0].EndCycle = 0 }},
		{"debugRegions[0].physicalTile: no tile 4294967294", func(a *Application) { a.DebugRegions[0].PhysicalTile = AllTiles - 1 }},
	}
	for _, c := range cases {
		a := sample()
		c.do(a)
		file, err := a.Marshal()
		if !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), "ipuexe: invalid package: "+c.want) || file != nil {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
	if err := sample().Validate(); err != nil {
		t.Error(err)
	}
}

// A reader meets the same rules: the digest is right, the content is not.
func TestReadValidates(t *testing.T) {
	file := mustMarshal(t, sample())
	msg, err := capnp.Unmarshal(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := wire.ReadRootApplication(msg)
	if err != nil {
		t.Fatal(err)
	}
	tiles, err := root.Tiles()
	if err != nil {
		t.Fatal(err)
	}
	tiles.At(5).SetPhysicalTile(1471)
	if !seal(file) {
		t.Fatal("not sealed")
	}
	if _, err := Read(file); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "tiles[5].physicalTile") {
		t.Error(err)
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample()); err != nil || !bytes.Equal(b.Bytes(), mustMarshal(t, sample())) {
		t.Error("Write differs from Marshal", err)
	}
	if err := Write(&b, &Application{}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

// readBack reads a file of any bytes; what is accepted must survive writing.
func readBack(t *testing.T, file []byte) (accepted bool) {
	t.Helper()
	a, err := Read(file)
	if err != nil {
		if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDigest) && !errors.Is(err, ErrInvalid) {
			t.Fatalf("no sentinel: %v", err)
		}
		return false
	}
	once := mustMarshal(t, a)
	again, err := Read(bytes.Clone(once))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(once, mustMarshal(t, again)) {
		t.Fatal(cmp.Diff(a, again))
	}
	return true
}

// Whole words of a package are overwritten, mostly by words of its own, so
// that pointers go astray; then the digest is put right.
func TestReadHostile(t *testing.T) {
	file := mustMarshal(t, sample())
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() int { return rng.IntN(len(file)/8-1) + 1 }
	sealed, accepted := 0, 0
	for range 5000 {
		bad := bytes.Clone(file)
		for range 1 + rng.IntN(3) {
			to := word()
			if rng.IntN(2) == 0 {
				to = 1 + to%100 // the root's neighbourhood holds most pointers
			}
			switch rng.IntN(3) {
			case 0:
				copy(bad[8*to:8*to+8], file[8*word():])
			case 1:
				bad[8*to+rng.IntN(8)] = byte(rng.Uint32())
			case 2:
				binary.LittleEndian.PutUint64(bad[8*to:], rng.Uint64()&rng.Uint64()&rng.Uint64())
			}
		}
		if seal(bad) {
			sealed++
		}
		if readBack(t, bad) {
			accepted++
		}
	}
	if sealed < 2500 || accepted == 0 {
		t.Errorf("only %d sealed, %d accepted", sealed, accepted)
	}
}

func FuzzRead(f *testing.F) {
	small := mustMarshal(f, &Application{Tiles: sample().Tiles})
	f.Add(small[:64])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) { readBack(t, file) })
}

// The input is a list of patches of a valid package: word index, new value.
func FuzzReadPatched(f *testing.F) {
	file := mustMarshal(f, sample())
	f.Add([]byte{2, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, patches []byte) {
		bad := bytes.Clone(file)
		for ; len(patches) >= 10; patches = patches[10:] {
			at := int(binary.LittleEndian.Uint16(patches)) % (len(bad) / 8)
			copy(bad[8*at:], patches[2:10])
		}
		seal(bad)
		readBack(t, bad)
	})
}

func BenchmarkMarshal(b *testing.B) {
	a := fullSize()
	b.SetBytes(int64(len(mustMarshal(b, a))))
	for b.Loop() {
		mustMarshal(b, a)
	}
}

func BenchmarkRead(b *testing.B) {
	file := mustMarshal(b, fullSize())
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := Read(file); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	a := fullSize()
	for b.Loop() {
		if err := Write(io.Discard, a); err != nil {
			b.Fatal(err)
		}
	}
}
