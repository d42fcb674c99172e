package format

import (
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/strict"
)

// Schema returns the JSON Schema (2020-12) of the configuration file.
func Schema() []byte { return strict.Render(strict.Titled(FileName, Root.schema())) }

// schema describes the value of one key.
func (k *Key) schema() strict.Members {
	var m strict.Members
	add := func(name string, value any) { m = append(m, strict.Member{Name: name, Value: value}) }
	if k.Doc != "" {
		add("description", k.Doc)
	}
	if t := k.Type.schemaName(); t != "" {
		add("type", t)
	}
	if k.Enum != nil {
		add("enum", k.Enum)
	}
	if k.Known != nil && k.Type == Text {
		add("examples", k.Known)
	}
	if k.Type == Number {
		add("minimum", k.Min)
		add("maximum", k.Max)
	}
	if k.NonEmpty {
		add("minLength", 1)
	}
	if k.Rule != nil && k.Rule.pattern != "" {
		add("pattern", k.Rule.pattern)
	}
	if k.Default != "" {
		add("default", jsontext.Value(k.Default))
	}
	switch k.Type {
	case Object:
		props, required := strict.Members{}, []string(nil)
		for _, sub := range k.Keys {
			props = append(props, strict.Member{Name: sub.Name, Value: sub.schema()})
			if sub.Required {
				required = append(required, sub.Name)
			}
		}
		add("properties", props)
		if required != nil {
			add("required", required)
		}
		add("additionalProperties", false)
	case Map:
		add("propertyNames", strict.Members{{Name: "minLength", Value: 1}})
		add("additionalProperties", k.Elem.schema())
	case List:
		add("items", k.Elem.schema())
		if k.Len > 0 {
			add("minItems", k.Len)
			add("maxItems", k.Len)
		}
	case Text, Number, Boolean, Anything: // said above
	}
	return m
}

func (t Kind) schemaName() string {
	switch t {
	case Object, Map:
		return "object"
	case List:
		return "array"
	case Text:
		return "string"
	case Number:
		return "integer"
	case Boolean:
		return "boolean"
	default:
		return ""
	}
}
