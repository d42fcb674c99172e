package bundle

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tiktoken-go/tokenizer/codec"
)

// o200k is loaded by the first that counts: it takes some 20 ms and a few megabytes, and most commands never count.
var o200k = sync.OnceValue(codec.NewO200kBase)

// Count is how many o200k tokens a text takes. For models with another vocabulary it is an estimate.
func Count(text string) (int, error) { return o200k().Count(text) }

// encode writes a value as answers are written.
func encode(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return string(text), err
}

// Text is what a budget counts: the bundle's JSON, as it is answered, without its budget.
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
