package check

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ipusolve/exchange"
)

// TestWitnessMutated changes witnesses of every kind: whatever is accepted proves
// no more than the problem's optimum, which some schedule shows, and a message, a
// machine or an order that the problem lacks is refused.
func TestWitnessMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	kinds := []exchange.BoundKind{"", exchange.BoundItems, exchange.BoundMachine, exchange.BoundElement, exchange.BoundPair, exchange.BoundSpread,
		exchange.BoundControl, exchange.BoundSlots, exchange.BoundPath, exchange.BoundClique, exchange.BoundLink, "other"}
	sides := []exchange.Side{"", exchange.SendSide, exchange.ReceiveSide, exchange.WriteSide, exchange.BothSides}
	refused, accepted := 0, map[exchange.BoundKind]int{}
	for range 400 {
		p := randomProblem(rng, 6, 2+rng.IntN(7))
		s := place(t, rng, p)
		b := exchange.Best(p)
		for range 60 {
			w := b.Witness
			w.Messages = slices.Clone(w.Messages)
			if w.Other != nil {
				o := *w.Other
				w.Other = &o
			}
			for range 1 + rng.IntN(4) {
				switch rng.IntN(8) {
				case 0:
					w.Kind = kinds[rng.IntN(len(kinds))]
				case 1:
					w.Side = sides[rng.IntN(len(sides))]
				case 2:
					w.Tile = int32(rng.IntN(8)) - 1
				case 3:
					w.Element = rng.IntN(66) - 1
				case 4:
					w.Messages = append(w.Messages, int32(rng.IntN(len(p.Messages)+1)))
					slices.Sort(w.Messages)
				case 5:
					k := rng.IntN(len(w.Messages) + 1)
					w.Messages = slices.Delete(w.Messages, k, min(k+1, len(w.Messages)))
				case 6:
					w.Messages = nil
					for j := range p.Messages {
						if rng.IntN(2) == 0 {
							w.Messages = append(w.Messages, int32(j))
						}
					}
				case 7:
					w.Other = &exchange.OtherMachine{Tile: int32(rng.IntN(7)), Side: sides[rng.IntN(len(sides))], Messages: w.Messages, Joint: int32(rng.IntN(4))}
				}
			}
			h, err := Witness(p, &w)
			switch {
			case err != nil:
				if !errors.Is(err, ErrWitness) || h != 0 {
					t.Fatalf("%+v: %d, %v", w, h, err)
				}
				refused++
			case h > s.Horizon:
				t.Fatalf("%+v proves %d, a schedule takes %d", w, h, s.Horizon)
			default:
				accepted[w.Kind]++
			}
		}
	}
	if refused < 1000 || len(accepted) < 7 {
		t.Errorf("%d refused, accepted %v", refused, accepted)
	}
}

// TestWitnessErrors: what each kind refuses.
func TestWitnessErrors(t *testing.T) {
	const a, b = 0x60000, 0x80000
	p := chip(
		msg(5, 64, a, to(100, b)), msg(6, 64, a, to(100, b+256)), msg(100, 64, b, to(7, a)),
		msg(200, 1, a, to(201, b)), msg(300, 2, a, to(301, b)), msg(300, 2, a, to(301, b+64)),
		paired(msg(0, 128, a, pair(2, b)...)),
	)
	good := exchange.Witness{Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}}
	if _, err := Witness(p, &good); err != nil {
		t.Fatal(err)
	}
	other := &exchange.OtherMachine{Tile: 5, Side: exchange.SendSide, Messages: []int32{0}}
	for name, w := range map[string]exchange.Witness{
		"kind":              {Kind: "other", Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}},
		"no kind":           {Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}},
		"tile":              {Kind: exchange.BoundMachine, Tile: 1472, Side: exchange.ReceiveSide, Messages: []int32{0, 1}},
		"side":              {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.BothSides, Messages: []int32{0, 1}},
		"no messages":       {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide},
		"order":             {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{1, 0}},
		"twice":             {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 0}},
		"beyond":            {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 7}},
		"elsewhere":         {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 2}},
		"element":           {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Element: 1, Messages: []int32{0, 1}},
		"no element":        {Kind: exchange.BoundElement, Tile: 100, Side: exchange.BothSides, Element: 64, Messages: []int32{0, 1}},
		"other element":     {Kind: exchange.BoundElement, Tile: 100, Side: exchange.BothSides, Element: 3, Messages: []int32{0, 1}},
		"second machine":    {Kind: exchange.BoundMachine, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}, Other: other},
		"no partner":        {Kind: exchange.BoundPair, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}},
		"partner":           {Kind: exchange.BoundMachine, Tile: 1, Side: exchange.SendSide, Messages: []int32{6}},
		"partner's items":   {Kind: exchange.BoundItems, Tile: 1, Side: exchange.SendSide, Messages: []int32{6}},
		"no multicast":      {Kind: exchange.BoundSpread, Tile: 5, Side: exchange.SendSide, Messages: []int32{0}},
		"no receives":       {Kind: exchange.BoundControl, Tile: 5, Side: exchange.BothSides, Messages: []int32{0}},
		"paired controls":   {Kind: exchange.BoundControl, Tile: 2, Side: exchange.BothSides, Messages: []int32{6}},
		"single words":      {Kind: exchange.BoundSlots, Tile: 201, Side: exchange.BothSides, Messages: []int32{3}},
		"some slots":        {Kind: exchange.BoundSlots, Tile: 301, Side: exchange.BothSides, Messages: []int32{4}},
		"few slots":         {Kind: exchange.BoundSlots, Tile: 301, Side: exchange.BothSides, Messages: []int32{4, 5}},
		"no dependency":     {Kind: exchange.BoundPath, Tile: 5, Side: exchange.BothSides, Messages: []int32{0, 1}},
		"path elsewhere":    {Kind: exchange.BoundPath, Tile: 6, Side: exchange.BothSides, Messages: []int32{0, 2}},
		"no clique":         {Kind: exchange.BoundClique, Tile: 5, Side: exchange.BothSides, Messages: []int32{0, 1, 3}},
		"clique elsewhere":  {Kind: exchange.BoundClique, Tile: 6, Side: exchange.BothSides, Messages: []int32{0, 1}},
		"no second machine": {Kind: exchange.BoundLink, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}},
		"same machine": {Kind: exchange.BoundLink, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1},
			Other: &exchange.OtherMachine{Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}}},
		"joint": {Kind: exchange.BoundLink, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1},
			Other: &exchange.OtherMachine{Tile: 5, Side: exchange.SendSide, Messages: []int32{0}, Joint: 1}},
		"second side": {Kind: exchange.BoundLink, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1},
			Other: &exchange.OtherMachine{Tile: 5, Side: exchange.BothSides, Messages: []int32{0}}},
	} {
		if h, err := Witness(p, &w); !errors.Is(err, ErrWitness) || h != 0 {
			t.Errorf("%s: %d, %v", name, h, err)
		}
	}
	for name, w := range map[string]exchange.Witness{
		"path": {Kind: exchange.BoundPath, Tile: 5, Side: exchange.BothSides, Messages: []int32{0, 2}},
		"link": {Kind: exchange.BoundLink, Tile: 100, Side: exchange.ReceiveSide, Messages: []int32{0, 1}, Other: other},
	} {
		if _, err := Witness(p, &w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h, err := Witness(chip(), &exchange.Witness{}); h != 0 || err != nil {
		t.Errorf("nothing: %d, %v", h, err)
	}
}

// No witness panics or proves more than a schedule takes.
func FuzzWitness(f *testing.F) {
	const a, b = 0x60000, 0x68000
	p := &exchange.Problem{Tiles: 8, Messages: []exchange.Message{
		msg(0, 20, a, to(2, b)), msg(1, 60, a, to(2, b+80), to(4, b)), msg(2, 9, b, to(0, a+0x4000)),
		msg(5, 9, a, to(2, b)), paired(msg(6, 128, a, pair(4, b+0x2000)...)),
	}}
	rng := rand.New(rand.NewPCG(1, 5))
	s := place(f, rng, p)
	for range 50 {
		if better := place(f, rng, p); better.Horizon < s.Horizon {
			s = better
		}
	}
	for _, k := range []string{"items", "machine", "control", "element", "pair", "spread", "path", "slots", "link", "clique"} {
		f.Add(k, int32(2), "receive", 24, []byte{0, 1, 3}, int32(0), "send", []byte{0}, int32(0))
		f.Add(k, int32(2), "both", 24, []byte{0, 1, 2, 3}, int32(-1), "", []byte{}, int32(0))
	}
	list := func(b []byte) (out []int32) {
		for _, x := range b {
			out = append(out, int32(x)-1)
		}
		return out
	}
	f.Fuzz(func(t *testing.T, kind string, tile int32, side string, element int, messages []byte, other int32, otherSide string, otherMessages []byte, joint int32) {
		w := exchange.Witness{Kind: exchange.BoundKind(kind), Tile: tile, Side: exchange.Side(side), Element: element, Messages: list(messages)}
		if otherSide != "" {
			w.Other = &exchange.OtherMachine{Tile: other, Side: exchange.Side(otherSide), Messages: list(otherMessages), Joint: joint}
		}
		if h, err := Witness(p, &w); err == nil && h > s.Horizon {
			t.Errorf("%+v proves %d of %d", w, h, s.Horizon)
		}
	})
}
