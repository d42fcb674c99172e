package format

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/config/tree"
	"tasker/internal/words"
)

// Checker holds a tree against the declaration and collects every fault.
type Checker struct {
	Source *tree.Source
	Faults []tree.Fault
}

// Root checks a whole layer. Names that the layer may not set are faults of their own.
func (c *Checker) Root(n *tree.Node) {
	if n.Kind != tree.Object {
		c.Fault(n.At, "", "expected an object, found %s", n.Show())
		return
	}
	c.object(n, &Root, "")
}

// Value checks one value against its declaration.
func (c *Checker) Value(n *tree.Node, k *Key, path string) {
	if k.Type == Anything {
		return
	}
	if n.Kind != k.Type.kind() {
		c.wrong(n, k, path)
		return
	}
	before := len(c.Faults)
	switch k.Type {
	case Object:
		c.object(n, k, path)
	case Map:
		for _, m := range n.Members {
			if m.Name == "" {
				c.Fault(m.At, path, "a name here must not be empty")
			}
			c.Value(m.Node, k.Elem, tree.Join(path, m.Name))
		}
	case List:
		if k.Len > 0 && len(n.Items) != k.Len {
			c.Fault(n.At, path, "expected %s, found an array of %d", article(k.Describe()), len(n.Items))
		}
		for i, item := range n.Items {
			c.Value(item, k.Elem, tree.At(path, i))
		}
	case Text:
		c.text(n, k, path)
	case Number:
		if v, ok := n.Whole(); !ok || v < k.Min || v > k.Max {
			c.wrong(n, k, path)
		}
	case Boolean, Anything: // the kind is all there is to it
	}
	// A rule looks at values that are right in themselves, or (the lists) copes with those that are not.
	if k.Rule != nil && k.Rule.check != nil && (len(c.Faults) == before || k.Type == List) {
		for _, f := range k.Rule.check(n) {
			c.Fault(f.at.At, path+f.sub, "%s", f.say)
			last := &c.Faults[len(c.Faults)-1]
			last.Suggestion = f.suggest
			last.Allowed = append(last.Allowed, f.allowed...)
		}
	}
}

func (c *Checker) object(n *tree.Node, k *Key, path string) {
	for _, m := range n.Members {
		sub := k.Key(m.Name)
		switch {
		case sub == nil:
			c.Fault(m.At, tree.Join(path, m.Name), "unknown key")
			if len(c.Faults) <= tree.MaxFaults { // past it nobody reads the suggestion
				last := &c.Faults[len(c.Faults)-1]
				last.Allowed = k.Names(c.Source.Layer)
				last.Suggestion = suggestKey(k, c.Source.Layer, path, m.Name)
			}
		case !sub.In(c.Source.Layer):
			c.Fault(m.At, tree.Join(path, m.Name), "%s cannot be set in the %s layer", m.Name, c.Source.Layer)
			if c.Source.Layer == tree.LocalLayer {
				c.Faults[len(c.Faults)-1].Message = m.Name + " cannot be declared in " + LocalName + ", only in " + FileName
			}
		default:
			c.Value(m.Node, sub, tree.Join(path, m.Name))
		}
	}
}

func (c *Checker) text(n *tree.Node, k *Key, path string) {
	switch {
	case k.Enum != nil && !slices.Contains(k.Enum, n.Text):
		c.Fault(n.At, path, "expected one of the values allowed, found %s", words.Quoted(n.Text))
		last := &c.Faults[len(c.Faults)-1]
		last.Allowed = k.Enum
		last.Suggestion = words.Closest(n.Text, k.Enum)
	case k.NonEmpty && n.Text == "":
		c.wrong(n, k, path)
	case k.Rule != nil && k.Rule.text != nil:
		if ok, why, suggest := k.Rule.text(n.Text); !ok {
			c.wrong(n, k, path)
			last := &c.Faults[len(c.Faults)-1]
			last.Suggestion = suggest
			if why != "" {
				last.Message = why + "; expected " + k.Describe()
			}
		}
	}
}

// RequiredKeys reports the keys that must stand within an object and do not. Only objects written in this checker's own
// source are its business: in a merged tree the others have been checked already.
func (c *Checker) RequiredKeys(n *tree.Node, k *Key, path string) {
	switch {
	case n == nil:
	case k.Type == Object && n.Kind == tree.Object:
		for _, sub := range k.Keys {
			child := n.Get(sub.Name)
			// A file without a version is no fault but the pre-versioned shape.
			if child == nil && sub.Required && n.Src == c.Source && sub.In(c.Source.Layer) && sub.Name != "version" {
				c.Fault(n.At, tree.Join(path, sub.Name), "%s is required within %s and is missing; expected %s", sub.Name, orRoot(path), article(sub.Describe()))
			}
			if child != nil {
				c.RequiredKeys(child, sub, tree.Join(path, sub.Name))
			}
		}
	case k.Type == Map && n.Kind == tree.Object:
		for _, m := range n.Members {
			c.RequiredKeys(m.Node, k.Elem, tree.Join(path, m.Name))
		}
	case k.Type == List && n.Kind == tree.List:
		for i, item := range n.Items {
			c.RequiredKeys(item, k.Elem, tree.At(path, i))
		}
	}
}

// wrong adds the fault of a value of another type, or out of its bounds.
func (c *Checker) wrong(n *tree.Node, k *Key, path string) {
	if k.Enum != nil {
		c.Fault(n.At, path, "expected a string, found %s", n.Show())
		c.Faults[len(c.Faults)-1].Allowed = k.Enum
		return
	}
	c.Fault(n.At, path, "expected %s, found %s", article(k.Describe()), n.Show())
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

// Fault adds a fault at an offset of the source.
func (c *Checker) Fault(offset int, path, format string, args ...any) {
	c.Faults = append(c.Faults, tree.NewFault(c.Source, offset, path, format, args...))
}

// kind returns the kind of node that holds such a value.
func (t Kind) kind() tree.Kind {
	switch t {
	case Object, Map:
		return tree.Object
	case List:
		return tree.List
	case Text:
		return tree.String
	case Number:
		return tree.Number
	default:
		return tree.Bool
	}
}

// numberRange describes a whole number with its bounds.
func numberRange(low, high int64) string {
	var b strings.Builder
	b.WriteString("a whole number from ")
	b.WriteString(strconv.FormatInt(low, 10))
	b.WriteString(" to ")
	b.WriteString(strconv.FormatInt(high, 10))
	return b.String()
}
