package kernels

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	suffixInitialise = "_initialise"
	suffixAccumulate = "_accumulate"
)

// Symbol is the linker name. GEMM:
//
//	gemm_f16[_interleaved]_k{K}_c{C}_r{R}_{initialise|accumulate}
//
// after the object names of kernels.md §7, with one row count and one entry a
// symbol. An unknown kind has the empty name.
func (s Spec) Symbol() string {
	if s.Kind >= numKinds {
		return ""
	}
	name := kinds[s.Kind].name
	if s.Kind != GemmF16 {
		return name
	}
	if s.Interleaved {
		name += "_interleaved"
	}
	entry := suffixInitialise
	if s.Accumulate {
		entry = suffixAccumulate
	}
	return fmt.Sprintf("%s_k%d_c%d_r%d%s", name, s.K, s.C, s.R, entry)
}

// ParseSymbol is the inverse of Symbol. It fails, wrapping ErrSpec, on every
// name that Symbol does not give to a valid Spec.
func ParseSymbol(name string) (Spec, error) {
	s := Spec{}
	for k := Kind(1); k < numKinds; k++ {
		if k != GemmF16 && name == kinds[k].name {
			return Spec{Kind: k}, nil
		}
	}
	rest, ok := strings.CutPrefix(name, kinds[GemmF16].name)
	if !ok {
		return s, fmt.Errorf("%w: no kernel is called %q", ErrSpec, name)
	}
	s.Kind = GemmF16
	rest, s.Interleaved = strings.CutPrefix(rest, "_interleaved")
	if rest, s.Accumulate = strings.CutSuffix(rest, suffixAccumulate); !s.Accumulate {
		if rest, ok = strings.CutSuffix(rest, suffixInitialise); !ok {
			return Spec{}, fmt.Errorf("%w: %q ends neither in %s nor in %s", ErrSpec, name, suffixInitialise, suffixAccumulate)
		}
	}
	fields := strings.Split(rest, "_")
	for i, into := range []*int{&s.K, &s.C, &s.R} {
		if len(fields) == 4 {
			// A malformed number leaves a value whose name differs.
			*into, _ = strconv.Atoi(strings.TrimLeft(fields[i+1], "kcr"))
		}
	}
	if s.Symbol() != name {
		return Spec{}, fmt.Errorf("%w: %q does not read gemm_f16[_interleaved]_k#_c#_r#_(initialise|accumulate)", ErrSpec, name)
	}
	if err := s.Validate(); err != nil {
		return Spec{}, err
	}
	return s, nil
}
