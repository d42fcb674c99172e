package bundle

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encode writes a value the way answers are written.
func encode(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return string(text), err
}

// Text returns what a budget counts: the bundle's JSON, as it is answered, without its budget.
func (b *Bundle) Text() (string, error) {
	plain := *b
	plain.Budget = Budget{}
	text, err := encode(&plain)
	if err != nil {
		return "", err
	}
	const last = `,"budget":{"limit":null,"used":null,"omitted":[]}}`
	return text[:len(text)-len(last)] + "}", nil
}
