package ipuexe

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"capnproto.org/go/capnp/v3"

	"ipusolve/device"
	"ipusolve/device/ipuexe/internal/wire"
)

// sample is a small valid package in which no field is left at zero.
func sample() *Application {
	a := &Application{
		CompilerVersion: "ipusolve test",
		Inputs: []Binding{{Name: "x", DType: F16, Shape: []uint32{3, 5}, Slices: []RegionSlice{
			{Tile: 2, TileAddress: 0x60000, FileOffset: 0, Size: 16},
			{Tile: 64, TileAddress: 0xe7fec, FileOffset: 16, Size: 20},
		}}},
		Outputs: []Binding{
			{Name: "output.0", DType: F32, Shape: []uint32{2}, Slices: []RegionSlice{{Tile: 0, TileAddress: 0x5c000, Size: 8}}},
			{Name: "completion", DType: U32, Slices: []RegionSlice{{Tile: 0, TileAddress: device.CompletionWord, Size: 4}}},
		},
		Weights: []Binding{{Name: "w", DType: F8F143, Shape: []uint32{7}, Slices: []RegionSlice{{Tile: 66, TileAddress: 0x80000, Size: 7}}}},
		HostExchange: HostExchange{
			StartupMark: StartupMark, CommandPage: 4, CommandOffset: 4092,
			Pages:       []HostPage{{4, 4096}, {1, 64 * 4096}},
			AttachOrder: []uint32{1, 4},
			Calls: []HostCall{{
				Name: "run", Command: 1, Phases: 3, Invocations: 2,
				Inputs:          []HostSlice{{Page: 1, PageOffset: 4096, FileOffset: 8, Size: 36}, {Page: 4, PageOffset: 1, FileOffset: 2, Size: 3}},
				Outputs:         []HostSlice{{Page: 1, PageOffset: 64*4096 - 8, FileOffset: 16, Size: 8}},
				InputBatchEnds:  []uint32{1, 1, 2},
				OutputBatchEnds: []uint32{0, 1},
			}},
		},
		EntryPoints:        []EntryPoint{{Name: "run", Command: 5, ExternalSyncs: 6}},
		DeviceConfigWrites: []DeviceConfigWrite{{4, 7}, {0, 8}},
		ProfileTiles: []TileProfilePlan{{PhysicalTile: 64, Steps: []Step{
			{LocalIndex: 0, Phase: 1 << 31, Epoch: 3, Operation: "gather", Kind: StepExchange, Kernel: "row",
				Metadata:           []Metadata{{SentWords, 64}, {ReceivedWords, 128}},
				ExchangeActivities: []ExchangeActivity{{ActivityReceive, 1, 65}, {ActivityPartnerBusy, 70, 70}}, ExchangeEventCycles: 130},
			{LocalIndex: 1, Kind: StepIdle},
		}}},
		DebugSymbols: []DebugSymbol{{"worker_barrier", 0x4c100}, {"gemm_f16", 0x4d000}},
		DebugRegions: []DebugRegion{{0, 0x60000, 16, "x"}, {AllTiles, 0x58000, 0x6e0, "runtime state"}},
		GraphJSON:    `{"values":["Größe"]}`, PlanJSON: `{"tiles":64}`, ReportJSON: `{"status":"optimal"}`,
	}
	for l := range device.TileBatch {
		a.Tiles = append(a.Tiles, TileImage{
			PhysicalTile: uint32(device.Physical(l)), EntryPoint: device.EntryStub,
			CommandAddress: 0x50000, DiagnosticAddress: 0x50004,
			Segments: []Segment{
				{Address: device.RuntimeEnd - 0x6e0, MemorySize: 0x6e0, Flags: FlagRead | FlagWrite},
				{Address: device.EntryStub, MemorySize: 64, Data: bytes.Repeat([]byte{byte(l), 3}, 9), Flags: FlagRead | FlagExecute},
				{Address: device.EntryStub + 64, MemorySize: 3, Data: []byte{1, 2, 3}, Flags: FlagRead},
			},
		})
	}
	return a
}

// fullSize is shaped like the SigLIP MLP: 1472 images of 40 KB in three
// segments, 41 steps with exchange activities a tile, megabytes of JSON.
func fullSize() *Application {
	a := sample()
	a.Tiles, a.ProfileTiles = nil, nil
	for l := range device.NumTiles {
		p := uint32(device.Physical(l))
		code := make([]byte, 0x1800)
		rows := make([]byte, 7000)
		data := make([]byte, 27000)
		for i := range data {
			data[i] = byte(i * l >> 3)
		}
		a.Tiles = append(a.Tiles, TileImage{PhysicalTile: p, EntryPoint: device.EntryStub, Segments: []Segment{
			{Address: device.EntryStub, MemorySize: 0x1800, Data: code, Flags: FlagRead | FlagExecute},
			{Address: device.SecondCodeBase, MemorySize: 7000, Data: rows, Flags: FlagRead | FlagExecute},
			{Address: 0x60000, MemorySize: 27000, Data: data, Flags: FlagRead | FlagWrite},
		}})
		plan := TileProfilePlan{PhysicalTile: p}
		for s := range uint32(41) {
			plan.Steps = append(plan.Steps, Step{LocalIndex: s, Phase: s, Operation: fmt.Sprint("operation.", s), Kernel: "gemm_f16",
				Metadata: []Metadata{{SentWords, 64 * s}, {ReceivedWords, 63 * s}}, ExchangeActivities: make([]ExchangeActivity, 10)})
		}
		a.ProfileTiles = append(a.ProfileTiles, plan)
	}
	a.PlanJSON = `"` + strings.Repeat("x", 8<<20) + `"`
	a.ReportJSON = `"` + strings.Repeat("y", 8<<20) + `"`
	return a
}

func mustMarshal(t testing.TB, a *Application) []byte {
	t.Helper()
	file, err := a.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// seal gives a message that has a digest field of 32 bytes its right digest.
func seal(file []byte) bool {
	if checkFrame(file) != nil {
		return false
	}
	msg, err := capnp.Unmarshal(file)
	if err != nil {
		return false
	}
	root, err := wire.ReadRootApplication(msg)
	if err != nil {
		return false
	}
	digest, err := root.Digest()
	if err != nil || len(digest) != sha256.Size {
		return false
	}
	clear(digest)
	sum := sha256.Sum256(file)
	copy(digest, sum[:])
	return true
}
