package wire

import (
	"net/http"
	"testing"

	"tasker/internal/fault"
)

func TestTheDocumentKnowsTheStatusOfEveryKindOfFault(t *testing.T) {
	for _, kind := range fault.Kinds {
		if _, ok := failures[kind.Status()]; !ok && kind.Status() != http.StatusMethodNotAllowed {
			t.Errorf("status %d is not in the OpenAPI document", kind.Status())
		}
	}
}
