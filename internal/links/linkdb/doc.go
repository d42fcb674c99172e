// Package linkdb reads and writes what is stored of links to other systems: bindings, what both sides agreed on, where
// they disagree, what is to be written there, and how the links fare.
package linkdb

import (
	"github.com/go-json-experiment/json"
)

func encoded(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	return string(text), err
}
