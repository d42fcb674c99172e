package plan

import (
	"bytes"
	_ "embed"
)

//go:embed example.json
var example []byte

//go:embed example.yaml
var exampleYAML []byte

// Example returns a plan to start from.
func Example() []byte { return bytes.Clone(example) }

// ExampleYAML returns Example as YAML. Its first line tells editors the schema.
func ExampleYAML() []byte { return bytes.Clone(exampleYAML) }
