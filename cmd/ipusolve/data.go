package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ipusolve/model"
	"ipusolve/model/eval"
	"ipusolve/model/npy"
)

// namedFiles reads the NAME=FILE values of a flag. Names are those of plan values
// with the role.
func namedFiles(c *cli.Context, flag, role string, plan *model.Plan) (map[string]string, error) {
	var known []string
	for i := range plan.Values {
		if plan.Values[i].Role == role {
			known = append(known, plan.Values[i].Graph)
		}
	}
	files := map[string]string{}
	for _, value := range c.StringSlice(flag) {
		name, path, ok := strings.Cut(value, "=")
		switch {
		case !ok || name == "" || path == "":
			return nil, usageError("run: --%s: want NAME=FILE, found %q", flag, value)
		case !slices.Contains(known, name):
			return nil, usageError("run: --%s: the package has no %s %q, but %s", flag, role, name, strings.Join(known, ", "))
		case files[name] != "":
			return nil, usageError("run: --%s: %s is given twice", flag, name)
		}
		files[name] = path
	}
	return files, nil
}

// readTensor reads a tensor of a graph value; float32 is rounded to F16.
func readTensor(path string, v model.GraphValue) ([]uint16, error) {
	a, err := readFile(path, npy.Read)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(a.Shape, v.Shape) {
		return nil, fmt.Errorf("%s: shape of %s: want %v, found %v", path, v.Name, v.Shape, a.Shape)
	}
	if a.F16 != nil {
		return a.F16, nil
	}
	return eval.FromFloat32(a.Shape, a.F32).Data, nil
}

// writeTensor writes a tensor of a graph value as .npy.
func writeTensor(path string, v model.GraphValue, data []uint16) error {
	return writeFile(path, func(w io.Writer) error { return npy.WriteF16(w, v.Shape, data) })
}
