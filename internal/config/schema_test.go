package config

import (
	"bytes"
	"strings"
	"testing"

	"tasker/internal/config/format"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(format.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func accepts(t testing.TB, s *jsonschema.Schema, text string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s.Validate(doc) == nil
}

// The schema and the decoder are made from one declaration and must not disagree. Only faults that a schema cannot
// express (a range that runs backwards) may pass it and still be refused.
func TestTheSchemaAgreesWithTheDecoder(t *testing.T) {
	s := compiled(t)
	for _, r := range rows() {
		if text := place(r.key, r.good); !accepts(t, s, text) {
			t.Errorf("the schema refuses %s", text)
		}
		if r.bad == "" || r.key == "workspace.ports.range" {
			continue
		}
		if text := place(r.key, r.bad); accepts(t, s, text) {
			t.Errorf("the schema accepts %s", text)
		}
	}
	for _, key := range format.Keys() {
		if text := place(key+"x", "1"); accepts(t, s, text) {
			t.Errorf("the schema accepts the unknown key in %s", text)
		}
	}
	format.Walk(func(key string, k *format.Key) {
		if k.Type != format.Anything && accepts(t, s, place(key, "null")) {
			t.Errorf("the schema accepts null for %s", key)
		}
		if k.Default != "" && !accepts(t, s, place(key, k.Default)) {
			t.Errorf("the schema refuses the default of %s", key)
		}
	})
	for _, text := range []string{`{"version":1}`, `{"project":"demo"}`, place("workspace.ports.perTask", "1"), place("gates", `{"": []}`)} {
		if text = strings.Replace(text, `"range": [4000, 4099], `, "", 1); accepts(t, s, text) {
			t.Errorf("the schema accepts %s", text)
		}
		if len(faultsOf(t, text)) == 0 && !strings.HasPrefix(text, `{"project"`) {
			t.Errorf("the decoder accepts %s", text)
		}
	}
}
