package ipusolve_test

import (
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ipusolve"
	"ipusolve/model"
)

// jsonField is a field of a record as JSON shows it.
type jsonField struct {
	name     string
	optional bool
	typ      reflect.Type
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// recordOf is the struct that values of a type are made of, nil for one that JSON
// shows as a single value.
func recordOf(t reflect.Type) reflect.Type {
	for !t.Implements(marshaler) && !t.Implements(textMarshaler) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			t = t.Elem()
			continue
		case reflect.Struct:
			return t
		}
		break
	}
	return nil
}

func jsonFields(t reflect.Type) []jsonField {
	var list []jsonField
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			list = append(list, jsonFields(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		list = append(list, jsonField{name, options != "", f.Type})
	}
	return list
}

// section is the text below the heading that names a type in brackets.
func section(text string, typ reflect.Type) string {
	for part := range strings.SplitSeq(text, "\n#") {
		heading, body, _ := strings.Cut(part, "\n")
		_, types, _ := strings.Cut(strings.TrimSuffix(heading, ")"), "(")
		if slices.Contains(strings.Split(types, ", "), typ.String()) {
			return body
		}
	}
	return ""
}

// TestFormatsNamesEveryField demands every field of every record that a file
// holds in the record's section of docs/formats.md.
func TestFormatsNamesEveryField(t *testing.T) {
	b, err := os.ReadFile("docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if typ = recordOf(typ); typ == nil || seen[typ] {
			return
		}
		seen[typ] = true
		text := section(string(b), typ)
		for _, f := range jsonFields(typ) {
			if !strings.Contains(text, "`"+f.name+"`") {
				t.Errorf("docs/formats.md does not name `%s` below a heading with %v", f.name, typ)
			}
			walk(f.typ)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[model.Plan](), reflect.TypeFor[ipusolve.Report](), reflect.TypeFor[ipusolve.ScheduleFile]()} {
		walk(typ)
	}
}

// jsonSchema is what the graph's schema uses of JSON Schema.
type jsonSchema struct {
	Properties           map[string]*jsonSchema `json:"properties"`
	Required             []string               `json:"required"`
	AdditionalProperties *bool                  `json:"additionalProperties"`
	Items                *jsonSchema            `json:"items"`
}

// TestGraphSchema compares docs/graph.schema.json with the record.
func TestGraphSchema(t *testing.T) {
	b, err := os.ReadFile("docs/graph.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonSchema
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	var compare func(path string, s *jsonSchema, record reflect.Type)
	compare = func(path string, s *jsonSchema, record reflect.Type) {
		if s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Errorf("%s: unknown fields are errors, the schema allows them", path)
		}
		var required []string
		fields := jsonFields(record)
		for _, f := range fields {
			if !f.optional {
				required = append(required, f.name)
			}
			p := s.Properties[f.name]
			if p == nil {
				t.Errorf("%s.%s is not in the schema", path, f.name)
				continue
			}
			if r := recordOf(f.typ); r != nil && p.Items != nil {
				compare(path+"."+f.name, p.Items, r)
			} else if r != nil {
				t.Errorf("%s.%s is a list", path, f.name)
			}
		}
		if len(s.Properties) != len(fields) {
			t.Errorf("%s: %d properties, the record has %d", path, len(s.Properties), len(fields))
		}
		slices.Sort(required)
		if got := slices.Sorted(slices.Values(s.Required)); !slices.Equal(got, required) {
			t.Errorf("%s: the schema requires %v, want %v", path, got, required)
		}
	}
	compare("graph", &schema, reflect.TypeFor[model.Graph]())
}

// TestExampleGraphs reads every example graph.
func TestExampleGraphs(t *testing.T) {
	files, err := filepath.Glob("docs/examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example graphs (%v)", err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.ReadGraph(f); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		f.Close()
	}
}
