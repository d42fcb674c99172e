package format

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/strict"
)

// Schema returns the JSON Schema (2020-12) of the configuration file.
func Schema() []byte {
	return strict.Render("config", strict.Titled(FileName, Root.rule(FileLayer).Schema()))
}

// Schema describes the value of the key, with examples and its default.
func (x keyed) Schema() strict.Members {
	m := slices.Clone(x.key.plainRule(x.layer).Schema())
	if x.key.Known != nil && x.key.Type == Text {
		m = append(m, strict.Member{Name: "examples", Value: x.key.Known})
	}
	if x.key.Default != "" {
		m = append(m, strict.Member{Name: "default", Value: jsontext.Value(x.key.Default)})
	}
	return m
}
