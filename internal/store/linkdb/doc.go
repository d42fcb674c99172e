// Package linkdb reads and writes the records of links to other systems: bindings, what both sides
// agreed on, where they disagree, pending writes, and the state of the links.
package linkdb

import (
	"github.com/go-json-experiment/json"
)

func encoded(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	return string(text), err
}
