// Package linkage reads and writes what is stored of links to other systems: bindings, what both sides agreed on, where
// they disagree, what is to be written there, and how the links fare.
package linkage

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/store/tx"
)

// Reader reads the records of links.
type Reader struct{ *tx.Tx }

// Writer writes them, each with its event.
type Writer struct{ *tx.Member }

func encoded(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	return string(text), err
}
