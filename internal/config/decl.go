package config

import (
	"strings"

	"tasker/internal/words"
)

// FormatVersion is the version of the file format that this binary speaks.
const FormatVersion = 1

// typ is the JSON type of a key's value.
type typ uint8

const (
	object  typ = iota + 1 // declared keys
	mapping                // any name to Elem
	list                   // of Elem
	text
	number // whole
	boolean
	anything
)

// when says under which condition the value of a key is a command that is run.
type when uint8

const (
	never when = iota
	always
	ofTypeExec // where the key `type` beside it is exec
)

// Key declares one key of the format. A zero field means: no such constraint.
type Key struct {
	Name     string
	Type     typ
	Keys     []*Key   // of an object
	Elem     *Key     // of a mapping or list
	Enum     []string // the values allowed
	Known    []string // the values (of a mapping: the names) that mean something; others are warned about
	Default  string   // as JSON; "" for none
	Min, Max int64    // of a number
	Len      int      // of a list: exactly so many
	NonEmpty bool     // of a text
	Rule     *rule    // a constraint beyond the above
	Required bool     // within its object
	Layers   []Layer  // the layers that may set it; nil for every one
	Ignored  bool     // accepted, and of no effect
	Process  bool     // describes the process: a file's value counts for every project
	Decides  bool     // though it describes the process, tasks are decided by it
	Later    bool     // it and all below it wait for their feature: accepted, shown, and of no effect yet
	Old      bool     // read from a pre-versioned file too
	Env      string   // the variable that overrides it
	Runs     when     // the value is a command
	Doc      string   // what it is
	Effect   string   // what it changes
}

// rule is a constraint with a name: what stands in refusals and the reference, a pattern for the schema where a
// pattern can say it, and the check: of a text alone (whether it fits, why not where there is more to say than what
// is expected, what was meant), or of any value (all that is wrong).
type rule struct {
	expects string
	pattern string
	text    func(string) (ok bool, why, suggest string)
	check   func(*node) []flaw
}

// flaw is one thing that is wrong below a value: where (at, and sub in path notation), what, and what was meant.
type flaw struct {
	at      *node
	sub     string
	say     string
	allowed []string
	suggest string
}

// key finds the declared key of an object by its exact name.
func (k *Key) key(name string) *Key {
	for _, c := range k.Keys {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// in tells whether the layer may set the key.
func (k *Key) in(l Layer) bool {
	for _, x := range k.Layers {
		if x == l {
			return true
		}
	}
	return k.Layers == nil
}

// names lists the keys of an object that the layer may set, in the order of the declaration.
func (k *Key) names(l Layer) []string {
	var out []string
	for _, c := range k.Keys {
		if c.in(l) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Keys lists every declared key in the notation of the reference: workspace.setup[].run, providers.<name>.type.
func Keys() []string {
	var out []string
	walk(func(path string, _ *Key) { out = append(out, path) })
	return out
}

// Awaited lists the declared keys, in the notation of Keys, whose feature is not there yet. A test keeps the list: it
// names what nothing reads, and nothing else.
func Awaited() []string {
	var out []string
	under := "\x00"
	walk(func(path string, k *Key) {
		if k.Later && !strings.HasPrefix(path, under) {
			under = path
		}
		if path == under || strings.HasPrefix(path, under+".") || strings.HasPrefix(path, under+"[]") {
			out = append(out, path)
		}
	})
	return out
}

// walk visits every declared key below the root, parents first. Elements of lists and mappings have no row of their
// own; their keys do.
func walk(visit func(path string, k *Key)) {
	var below func(prefix string, k *Key)
	below = func(prefix string, k *Key) {
		for _, c := range k.Keys {
			path := prefix + c.Name
			visit(path, c)
			for c.Elem != nil {
				if c.Type == list {
					path += "[]"
				} else {
					path += ".<name>"
				}
				c = c.Elem
			}
			below(path+".", c)
		}
	}
	below("", &format)
}

// describe says what a value must be, for refusals and the reference: "one of in-place, worktree".
func (k *Key) describe() string {
	switch {
	case k.Rule != nil && k.Rule.expects != "":
		return k.Rule.expects
	case k.Enum != nil:
		return "one of " + words.List(k.Enum)
	}
	switch k.Type {
	case object:
		return "object"
	case mapping:
		return "map of name to " + k.Elem.describe()
	case list:
		return "array of " + k.Elem.describe()
	case text:
		if k.NonEmpty {
			return "non-empty string"
		}
		return "string"
	case number:
		return numberRange(k.Min, k.Max)
	case boolean:
		return "boolean"
	default:
		return "anything"
	}
}
