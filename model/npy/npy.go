package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ErrFormat is wrapped by every error about the content of a file; the message
// says what was expected and what was found.
var ErrFormat = errors.New("npy: malformed file")

// Array is a tensor in row-major order. Exactly one of F16 and F32 is in use, the
// other is nil.
type Array struct {
	Shape []int
	F16   []uint16 // bits, from '<f2'
	F32   []float32
}

const (
	magic      = "\x93NUMPY"
	maxHeader  = 1 << 16 // bytes of dictionary accepted
	maxAxes    = 64      // NumPy's own limit
	alignment  = 64      // of the data, as NumPy writes it
	chunkBytes = 1 << 20
)

// Read reads one array and expects the input to end behind it. It accepts format
// versions 1 to 3, '<f2' and '<f4' and refuses Fortran order. Memory grows with
// the bytes that are there, not with what the header promises.
func Read(r io.Reader) (Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return Array{}, err
	}
	count, size := 1, 2
	if h.descr == "<f4" {
		size = 4
	}
	for _, d := range h.shape {
		if d != 0 && count > math.MaxInt32/d {
			return Array{}, fmt.Errorf("%w: shape %v, expected fewer than 2^31 elements", ErrFormat, h.shape)
		}
		count *= d
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(count*size)+1))
	switch {
	case err != nil:
		return Array{}, fmt.Errorf("npy: %w", err)
	case len(data) > count*size:
		return Array{}, fmt.Errorf("%w: expected the end behind %d bytes of data for shape %v of %s, found more", ErrFormat, count*size, h.shape, h.descr)
	case len(data) < count*size:
		return Array{}, fmt.Errorf("%w: expected %d bytes of data for shape %v of %s, found %d", ErrFormat, count*size, h.shape, h.descr, len(data))
	}
	a := Array{Shape: h.shape}
	if size == 2 {
		a.F16 = make([]uint16, count)
		for i := range a.F16 {
			a.F16[i] = binary.LittleEndian.Uint16(data[2*i:])
		}
		return a, nil
	}
	a.F32 = make([]float32, count)
	for i := range a.F32 {
		a.F32[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return a, nil
}

// WriteF16 writes F16 bits as '<f2', version 1.0. It panics if shape is not one
// of len(data) elements in at most 64 axes.
func WriteF16(w io.Writer, shape []int, data []uint16) error {
	count, legal := 1, len(shape) <= maxAxes
	dims := make([]string, len(shape))
	for i, d := range shape {
		count, legal = count*d, legal && d >= 0
		dims[i] = strconv.Itoa(d)
	}
	if !legal || count != len(data) {
		panic(fmt.Sprintf("npy: shape %v for %d elements", shape, len(data)))
	}
	tuple := strings.Join(dims, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	dict := fmt.Sprintf("{'descr': '<f2', 'fortran_order': False, 'shape': (%s), }", tuple)
	prefix := len(magic) + 4
	pad := alignment - 1 - (prefix+len(dict))%alignment
	dict += strings.Repeat(" ", pad) + "\n"

	var head bytes.Buffer
	head.WriteString(magic + "\x01\x00")
	head.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(dict))))
	head.WriteString(dict)
	if _, err := w.Write(head.Bytes()); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	buf := make([]byte, 0, chunkBytes)
	for len(data) > 0 {
		part := data[:min(len(data), chunkBytes/2)]
		buf = buf[:0]
		for _, h := range part {
			buf = binary.LittleEndian.AppendUint16(buf, h)
		}
		if _, err := w.Write(buf); err != nil {
			return fmt.Errorf("npy: %w", err)
		}
		data = data[len(part):]
	}
	return nil
}
