package config

import "github.com/go-json-experiment/json/jsontext"

// Explanation is what `config explain KEY --json` prints.
type Explanation struct {
	Key   string         `json:"key"`
	Value jsontext.Value `json:"value"`
	Origin
	Overrode []Overridden `json:"overrode"`
}

// Overridden is a value in a lower layer that no longer counts.
type Overridden struct {
	Layer Layer          `json:"layer"`
	File  *string        `json:"file"`
	Value jsontext.Value `json:"value"`
}

// Explain says what a key comes to, which layer set it, in which file and line, and what it overrode, the nearest
// layer first. A key that nobody sets is null by the defaults. For an object, which is merged, the layer is the
// highest that sets anything in it, and overrode lists the other layers that it was merged from.
func (e *Effective) Explain(key string) (*Explanation, error) {
	path, _, err := resolve(key)
	if err != nil {
		return nil, err
	}
	out := &Explanation{Key: key, Value: jsontext.Value("null"), Origin: Origin{Layer: DefaultsLayer}, Overrode: []Overridden{}}
	top := len(e.layers)
	if m := e.merged.findMember(path); m != nil {
		out.Value, out.Origin = m.node.value(), m.origin()
		for top--; top > 0 && e.layers[top].src.layer != out.Layer; top-- {
		}
	}
	for i := top - 1; i >= 0; i-- {
		if n := e.layers[i].find(path); n != nil {
			o := Overridden{Layer: n.src.layer, Value: n.value()}
			if n.src.file != "" {
				o.File = &n.src.file
			}
			out.Overrode = append(out.Overrode, o)
		}
	}
	return out, nil
}

// findMember is find with the place of the name that leads to the value; for an element of a list its own place.
func (n *node) findMember(path []step) *member {
	parent := n.find(path[:len(path)-1])
	last := path[len(path)-1]
	switch {
	case parent == nil:
		return nil
	case !last.isIndex:
		return parent.member(last.name)
	case parent.kind == kList && last.index < len(parent.items):
		item := parent.items[last.index]
		return &member{at: item.at, node: item}
	default:
		return nil
	}
}

// Join is the key of a name below another key, as Explain takes it.
func Join(key, name string) string { return join(key, name) }
