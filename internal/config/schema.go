package config

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the JSON Schema (2020-12) of the configuration file.
func Schema() []byte {
	b := []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":` + string(quote(nil, FileName)) + `,`)
	b = appendSchema(b, &format)
	b = append(b, '}')
	v := jsontext.Value(b)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		panic("config: the schema is no JSON: " + err.Error())
	}
	return append(v, '\n')
}

// appendSchema writes the inside of a schema object for one key.
func appendSchema(b []byte, k *Key) []byte {
	start := len(b)
	field := func(name string, value ...byte) {
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(append(quote(b, name), ':'), value...)
	}
	if k.Doc != "" {
		field("description", quote(nil, k.Doc)...)
	}
	if t := k.Type.schemaName(); t != "" {
		field("type", quote(nil, t)...)
	}
	if k.Enum != nil {
		field("enum", appendTexts(nil, k.Enum)...)
	}
	if k.Known != nil && k.Type == text {
		field("examples", appendTexts(nil, k.Known)...)
	}
	if k.Type == number {
		field("minimum", strconv.AppendInt(nil, k.Min, 10)...)
		field("maximum", strconv.AppendInt(nil, k.Max, 10)...)
	}
	if k.NonEmpty {
		field("minLength", '1')
	}
	if k.Rule != nil && k.Rule.pattern != "" {
		field("pattern", quote(nil, k.Rule.pattern)...)
	}
	if k.Default != "" {
		field("default", []byte(k.Default)...)
	}
	switch k.Type {
	case object:
		props, required := []byte{'{'}, []string{}
		for i, sub := range k.Keys {
			if i > 0 {
				props = append(props, ',')
			}
			props = append(quote(props, sub.Name), ':', '{')
			props = append(appendSchema(props, sub), '}')
			if sub.Required {
				required = append(required, sub.Name)
			}
		}
		field("properties", append(props, '}')...)
		if len(required) > 0 {
			field("required", appendTexts(nil, required)...)
		}
		field("additionalProperties", []byte("false")...)
	case mapping:
		field("propertyNames", []byte(`{"minLength":1}`)...)
		field("additionalProperties", append(appendSchema([]byte{'{'}, k.Elem), '}')...)
	case list:
		field("items", append(appendSchema([]byte{'{'}, k.Elem), '}')...)
		if k.Len > 0 {
			field("minItems", strconv.AppendInt(nil, int64(k.Len), 10)...)
			field("maxItems", strconv.AppendInt(nil, int64(k.Len), 10)...)
		}
	case text, number, boolean, anything: // said above
	}
	return b
}

func (t typ) schemaName() string {
	switch t {
	case object, mapping:
		return "object"
	case list:
		return "array"
	case text:
		return "string"
	case number:
		return "integer"
	case boolean:
		return "boolean"
	default:
		return ""
	}
}

func appendTexts(b []byte, texts []string) []byte {
	b = append(b, '[')
	for i, t := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, t)
	}
	return append(b, ']')
}
