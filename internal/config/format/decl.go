// Package format declares the configuration file once: a tree of keys with their types, defaults, bounds, descriptions
// and effects (format.go).
//
// The declaration drives the reading of a layer (Read), by the rules of package strict, the JSON Schema (Schema), the
// reference page (Reference), the names for completion (Keys) and the resolution of a key such as
// workspace.setup[0].run (Resolve). Nothing about a key is written a second time. The syntax of durations and project
// slugs is here too, since keys contain them.
package format

import (
	"fmt"
	"slices"

	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// The names of the files.
const (
	FileName  = ".tasker.json"
	LocalName = ".tasker.local.json"
)

// ConfigVariable names the file directly and skips the search.
const ConfigVariable = "TASKER_CONFIG"

// Version is the version of the file format that this binary supports.
const Version = 1

// Kind is the JSON type of a key's value.
type Kind uint8

// The kinds of values.
const (
	Object Kind = iota + 1 // declared keys
	Map                    // any name to Elem
	List                   // of Elem
	Text
	Number // whole
	Boolean
	Anything
)

// When says under which condition the value of a key is a command that is run.
type When uint8

// The conditions.
const (
	Never When = iota
	Always
	OfTypeExec  // if the key `type` next to it is exec
	AfterDollar // if it begins with `$ `; it is what follows
)

// Key declares one key of the format. A zero field means that there is no such constraint.
type Key struct {
	Name     string
	Type     Kind
	Keys     []*Key         // of an object
	Elem     *Key           // of a mapping or list
	Enum     []string       // the values allowed
	Known    []string       // the values (of a mapping: the names) that mean something; others get a warning
	Default  string         // as JSON; "" for none
	Min, Max int64          // of a number
	Len      int            // of a list: exactly this many
	NonEmpty bool           // of a text
	Rule     *Rule          // a constraint beyond the above
	Required bool           // within its object
	Layers   []strict.Layer // the layers that may set it; nil for all
	Ignored  bool           // accepted, but without effect
	Process  bool           // describes the process: a file's value counts for every project
	Decides  bool           // though it describes the process, it decides about tasks
	Old      bool           // also read from a pre-versioned file
	Env      string         // the variable that overrides it
	Runs     When           // the value is a command
	Programs []Program      // what particular values run
	Doc      string         // what it is
	Effect   string         // what it changes
}

// Program is what a value of a key runs.
type Program struct{ Value, Command string }

// Rule is a named constraint: its name in refusals and the reference, a pattern for the schema (matching the whole
// text) if there is one, and the check: of a text (whether it fits, why not if there is more to say than what is
// expected, and what was meant), or of any value, which notes everything that is wrong.
//
// form marks a rule that matters only to some commands. A file that breaks it is refused like any other, because its
// author is there to correct it. A value in a database may be older than the rule, and must not block anybody.
type Rule struct {
	expects string
	pattern string
	blank   bool // an empty text also passes: it sets nothing
	form    bool // a value in the database that does not fit counts as not set
	text    func(string) (ok bool, why, suggest string)
	check   func(*strict.Reader, *strict.Node)
}

// Key returns the declared key of an object by its exact name, or nil.
func (k *Key) Key(name string) *Key {
	for _, c := range k.Keys {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// In reports whether the layer may set the key.
func (k *Key) In(l strict.Layer) bool {
	return k.Layers == nil || slices.Contains(k.Layers, l)
}

// Names lists the keys of an object that the layer may set, in the order of the declaration.
func (k *Key) Names(l strict.Layer) []string {
	return k.names(func(c *Key) bool { return c.In(l) })
}

func (k *Key) names(pass func(*Key) bool) (out []string) {
	for _, c := range k.Keys {
		if pass(c) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Keys lists every declared key in the notation of the reference: workspace.setup[].run, providers.<name>.type.
func Keys() []string {
	var out []string
	Walk(func(path string, _ *Key) { out = append(out, path) })
	return out
}

// Walk visits every declared key below the root, parents first. Elements of lists and mappings are not visited
// themselves; their keys are.
func Walk(visit func(path string, k *Key)) {
	var below func(prefix string, k *Key)
	below = func(prefix string, k *Key) {
		for _, c := range k.Keys {
			path := prefix + c.Name
			visit(path, c)
			for c.Elem != nil {
				if c.Type == List {
					path += "[]"
				} else {
					path += ".<name>"
				}
				c = c.Elem
			}
			below(path+".", c)
		}
	}
	below("", &Root)
}

// Describe says what a value must be, for refusals and the reference: "one of in-place, worktree".
func (k *Key) Describe() string {
	switch {
	case k.Rule != nil && k.Rule.expects != "":
		return k.Rule.expects
	case k.Enum != nil:
		return "one of " + words.List(k.Enum)
	}
	switch k.Type {
	case Object:
		return "object"
	case Map:
		return "map of name to " + k.Elem.Describe()
	case List:
		return "array of " + k.Elem.Describe()
	case Text:
		return words.When(k.NonEmpty, "non-empty ") + "string"
	case Number:
		return fmt.Sprintf("a whole number from %d to %d", k.Min, k.Max)
	case Boolean:
		return "boolean"
	default:
		return "anything"
	}
}

// TopNames lists the keys at the top of the file that pass.
func TopNames(pass func(*Key) bool) []string { return Root.names(pass) }
