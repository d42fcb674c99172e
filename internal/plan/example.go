package plan

import (
	"bytes"
	_ "embed"
)

//go:embed example.json
var example []byte

// Example is a plan to start from.
func Example() []byte { return bytes.Clone(example) }
