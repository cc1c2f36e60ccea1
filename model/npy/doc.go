// Package npy reads and writes NumPy's .npy files for the element types this
// project stores: little-endian F16 and float32, C layout. The format is a magic
// string, a version, the length of a Python dictionary, the dictionary and the
// elements:
//
//	\x93NUMPY 1 0 <length> {'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }\n <data>
package npy
