package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/words"
)

// checker holds a tree against the declaration and collects every fault.
type checker struct {
	src    *source
	faults []Fault
}

// root checks a whole layer. Names that the layer may not set are faults of their own.
func (c *checker) root(n *node) {
	if n.kind != kObject {
		c.fault(n.at, "", "expected an object, found %s", n.show())
		return
	}
	c.object(n, &format, "")
}

func (c *checker) value(n *node, k *Key, path string) {
	if k.Type == anything {
		return
	}
	if n.kind != k.Type.kind() {
		c.wrong(n, k, path)
		return
	}
	before := len(c.faults)
	switch k.Type {
	case object:
		c.object(n, k, path)
	case mapping:
		for _, m := range n.members {
			if m.name == "" {
				c.fault(m.at, path, "a name here must not be empty")
			}
			c.value(m.node, k.Elem, join(path, m.name))
		}
	case list:
		if k.Len > 0 && len(n.items) != k.Len {
			c.fault(n.at, path, "expected %s, found an array of %d", article(k.describe()), len(n.items))
		}
		for i, item := range n.items {
			c.value(item, k.Elem, at(path, i))
		}
	case text:
		c.text(n, k, path)
	case number:
		if v, ok := n.whole(); !ok || v < k.Min || v > k.Max {
			c.wrong(n, k, path)
		}
	case boolean, anything: // the kind is all there is to it
	}
	// A rule looks at values that are right in themselves, or (the lists) copes with those that are not.
	if k.Rule != nil && k.Rule.check != nil && (len(c.faults) == before || k.Type == list) {
		for _, f := range k.Rule.check(n) {
			c.fault(f.at.at, path+f.sub, "%s", f.say)
			last := &c.faults[len(c.faults)-1]
			last.Suggestion = f.suggest
			last.Allowed = append(last.Allowed, f.allowed...)
		}
	}
}

func (c *checker) object(n *node, k *Key, path string) {
	for _, m := range n.members {
		sub := k.key(m.name)
		switch {
		case sub == nil:
			c.fault(m.at, join(path, m.name), "unknown key")
			if len(c.faults) <= maxFaults { // past it nobody reads the suggestion
				last := &c.faults[len(c.faults)-1]
				last.Allowed = k.names(c.src.layer)
				last.Suggestion = suggestKey(k, c.src.layer, path, m.name)
			}
		case !sub.in(c.src.layer):
			c.fault(m.at, join(path, m.name), "%s cannot be set in the %s layer", m.name, c.src.layer)
			if c.src.layer == LocalLayer {
				c.faults[len(c.faults)-1].Message = m.name + " cannot be declared in " + LocalName + ", only in " + FileName
			}
		default:
			c.value(m.node, sub, join(path, m.name))
		}
	}
}

func (c *checker) text(n *node, k *Key, path string) {
	switch {
	case k.Enum != nil && !slices.Contains(k.Enum, n.text):
		c.fault(n.at, path, "expected one of the values allowed, found %s", words.Quoted(n.text))
		last := &c.faults[len(c.faults)-1]
		last.Allowed = k.Enum
		last.Suggestion = words.Closest(n.text, k.Enum)
	case k.NonEmpty && n.text == "":
		c.wrong(n, k, path)
	case k.Rule != nil && k.Rule.text != nil:
		if ok, why, suggest := k.Rule.text(n.text); !ok {
			c.wrong(n, k, path)
			last := &c.faults[len(c.faults)-1]
			last.Suggestion = suggest
			if why != "" {
				last.Message = why + "; expected " + k.describe()
			}
		}
	}
}

// required reports the keys that must stand within an object and do not. Only objects written in this checker's own
// source are its business: in a merged tree the others have been checked already.
func (c *checker) required(n *node, k *Key, path string) {
	switch {
	case n == nil:
	case k.Type == object && n.kind == kObject:
		for _, sub := range k.Keys {
			child := n.get(sub.Name)
			// A file without a version is no fault but the pre-versioned shape.
			if child == nil && sub.Required && n.src == c.src && sub.in(c.src.layer) && sub.Name != "version" {
				c.fault(n.at, join(path, sub.Name), "%s is required within %s and is missing; expected %s", sub.Name, orRoot(path), article(sub.describe()))
			}
			if child != nil {
				c.required(child, sub, join(path, sub.Name))
			}
		}
	case k.Type == mapping && n.kind == kObject:
		for _, m := range n.members {
			c.required(m.node, k.Elem, join(path, m.name))
		}
	case k.Type == list && n.kind == kList:
		for i, item := range n.items {
			c.required(item, k.Elem, at(path, i))
		}
	}
}

// wrong reports a value of another type, or out of its bounds.
func (c *checker) wrong(n *node, k *Key, path string) {
	if k.Enum != nil {
		c.fault(n.at, path, "expected a string, found %s", n.show())
		c.faults[len(c.faults)-1].Allowed = k.Enum
		return
	}
	c.fault(n.at, path, "expected %s, found %s", article(k.describe()), n.show())
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

func (c *checker) fault(offset int, path, format string, args ...any) {
	c.faults = append(c.faults, newFault(c.src, offset, path, format, args...))
}

// kind is the kind of node that a value of the type is.
func (t typ) kind() kind {
	switch t {
	case object, mapping:
		return kObject
	case list:
		return kList
	case text:
		return kString
	case number:
		return kNumber
	default:
		return kBool
	}
}

// whole reads a whole number, however JSON writes it (120000, 1.2e5), exactly.
func (n *node) whole() (int64, bool) {
	if n == nil || n.kind != kNumber {
		return 0, false
	}
	if v, err := strconv.ParseInt(n.text, 10, 64); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
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
