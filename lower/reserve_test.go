package lower_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ipusolve/device"
	"ipusolve/kernels"
	"ipusolve/lower"
)

// sendCopy is a program of two tiles: tile 0 sends 8 words to tile 1, which
// copies them.
func sendCopy() *lower.Program {
	return &lower.Program{
		Items: []lower.Item{{Tile: 0, Bytes: 32}, {Tile: 1, Bytes: 32}, {Tile: 1, Bytes: 32}},
		Tiles: [][]lower.Work{
			{{Kind: lower.WorkExchange}},
			{{Kind: lower.WorkExchange}, {Kind: lower.WorkCall, Spec: kernels.Spec{Kind: kernels.Copy32},
				Args: []lower.Arg{lower.Addr(lower.Ref{Item: 2}), lower.Addr(lower.Ref{Item: 1}), lower.Const(8)}}},
		},
		Phases: []lower.Phase{{Transfers: []lower.Transfer{{Source: lower.Ref{Item: 0}, Dests: []lower.Ref{{Item: 1}}, Words: 8}}}},
	}
}

// gemms calls one GEMM of 800 bytes of code (standard weights, 392 bytes of
// worker code) for each of n row counts on one tile.
func gemms(n int) *lower.Program {
	p := &lower.Program{Tiles: make([][]lower.Work, 1)}
	for i := range n {
		p.Tiles[0] = append(p.Tiles[0], lower.Work{Kind: lower.WorkCall, Spec: kernels.Spec{Kind: kernels.GemmF16, K: 16, C: 16, R: 6*i + 1},
			Args: make([]lower.Arg, 3)})
	}
	return p
}

func TestReserveWorked(t *testing.T) {
	type symbol struct {
		kind kernels.Kind
		addr uint32
	}
	for _, c := range []struct {
		name string
		prog *lower.Program
		opt  lower.ReserveOptions
		// runtime symbols, where they are in the list's order by address
		symbols        []symbol
		code, rows     lower.Range
		standard       []lower.Range
		interleavedEnd uint32
	}{
		{
			// Sizes 32, 20, 192, 52, 20, each rounded up to 8. Code of tile 1:
			// 24 + 4 + 2 words around, 8 for the exchange, 4 for the copy. Rows of
			// tile 1: 3 controls, one pair, one long wait at most, delay, return.
			name: "one phase", prog: sendCopy(),
			symbols: []symbol{{kernels.Copy32, 0x4c018}, {kernels.WorkerBarrier, 0x4c038}, {kernels.Startup, 0x4c050},
				{kernels.CycleSample, 0x4c110}, {kernels.Completion, 0x4c148}},
			code: lower.Range{Start: 0x4c160, End: 0x4c160 + 4*42}, rows: lower.Range{Start: 0x4c208, End: 0x50000},
			standard: []lower.Range{{Start: 0x586e0, End: 0x80000}}, interleavedEnd: 0xe7bb0,
		},
		{
			// 20 000 + 64 bytes do not fit below 0x50000: two elements behind 0x5c000.
			name: "long rows", prog: sendCopy(), opt: lower.ReserveOptions{RowBytes: 20000},
			symbols: []symbol{{kernels.Copy32, 0x4c018}, {kernels.WorkerBarrier, 0x4c038}, {kernels.Startup, 0x4c050},
				{kernels.CycleSample, 0x4c110}, {kernels.Completion, 0x4c148}},
			code: lower.Range{Start: 0x4c160, End: 0x4c208}, rows: lower.Range{Start: 0x5c000, End: 0x64000},
			standard: []lower.Range{{Start: 0x586e0, End: 0x5c000}, {Start: 0x64000, End: 0x80000}}, interleavedEnd: 0xe7bb0,
		},
		{
			// 20 GEMMs fill 16 000 of 16 360 bytes, the 21st goes on at 0x5c000, the
			// runtime's 296 bytes fit again, the code, 30 + 21·4 words, does not.
			name: "many kernels", prog: gemms(21),
			symbols: []symbol{{kernels.WorkerBarrier, 0x4fe98}, {kernels.Startup, 0x4feb0}, {kernels.CycleSample, 0x4ff70},
				{kernels.Completion, 0x4ffa8}},
			code: lower.Range{Start: 0x5c320, End: 0x5c320 + 4*114}, rows: lower.Range{Start: 0x4ffc0, End: 0x4ffc0},
			standard: []lower.Range{{Start: 0x586e0, End: 0x5c000}, {Start: 0x60000, End: 0x80000}}, interleavedEnd: 0xe7bb0,
		},
		{
			// 112 928 bytes count for the standard range, so 87 072 = 2721·32 of region 1.
			name: "memory limit", prog: gemms(0), opt: lower.ReserveOptions{MemoryLimit: 200_000},
			symbols: []symbol{{kernels.WorkerBarrier, 0x4c018}, {kernels.Startup, 0x4c030}, {kernels.CycleSample, 0x4c0f0},
				{kernels.Completion, 0x4c128}},
			code: lower.Range{Start: 0x4c140, End: 0x4c140 + 4*30}, rows: lower.Range{Start: 0x4c1b8, End: 0x4c1b8},
			standard: []lower.Range{{Start: 0x586e0, End: 0x80000}}, interleavedEnd: 0x80000 + 87072,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := lower.Reserve(c.prog, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			var got []symbol
			for _, s := range m.Symbols {
				if s.Spec.Kind != kernels.GemmF16 {
					got = append(got, symbol{s.Spec.Kind, s.Addr})
				}
			}
			if d := cmp.Diff(c.symbols, got, cmp.AllowUnexported(symbol{})); d != "" {
				t.Error(d)
			}
			m.Symbols = nil
			want := lower.MemoryMap{Code: c.code, RowTable: c.rows, Standard: c.standard, InterleavedEnd: c.interleavedEnd}
			if d := cmp.Diff(want, m); d != "" {
				t.Error(d)
			}
		})
	}
}

// The limit ends region 1 on the granule, never above the loader's end and
// never below its start.
func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		limit int
		end   uint32
	}{{0, 0xe7bb0}, {586_960, 0xe7bb0}, {600_000, 0xe7bb0}, {537_807, 0xe7ba0}, {112_928 + 64, 0x80040}, {112_928 + 63, 0x80020}, {112_928, 0x80000}, {1, 0x80000}} {
		m, err := lower.Reserve(gemms(0), lower.ReserveOptions{MemoryLimit: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		if m.InterleavedEnd != c.end {
			t.Errorf("limit %d: region 1 ends at %#x, want %#x", c.limit, m.InterleavedEnd, c.end)
		}
	}
}

func TestReserveRefuses(t *testing.T) {
	var short *lower.ReserveError
	// 20 symbols below 0x50000 and 184 of 147 456/800 above; 185 found no room,
	// the runtime's did.
	_, err := lower.Reserve(gemms(205), lower.ReserveOptions{})
	if !errors.As(err, &short) || *short != (lower.ReserveError{What: "gemm_f16_k16_c16_r1225_initialise", Tile: -1, Need: 800, Have: 360}) {
		t.Errorf("205 kernels: %v", err)
	}
	_, err = lower.Reserve(sendCopy(), lower.ReserveOptions{RowBytes: 200_000})
	if !errors.As(err, &short) || *short != (lower.ReserveError{What: "exchange rows", Tile: -1, Need: 200_064, Have: 0x80000 - 0x5c000}) {
		t.Errorf("200 000 bytes of rows: %v", err)
	}
}

func TestCheckReserve(t *testing.T) {
	p := sendCopy()
	m, err := lower.Reserve(p, lower.ReserveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	room := int(m.RowTable.End-m.RowTable.Start) - device.FetchGuard
	rows := [][][]uint32{{nil, make([]uint32, room/4)}}
	if err := lower.CheckReserve(p, m, rows); err != nil {
		t.Errorf("rows that fill the table: %v", err)
	}
	rows[0][1] = make([]uint32, room/4+1)
	var short *lower.ReserveError
	if err := lower.CheckReserve(p, m, rows); !errors.As(err, &short) || short.Need != room+4 || short.Have != room || short.Tile != 1 {
		t.Fatalf("one word too much: %v", err)
	}
	if m, err = lower.Reserve(p, lower.ReserveOptions{RowBytes: short.Need}); err != nil {
		t.Fatal(err)
	}
	if err := lower.CheckReserve(p, m, rows); err != nil {
		t.Errorf("raised to what the error asks for: %v", err)
	}
}

func TestRowOffsets(t *testing.T) {
	w := func(n int) []uint32 { return make([]uint32, n) }
	at, n := lower.RowOffsets([][][]uint32{{w(3)}, {nil}, {w(2)}, {nil}, {w(1)}}, 0)
	if d := cmp.Diff([]uint32{0, 16, 24, 16, 32}, at); d != "" || n != 36 {
		t.Errorf("%d bytes, %s", n, d)
	}
}

// Real programs leave enough for data. The rows the reference found for phase 3
// of the first seed take 28 KB (simulator.md §7).
func TestReserveFullSize(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		name                 string
		prog                 func() (*lower.Program, error)
		rowsAtLeast, rowsMax int
	}{
		{"first seed", func() (*lower.Program, error) { return lower.Build(firstSeed()) }, 28_000, 90_000},
		{"normal family", func() (*lower.Program, error) { return lower.Build(fullSize()) }, 4_000, 40_000},
	} {
		p, err := c.prog()
		if err != nil {
			t.Fatal(err)
		}
		m, err := lower.Reserve(p, lower.ReserveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rows := int(m.RowTable.End - m.RowTable.Start)
		t.Logf("%s: %d symbols, code %d bytes, row table %d, data %v to %#x", c.name, len(m.Symbols), m.Code.End-m.Code.Start, rows, m.Standard, m.InterleavedEnd)
		if rows < c.rowsAtLeast || rows > c.rowsMax {
			t.Errorf("%s: %d bytes of rows, want %d to %d", c.name, rows, c.rowsAtLeast, c.rowsMax)
		}
		if _, err := lower.Place(p, m); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func BenchmarkReserve(b *testing.B) {
	p, err := lower.Build(firstSeed())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := lower.Reserve(p, lower.ReserveOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
