package config

import (
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config/format"
	"tasker/internal/strict"
)

// Explanation is what `config explain KEY --json` prints.
type Explanation struct {
	Key   string         `json:"key"`
	Value jsontext.Value `json:"value"`
	Origin
	Overrode []Overridden `json:"overrode"`
}

// Overridden is a value in a lower layer that no longer counts.
type Overridden struct {
	Layer strict.Layer   `json:"layer"`
	File  *string        `json:"file"`
	Value jsontext.Value `json:"value"`
}

// Explain returns the effective value of a key, which layer set it, in which file and line, and what it overrode, the
// nearest layer first. A key that nobody sets is null by the defaults. For an object, which is merged, the layer is the
// highest that sets anything in it, and overrode lists the other layers that it was merged from.
func (e *Effective) Explain(key string) (*Explanation, error) {
	path, _, err := format.Resolve(key)
	if err != nil {
		return nil, err
	}
	out := &Explanation{Key: key, Value: jsontext.Value("null"), Origin: Origin{Layer: format.DefaultsLayer}, Overrode: []Overridden{}}
	top := len(e.layers)
	if m := e.merged.FindMember(path); m != nil {
		out.Value, out.Origin = m.Node.Value(), originOf(*m)
		of := func(s *strict.Source) bool { return s.Layer == out.Layer && s.Recorded == m.Node.Src.Recorded }
		for top--; top > 0 && !of(e.layers[top].Src); top-- {
		}
	}
	for i := top - 1; i >= 0; i-- {
		if n := e.layers[i].Find(path); n != nil {
			o := Overridden{Layer: n.Src.Layer, Value: n.Value()}
			if n.Src.File != "" {
				o.File = &n.Src.File
			}
			out.Overrode = append(out.Overrode, o)
		}
	}
	return out, nil
}
