package op_test

import (
	"bytes"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/strict"
	"tasker/internal/testkit/optest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheDocumentOfTheRoutesIsTheOneThatWasLookedAt(t *testing.T) {
	got, err := op.OpenAPI("0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the document differs from %s: look at the difference after go test ./internal/op -update", golden)
	}
}

func load(t *testing.T) *openapi3.T {
	t.Helper()
	src, err := op.OpenAPI("0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(src)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTheDocumentIsValid(t *testing.T) {
	if err := load(t).Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

func TestTheDocumentKnowsTheStatusOfEveryKindOfFault(t *testing.T) {
	responses := load(t).Components.Responses
	for _, kind := range fault.Kinds {
		if responses[strconv.Itoa(kind.Status())] == nil && kind.Status() != http.StatusMethodNotAllowed {
			t.Errorf("status %d is not in the OpenAPI document", kind.Status())
		}
	}
}

func TestEveryOperationHasWhatReadersAndGeneratorsLookFor(t *testing.T) {
	doc := load(t)
	tagged := map[string]bool{}
	for _, tag := range doc.Tags {
		tagged[tag.Name] = tag.Description != ""
	}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			at := method + " " + path
			if o.Security == nil || len(*o.Security) != 2 || o.Responses.Status(401) == nil {
				t.Errorf("%s does not say how to show who calls", at)
			}
			if len(o.Tags) != 1 || !tagged[o.Tags[0]] {
				t.Errorf("%s has the tags %v", at, o.Tags)
			}
			for _, p := range o.Parameters {
				if p.Ref == "" && p.Value.Example == nil {
					t.Errorf("%s has no example of %s", at, p.Value.Name)
				}
			}
			contents := []openapi3.Content{}
			if o.RequestBody != nil {
				contents = append(contents, o.RequestBody.Value.Content)
			}
			for status, r := range o.Responses.Map() {
				if strings.HasPrefix(status, "2") {
					contents = append(contents, r.Value.Content)
				}
			}
			for _, c := range contents {
				for kind, media := range c {
					if media.Example == nil {
						t.Errorf("%s has no example of %s", at, kind)
					}
				}
			}
		}
	}
}

// Routes accept the examples of their bodies, and the examples of answers have the answer's type.
func TestExamplesAreTaken(t *testing.T) {
	for _, o := range op.Table {
		if o.Method != http.MethodPost {
			continue
		}
		if _, err := o.Decode(func(string) string { return "4" }, "", []byte(o.Example)); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
		src, err := json.Marshal(o.InSchema())
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := s.UnmarshalJSON(src); err != nil {
			t.Fatal(err)
		}
		s.Required = nil // what travels in the path
		resolved, err := s.Resolve(&jsonschema.ResolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var body any
		if err := json.Unmarshal([]byte(o.Example), &body); err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		if err := resolved.Validate(body); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
}

// Some generators do not know that true and false are schemas; only additionalProperties is ever false.
func TestNoSchemaIsABoolean(t *testing.T) {
	src, err := op.OpenAPI("0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if props, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
				for name, p := range props {
					if _, boolean := p.(bool); boolean {
						t.Errorf("%s.%s is described by a boolean", path, name)
					}
				}
			}
			if _, boolean := v["items"].(bool); boolean && v["type"] == "array" {
				t.Errorf("%s: its items are described by a boolean", path)
			}
			for name, sub := range v {
				walk(path+"/"+name, sub)
			}
		case []any:
			for _, sub := range v {
				walk(path, sub)
			}
		}
	}
	walk("", doc)
}

func TestEveryRouteIsInTheDocument(t *testing.T) {
	doc := load(t)
	endpoints := []*wire.Endpoint{op.Stream}
	for _, o := range op.Table {
		endpoints = append(endpoints, &o.Endpoint)
	}
	for _, o := range endpoints {
		if o.Method == "" {
			continue
		}
		item := doc.Paths.Value(o.Path)
		if item == nil || item.GetOperation(o.Method) == nil {
			t.Errorf("%s %s is missing", o.Method, o.Path)
			continue
		}
		entry := item.GetOperation(o.Method)
		if entry.Responses.Status(o.Status) == nil {
			t.Errorf("%s does not document its success, %d", o.Name, o.Status)
		}
		for _, name := range o.QueryNames() {
			if entry.Parameters.GetByInAndName("query", name) == nil {
				t.Errorf("%s does not document ?%s", o.Name, name)
			}
		}
	}
}

func schemaOf(t *testing.T, m strict.Members) *jsonschema.Schema {
	t.Helper()
	src, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := s.UnmarshalJSON(src); err != nil {
		t.Fatal(err)
	}
	return &s
}

// answered returns the schema of an answer with everything inlined that the document has in components.
func answered(t reflect.Type) strict.Members {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strict.Types{Open: true}.Of(t).Schema()
}

// Answers must match their schemas.
func TestAnswersFitTheirSchemas(t *testing.T) {
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			s := schemaOf(t, answered(o.Out))
			resolved, err := s.Resolve(&jsonschema.ResolveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for name, out := range map[string]any{"full": optest.Out(o), "bare": optest.Bare(o)} {
				if reflect.ValueOf(out).Kind() == reflect.Pointer && reflect.ValueOf(out).IsNil() {
					continue // no operation answers null
				}
				var buf bytes.Buffer
				if err := wire.WriteJSON(&buf, out); err != nil {
					t.Fatal(err)
				}
				var v any
				if err := json.Unmarshal(buf.Bytes(), &v); err != nil {
					t.Fatal(err)
				}
				if err := resolved.Validate(v); err != nil {
					t.Errorf("%s: %v: %.300s", name, err, buf.Bytes())
				}
			}
		})
	}
}

func TestInputsFitTheirSchemas(t *testing.T) {
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		t.Run(o.Name, func(t *testing.T) {
			s := schemaOf(t, o.InSchema())
			if s.Type != "object" {
				t.Errorf("the type is %q, want object", s.Type)
			}
			if _, err := s.Resolve(&jsonschema.ResolveOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, name := range o.QueryNames() {
				if s.Properties[name] == nil {
					t.Errorf("the property %s is missing", name)
				}
			}
		})
	}
}
