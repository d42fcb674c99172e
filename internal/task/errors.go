package task

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

func errWanted(what string, tok jsontext.Token) error {
	return fmt.Errorf("must be %s, not %s", what, tok.String())
}
