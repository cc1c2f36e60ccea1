package ipuexe

// Fixed fields of a package (reference: kernels.md §10, simulator.md §6).
const (
	SchemaVersion = 5
	Target        = "ipu21"
	// StartupMark is the host mark after which the application runs:
	// 23 batches of 64 tiles are loaded before it.
	StartupMark = 23
	// AllTiles as DebugRegion.PhysicalTile names every tile.
	AllTiles = 1<<32 - 1
)

// Application is one package. Addresses are byte addresses of a tile, offsets
// and sizes are bytes, tiles are physical ids unless named otherwise. The
// fields that every ipu21 package shares (schemaVersion, target,
// tileMemoryBase, tileMemorySize) and the digest are written and checked by
// this package and have no place here.
type Application struct {
	CompilerVersion string
	// Tiles are the images of logical tiles 0..len(Tiles)−1 in any order.
	Tiles              []TileImage
	Inputs             []Binding
	Outputs            []Binding
	Weights            []Binding
	HostExchange       HostExchange
	EntryPoints        []EntryPoint
	DeviceConfigWrites []DeviceConfigWrite
	ProfileTiles       []TileProfilePlan
	DebugSymbols       []DebugSymbol
	DebugRegions       []DebugRegion

	GraphJSON  string // the graph that was compiled
	PlanJSON   string // its plan with the problem
	ReportJSON string // the compile report, without times and paths
}

// TileImage is what one tile is loaded with.
type TileImage struct {
	PhysicalTile      uint32
	EntryPoint        uint32 // address of the first instruction
	Segments          []Segment
	CommandAddress    uint32
	DiagnosticAddress uint32
}

// Flags of a segment.
type Flags uint32

// Segment flags; a segment may have any of them.
const (
	FlagRead Flags = 1 << iota
	FlagWrite
	FlagExecute
)

// Segment is MemorySize bytes at Address: Data, then zeros.
type Segment struct {
	Address    uint32
	MemorySize uint32
	Data       []byte
	Flags      Flags
}

// DType is the element type of a binding.
type DType string

// Element types.
const (
	F16    DType = "f16"
	F32    DType = "f32"
	F8F143 DType = "f8f143"
	U32    DType = "u32"
)

// Size is the bytes of one element, 0 for an unknown type.
func (d DType) Size() uint64 {
	switch d {
	case F16:
		return 2
	case F32, U32:
		return 4
	case F8F143:
		return 1
	}
	return 0
}

// Binding maps a tensor's host bytes, the concatenation of its slices, to
// places in tile memory. Slices hold whole shards in storage order: padding
// and replicas are part of the bytes.
type Binding struct {
	Name   string
	DType  DType
	Shape  []uint32 // logical extents, each ≥ 1; none for a scalar
	Slices []RegionSlice
}

// Bytes is the host size of the binding: the sum of its slices.
func (b *Binding) Bytes() uint64 {
	if len(b.Slices) == 0 {
		return 0
	}
	last := b.Slices[len(b.Slices)-1]
	return last.FileOffset + last.Size
}

// RegionSlice is one contiguous piece of a binding. FileOffset is the sum of
// the sizes before it.
type RegionSlice struct {
	Tile        uint32
	TileAddress uint32
	FileOffset  uint64
	Size        uint64
}

// HostExchange describes the pages and calls of the host protocol.
type HostExchange struct {
	StartupMark   uint32
	CommandPage   uint32
	CommandOffset uint64
	Pages         []HostPage
	AttachOrder   []uint32 // page indices
	Calls         []HostCall
}

// HostPage is one page of host memory.
type HostPage struct {
	Index uint32
	Size  uint64
}

// HostCall is one command of the host protocol.
type HostCall struct {
	Name            string
	Command         uint32
	Phases          uint32
	Inputs          []HostSlice
	Outputs         []HostSlice
	Invocations     uint32   // ≥ 1
	InputBatchEnds  []uint32 // batch i moves Inputs[InputBatchEnds[i-1]:InputBatchEnds[i]]
	OutputBatchEnds []uint32
}

// HostSlice is a piece of a page.
type HostSlice struct {
	Page       uint32
	PageOffset uint64
	FileOffset uint64
	Size       uint64
}

// EntryPoint is a command the host can run.
type EntryPoint struct {
	Name          string
	Command       uint32
	ExternalSyncs uint32
}

// DeviceConfigWrite is one register write before loading.
type DeviceConfigWrite struct {
	Offset uint32
	Value  uint32
}

// TileProfilePlan names the steps between the cycle samples of a tile.
type TileProfilePlan struct {
	PhysicalTile uint32
	Steps        []Step
}

// Step is one step of a tile's program.
type Step struct {
	LocalIndex          uint32 // its place in the list
	Phase               uint32
	Epoch               uint32
	Operation           string
	Kind                StepKind
	Kernel              string
	Metadata            []Metadata
	ExchangeActivities  []ExchangeActivity
	ExchangeEventCycles uint32
}

// StepKind is the kind of a step.
type StepKind uint16

// Step kinds.
const (
	StepExchange StepKind = iota
	StepCompute
	StepSynchronization
	StepIdle
)

// Metadata is a named number of a step. Exchange steps carry SentWords and
// ReceivedWords, which the simulator checks.
type Metadata struct {
	Name  string
	Value uint32
}

// Names of an exchange step's metadata (reference: simulator.md §4).
const (
	SentWords     = "sentWords"
	ReceivedWords = "receivedWords"
)

// ExchangeActivity is an interval of a row, on its event clock.
type ExchangeActivity struct {
	Kind       ActivityKind
	StartCycle uint32
	EndCycle   uint32
}

// ActivityKind is the kind of an exchange activity.
type ActivityKind uint16

// Activity kinds.
const (
	ActivitySend ActivityKind = iota
	ActivityReceive
	ActivityPartnerBusy
)

// DebugSymbol names an address of the linked code, the same on every tile.
type DebugSymbol struct {
	Name    string
	Address uint32
}

// DebugRegion names a memory range of one tile or of AllTiles.
type DebugRegion struct {
	PhysicalTile uint32
	Address      uint32
	Size         uint32
	Name         string
}
