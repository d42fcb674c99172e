package plan

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/task"
)

func compiled(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func accepts(t testing.TB, s *jsonschema.Schema, src string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return s.Validate(v)
}

// beyond are the faults of the corpus that a schema cannot find: only the JSON reader does, or nothing.
var beyond = []string{
	"no body", "a name twice", "a name twice, once escaped", "a gate twice", "a lone surrogate", "broken UTF-8", "broken UTF-8 in a name",
	"text after the document", "an invalid glob",
}

func TestSchemaRefusesWhatDecodeRefuses(t *testing.T) {
	s := compiled(t, Schema())
	for _, c := range faulty {
		if slices.Contains(beyond, c.name) {
			continue
		}
		if accepts(t, s, c.src) == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
}

func TestSchemaAcceptsTheExample(t *testing.T) {
	if err := accepts(t, compiled(t, Schema()), string(Example())); err != nil {
		t.Error(err)
	}
}

// Plans that are broken in a random place: the schema and the decoder always agree.
func TestSchemaAgreesWithDecode(t *testing.T) {
	s := compiled(t, Schema())
	taskSchema, editSchema := compiled(t, strict.Render("task", TaskSchema())), compiled(t, strict.Render("edit", EditSchema()))
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDocument(t)
		for _, c := range []struct {
			schema *jsonschema.Schema
			value  any
			decode func([]byte) error
		}{
			{s, doc, func(src []byte) error { return second(Decode(src)) }},
			{taskSchema, &doc.Tasks[0], func(src []byte) error { return thirdOf(DecodeTask(src)) }},
			{editSchema, &Edit{Fields: doc.Tasks[0].Fields, AddDeps: []string{"a"}}, func(src []byte) error { return second(DecodeEdit(src)) }},
		} {
			src := mutated(t, c.value)
			read, v := c.decode(src), validated(t, c.schema, src)
			if (read == nil) != (v == nil) {
				t.Fatalf("%s\ndecoded: %v %q\nschema: %v", src, read, missing(read), v)
			}
			if read == nil {
				accepted++
			}
		}
	})
	if accepted == 0 {
		t.Error("no document was accepted")
	}
}

func missing(err error) []string {
	if err == nil {
		return nil
	}
	return fault.Of(err).Missing
}

func validated(t *rapid.T, s *jsonschema.Schema, src []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// mutated returns the value as JSON with something else in one random place, and maybe with another name somewhere.
func mutated(t *rapid.T, value any) []byte {
	var src []byte
	var err error
	switch v := value.(type) {
	case *Document:
		src, err = v.Marshal()
	case *TaskDef:
		src, err = v.Marshal()
	case *Edit:
		src, err = v.Marshal()
	}
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	tree = mutate(t, tree, 0)
	out, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var oddities = []any{
	nil, true, "", "x", "a\x00", "tab\there", "\u0085", "demo", "Demo", "-a", "2026-02-29", "2024-02-29", "2026-12-31T23:59:59Z", "2026-12-31t23:59:59Z",
	"2026-12-31T24:00:00Z",
	"2026-12-31T23:59:59.123456789+23:59", "2026-12-31T23:59:59.12345678901234567890+01:00", "supervised", "done", "doc",
	json.Number("0"), json.Number("1.0"), json.Number("3"), json.Number("4"), json.Number("5"), json.Number("-1"), json.Number("1.5"),
	json.Number("1e1"), json.Number("9007199254740992"),
	[]any{}, []any{""}, []any{"x"}, []any{json.Number("1")}, []any{nil}, map[string]any{}, map[string]any{"x": []any{"ci"}}, map[string]any{"": []any{}},
	map[string]any{"kind": "doc", "ref": "r"},
	strings.Repeat("é", 200), strings.Repeat("é", 201), strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("x", 500), strings.Repeat("x", 501),
	strings.Repeat("x", 4001), repeated(1000), repeated(1001),
}

func repeated(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = "x"
	}
	return out
}

var strangers = []string{"title", "Title", "key", "status", "evidence", "note", "kind", "project", "tasks", "fence", "zzz", "g\x01"}

func mutate(t *rapid.T, tree any, depth int) any {
	if depth > 0 && rapid.IntRange(0, 3).Draw(t, "here") == 0 {
		return rapid.SampledFrom(oddities).Draw(t, "odd")
	}
	switch v := tree.(type) {
	case map[string]any:
		names := []string{}
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) == 0 || rapid.IntRange(0, 9).Draw(t, "add") == 0 {
			v[rapid.SampledFrom(strangers).Draw(t, "name")] = rapid.SampledFrom(oddities).Draw(t, "odd")
			return v
		}
		name := rapid.SampledFrom(names).Draw(t, "in")
		if rapid.IntRange(0, 9).Draw(t, "drop") == 0 {
			delete(v, name)
			return v
		}
		v[name] = mutate(t, v[name], depth+1)
	case []any:
		if len(v) > 0 {
			i := rapid.IntRange(0, len(v)-1).Draw(t, "at")
			v[i] = mutate(t, v[i], depth+1)
		}
	}
	return tree
}

func TestDuePatternAcceptsTheDaysThatParseDueAccepts(t *testing.T) {
	s := compiled(t, Schema())
	check := func(due string) {
		_, err := task.ParseDue(due)
		if v := accepts(t, s, one(`"due":`+strconv.Quote(due))); (err == nil) != (v == nil) {
			t.Errorf("%s: parsed %v, schema %v", due, err, v)
		}
	}
	for _, year := range []string{"0000", "1900", "2000", "2023", "2024", "2100", "2400", "9999"} {
		for month := range 14 {
			for day := range 33 {
				check(year + "-" + two(month) + "-" + two(day))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := func(limit int) string { return two(rapid.IntRange(0, limit).Draw(t, "n")) }
		due := "2026-" + n(13) + "-" + n(32) + "T" + n(25) + ":" + n(61) + ":" + n(61) +
			rapid.StringMatching(`(\.[0-9]{0,22})?(Z|z|[+-][0-2][0-9]:[0-6][0-9])?`).Draw(t, "rest")
		_, err := task.ParseDue(due)
		src := []byte(one(`"due":` + strconv.Quote(due)))
		if v := validated(t, s, src); (err == nil) != (v == nil) {
			t.Fatalf("%s: parsed %v, schema %v", due, err, v)
		}
	})
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
