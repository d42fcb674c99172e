package format

import (
	"strings"

	"tasker/internal/strict"
)

// Read reads a layer by the declaration. It returns every fault with its position: unknown keys, keys that the layer
// may not set, and values that do not fit. Required reports missing keys.
func Read(src *strict.Source) (*strict.Node, []Fault) {
	return read(src, "", rootRule(src.Layer, false, nil))
}

// ReadKnown is Read for the keys for which pass is true. All others are skipped, and are not in the tree.
func ReadKnown(src *strict.Source, pass func(*Key) bool) (*strict.Node, []Fault) {
	return read(src, "", rootRule(src.Layer, true, pass))
}

// ReadValue reads the value of the key at path.
func ReadValue(src *strict.Source, k *Key, path string) (*strict.Node, []Fault) {
	return read(src, path, k.rule(src.Layer))
}

// rootRule declares what a layer may contain, or only the keys that pass.
func rootRule(l strict.Layer, open bool, pass func(*Key) bool) strict.Located {
	root := Root
	root.Keys = nil
	for _, k := range Root.Keys {
		if pass == nil || pass(k) {
			root.Keys = append(root.Keys, k)
		}
	}
	object := root.object(l)
	object.Open = open
	return object
}

// rule declares the value of a key.
func (k *Key) rule(l strict.Layer) strict.Located { return keyed{k, l} }

// keyed is the rule of a key as a layer may set it, with the constraints that its type and bounds cannot express. Its
// parts are declared when they are read: a file has few of the keys.
type keyed struct {
	key   *Key
	layer strict.Layer
}

// Read reads a value. A constraint gets only values that fit otherwise, except for lists, where it handles the others
// too.
func (x keyed) Read(r *strict.Reader) (*strict.Node, bool) {
	n, ok := x.key.plainRule(x.layer).Read(r)
	if rule := x.key.Rule; rule != nil && rule.check != nil && (ok || x.key.Type == List) {
		rule.check(r, n)
	}
	return n, ok
}

// plainRule declares what the type and the bounds of a key express.
func (k *Key) plainRule(l strict.Layer) strict.Located {
	switch k.Type {
	case Object:
		return k.object(l)
	case Map:
		return strict.NodeTable{Name: strict.Text[string]{Min: 1}, Value: k.Elem.rule(l), Max: MaxEntries, Called: article(k.Describe())}
	case List:
		return strict.NodeList{Item: k.Elem.rule(l), Max: MaxEntries, Len: k.Len, Called: article(k.Describe())}
	case Number:
		return strict.Placed(strict.Whole[int64]{Min: k.Min, Max: k.Max, Called: k.Describe()})
	case Boolean:
		return strict.Placed(strict.Flag{})
	case Text:
		return k.text()
	default:
		return strict.Anything{}
	}
}

func (k *Key) text() strict.Located {
	if k.Enum != nil {
		return strict.Placed(strict.Enum[string]{Words: k.Enum})
	}
	rule := strict.Text[string]{Called: article(k.Describe())}
	if k.NonEmpty {
		rule.Min = 1
	}
	if k.Rule != nil {
		rule.Pattern = k.Rule.pattern
		if k.Rule.text != nil {
			rule.Fits = k.Rule.fits
			if !k.Rule.blank {
				rule.Min = 1
			}
		}
	}
	return strict.Placed(rule)
}

// object declares the keys of an object that the layer may set.
func (k *Key) object(l strict.Layer) *strict.NodeObject {
	x := &strict.NodeObject{}
	x.Refused = map[string]string{}
	x.Meant = func(path, name string) string { return suggestKey(k, l, path, name) }
	for _, sub := range k.Keys {
		switch {
		case sub.In(l):
			x.Props = append(x.Props, strict.NodeProp(sub.Name, sub.Doc, sub.Required, sub.rule(l)))
		case l == LocalLayer:
			x.Refused[sub.Name] = sub.Name + " cannot be declared in " + LocalName + ", only in " + FileName
		default:
			x.Refused[sub.Name] = sub.Name + " cannot be set in the " + string(l) + " layer"
		}
	}
	return x
}

// Required returns a fault for each required key that is missing in its object. Only objects written in src are
// checked: the others in a merged tree have been checked already.
func Required(src *strict.Source, root *strict.Node) (faults []Fault) {
	Visit(root, func(p Place) bool {
		if p.Node.Kind != '{' || p.Node.Src != src {
			return true
		}
		for _, sub := range p.Key.Keys {
			// A file without a version is not a fault but the pre-versioned shape.
			if p.Node.Get(sub.Name) == nil && sub.Required && sub.In(src.Layer) && sub.Name != "version" {
				faults = append(faults, NewFault(src, p.Node.At, strict.Join(p.Path, sub.Name),
					"is required within %s, and must be %s", orRoot(p.Path), article(sub.Describe())))
			}
		}
		return true
	})
	return faults
}

// article puts "a" or "an" before a description that starts with a bare noun.
func article(s string) string {
	switch first, _, _ := strings.Cut(s, " "); first {
	case "object", "array":
		return "an " + s
	case "map", "string", "boolean", "non-empty":
		return "a " + s
	}
	return s
}
