package op_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/op"
)

const routesPage = "../../docs/routes.md"

// TestTheReferenceOfRoutesIsCurrent writes the page from the table and compares it with the stored one.
func TestTheReferenceOfRoutesIsCurrent(t *testing.T) {
	want := routesReference(t)
	if *update {
		if err := os.WriteFile(routesPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(routesPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/routes.md is out of date: go test ./internal/op -update")
	}
}

// part is what the page shows of the OpenAPI document.
type part struct {
	Ref         string                     `json:"$ref"`
	Name        string                     `json:"name"`
	In          string                     `json:"in"`
	Description string                     `json:"description"`
	Schema      *part                      `json:"schema"`
	Type        jsontext.Value             `json:"type"`
	Enum        []string                   `json:"enum"`
	Items       *part                      `json:"items"`
	Properties  jsontext.Value             `json:"properties"`
	Required    jsontext.Value             `json:"required"`
	Parameters  []part                     `json:"parameters"`
	Content     map[string]part            `json:"content"`
	RequestBody *part                      `json:"requestBody"`
	Responses   map[string]part            `json:"responses"`
	Components  map[string]jsontext.Value  `json:"components"`
	Paths       map[string]map[string]part `json:"paths"`
}

func routesReference(t *testing.T) string {
	src, err := op.OpenAPI("0.0.0")
	if err != nil {
		t.Fatal(err)
	}
	var doc part
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`<!-- Generated from the table of operations: go test ./internal/op -update -->
# Routes

The same, for programs: ` + "`GET /v1/openapi.json`" + `.

Bodies and answers are JSON. Every POST takes an ` + "`Idempotency-Key`" + `; ` + "`Tasker-Instance`" + ` tells workers of one name apart. A refusal has the
shape ` + "`{error, message, missing, hint}`" + `, and a 422 also a ` + "`reason`" + `: invalid or declined. Unknown names are refused, but for
` + "`actor`" + ` outside plans and task definitions: it is ignored, and the header ` + "`Tasker-Warning`" + ` says so. A parameter that is true or false
also takes ` + "`1`, `0`" + `, or no value for true.
`)
	for _, o := range op.Table {
		if o.Method == "" {
			continue
		}
		r, ok := doc.Paths[o.Path][strings.ToLower(o.Method)]
		if !ok {
			t.Fatalf("%s %s is not in the document", o.Method, o.Path)
		}
		fmt.Fprintf(&b, "\n## %s /v1%s\n\n%s. Answers %d. As a command: `tasker %s`.\n", o.Method, o.Path, o.Summary, o.Status, o.Command)
		var rows []string
		for _, p := range r.Parameters {
			if p.Ref == "" {
				rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", p.Name, p.In, p.Schema.kind(), p.Description))
			}
		}
		if r.RequestBody != nil {
			rows = append(rows, bodyRows(t, &doc, r.RequestBody.Content["application/json"].Schema)...)
		}
		if len(rows) > 0 {
			b.WriteString("\n| name | in | type | |\n|---|---|---|---|\n" + strings.Join(rows, "\n") + "\n")
		}
	}
	return b.String()
}

// bodyRows returns the members of a body, in the order of the document.
func bodyRows(t *testing.T, doc *part, schema *part) (rows []string) {
	if schema == nil {
		return nil
	}
	if schema.Ref != "" {
		return []string{fmt.Sprintf("| | body | `%s` | see the document |", schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:])}
	}
	if schema.Properties == nil {
		return nil
	}
	var required []string
	if schema.Required.Kind() == '[' {
		if err := json.Unmarshal(schema.Required, &required); err != nil {
			t.Fatal(err)
		}
	}
	for name, p := range members(t, schema.Properties) {
		what := p.Description
		if slices.Contains(required, name) {
			what += " (required)"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | body | %s | %s |", name, p.kind(), what))
	}
	return rows
}

// members yields the members of an object in their order.
func members(t *testing.T, object jsontext.Value) func(func(string, *part) bool) {
	return func(yield func(string, *part) bool) {
		dec := jsontext.NewDecoder(strings.NewReader(string(object)))
		if _, err := dec.ReadToken(); err != nil {
			t.Fatal(err)
		}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				t.Fatal(err)
			}
			n := name.String()
			var p part
			if err := json.UnmarshalDecode(dec, &p); err != nil {
				t.Fatal(err)
			}
			if !yield(n, &p) {
				return
			}
		}
	}
}

// kind returns the type in a word or two.
func (p *part) kind() string {
	switch {
	case p == nil:
		return ""
	case p.Ref != "":
		return "`" + p.Ref[strings.LastIndexByte(p.Ref, '/')+1:] + "`"
	case len(p.Enum) > 0:
		return strings.Join(slices.DeleteFunc(p.Enum, func(word string) bool { return word == "" }), ", ") // null is read as ""
	case p.Items != nil:
		return "list of " + p.Items.kind()
	}
	words := strings.FieldsFunc(string(p.Type), func(r rune) bool { return strings.ContainsRune("[]\", \n", r) })
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "null" }), " or ")
}
