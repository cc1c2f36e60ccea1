package suite

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"ipusolve/device"
	"ipusolve/exchange"
)

// TestExchangeFamilies pins what the families are: messages, receivers, words,
// the endpoint bound and the best of the bounds A–D, where the reference knows
// them (exchange.md §10.7, lowering.md §6.1) with its figures. The digest fixes
// addresses too; those of the seed's phases are the placement's.
func TestExchangeFamilies(t *testing.T) {
	type figures struct {
		messages, receivers int
		words               int64
		endpoint, bound     int64
		digest              string
	}
	want := map[string]figures{
		"p1":           {1, 1, 64, 64, 130, "fb17c5cd"},
		"p2":           {2, 2, 128, 128, 194, "41f0f46f"},
		"p3":           {2, 2, 128, 128, 193, "e20f7cd2"},
		"p4":           {3, 6, 192, 128, 228, "0edcd59e"},
		"p5":           {3, 3, 192, 64, 124, "7bc58ed0"},
		"p6":           {6, 6, 6, 6, 72, "aef8d4d6"},
		"seed-0":       {675, 675, 2582400, 3840, 3953, ""},
		"seed-1":       {12105, 12105, 6292448, 4800, 4902, ""},
		"seed-2":       {195361, 195361, 1562888, 1184, 1258, ""},
		"seed-3":       {196821, 4696866, 4057128, 33408, 33510, ""},
		"seed-4":       {63720, 63720, 5893632, 4704, 4806, ""},
		"seed-2-half":  {195361, 195361, 1562888, 1184, 2292, ""},
		"shifts-20x16": {29440, 29440, 471040, 320, 422, "df95c4e5"},
		"shifts-8x128": {11776, 11776, 1507328, 1024, 1126, "bf8c40dc"},
		"shifts-200":   {2000, 2000, 32000, 160, 262, "bc1e1576"},
		"all-64x100":   {4032, 4032, 403200, 6300, 6402, "b07bdf8f"},
		"all-256x2":    {65280, 65280, 130560, 510, 612, "1e12b5df"},
		"mixed-200":    {29440, 29440, 2980768, 4437, 4501, "05c5a58f"},
		"mixed-16":     {88320, 88320, 751389, 765, 853, "472e8adf"},
		"even-200":     {29440, 29440, 2945802, 2790, 2857, "a4450097"},
		"even-16":      {88320, 88320, 750478, 620, 715, "267ea14d"},
		"gather":       {3480, 83520, 1579920, 26332, 26436, "41cfc8b7"},
		"skewed":       {14720, 14720, 482102, 15648, 15732, "72804b24"},
		"small":        {3234, 5555, 96810, 73116, 120114, "6a39476f"},
	}
	for _, f := range Exchange() {
		list, err := f.Problems()
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		var got figures
		for _, p := range list {
			if err := p.Validate(); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			got.messages += len(p.Messages)
			for i := range p.Messages {
				got.receivers += len(p.Messages[i].Dests)
				got.words += int64(p.Messages[i].Words)
			}
			got.endpoint += int64(exchange.EndpointBound(p))
			got.bound += int64(exchange.Best(p).Horizon)
		}
		w, known := want[f.Name]
		if w.digest != "" {
			if err := (&exchange.Snapshot{Tiles: device.NumTiles, Phases: list}).Write(h); err != nil {
				t.Fatal(err)
			}
			got.digest = fmt.Sprintf("%x", h.Sum(nil)[:4])
		}
		// Stronger bounds may come.
		if w.bound = max(w.bound, got.bound); !known || got != w {
			t.Errorf("%s: %+v, want %+v", f.Name, got, w)
		}
		delete(want, f.Name)
	}
	if len(want) != 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestFamilyMet: a known optimum decides, else the ratio to the bound.
func TestFamilyMet(t *testing.T) {
	for _, c := range []struct {
		f              Family
		horizon, bound int64
		met            bool
	}{
		{Family{Optimum: 254}, 254, 228, true},
		{Family{Optimum: 254}, 255, 255, false},
		{Family{Target: 1.5}, 150, 100, true},
		{Family{Target: 1.5}, 151, 100, false},
		{Family{}, 151, 100, true},
	} {
		if got := c.f.Met(c.horizon, c.bound); got != c.met {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestHalfDuplexRefuses: data that do not fit one memory element.
func TestHalfDuplexRefuses(t *testing.T) {
	if _, err := HalfDuplex(AllToAll(64, 100)); err == nil {
		t.Error("50 400 bytes a tile were moved into one element")
	}
}
