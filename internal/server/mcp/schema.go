package mcp

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/op"
	"tasker/internal/strict"
)

// Schemas are the operation's own, cut down to what a model needs to call it and to use the answer: every client sends
// all of them to its model in every turn. The operation still checks what is cut here, and its refusal says more than a
// schema can.

// inSchema returns the schema of the tool's arguments.
func inSchema(o *op.Op) (*jsonschema.Schema, error) {
	s, err := readSchema(o.InSchema())
	if err != nil {
		return nil, err
	}
	switch o {
	case op.Apply.Op:
		planForm(s)
	case op.Create.Op:
		taskForm(s)
	case op.Show.Op:
		withExplain(s)
	case op.Met.Op:
		waitForm(s)
	case op.Next.Op, op.Peek.Op: // it is filled in
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "project" })
	}
	for _, name := range append(rare[o], withheld...) {
		delete(s.Properties, name)
	}
	describe(s, terse[o])
	describe(s, plain)
	shorten(s)
	return s, nil
}

// describe gives arguments other descriptions.
func describe(s *jsonschema.Schema, as map[string]string) {
	for name, about := range as {
		if p := s.Properties[name]; p != nil {
			p.Description = about
		}
	}
}

// readSchema returns a schema in the type of the protocol's SDK.
func readSchema(m strict.Members) (*jsonschema.Schema, error) {
	src, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	return &s, s.UnmarshalJSON(src)
}

// rare are arguments that a worker hardly ever needs: they are accepted, but not listed.
var rare = map[*op.Op][]string{
	op.Next.Op:   {"last"}, // a runner sends it
	op.Show.Op:   {"budget", "at"},
	op.List.Op:   {"at", "key", "dependsOn", "dependencyOf", "blocked", "ready", "status", "mark", "group"},
	op.Tick.Op:   {"index", "text"},
	op.Move.Op:   {"tree", "differs", "paths"}, // a shell sends them, or the server finds them: no model lists files
	op.Search.Op: {"limit"},
	op.Apply.Op:  {"gates", "prune", "pin"},
}

// terse are shorter descriptions than those in the reference of routes.
var terse = map[*op.Op]map[string]string{
	op.Next.Op:  {"resume": "first what you already hold", "apart": "none whose touches overlap a held one", "leaseMs": "0 means no expiry"},
	op.Claim.Op: {"leaseMs": "0 means no expiry"},
	op.List.Op: {
		"cursor": "nextCursor", "heldBy": "an actor", "limit": "20 by default", "parent": "only its children",
		"gate": "", "mine": "what you hold", "overdue": "", "priority": "", "under": "only what is below it",
		"q": "text in title, key or id", "sort": "by number by default", "state": "",
	},
	op.Tick.Op:     {"by": "evidence id", "checked": "false unticks", "indexes": "from 1", "seen": "what you saw"},
	op.Ask.Op:      {"to": "actor or role that should answer", "next": "with release: also claim the next task"},
	op.Move.Op:     {"by": "evidence id", "check": "criteria to tick, from 1", "evidence": "", "next": "also claim the next task", "to": "", "expectedVersion": "refused if it has another", "dryRun": "only say what is missing"},
	op.Search.Op:   {"kind": "", "q": ""},
	op.Apply.Op:    {"dryRun": "change nothing"},
	op.Release.Op:  {"failed": "the attempt failed"},
	op.Evidence.Op: {"check": "criteria that the first item shows", "items": ""},
}

// plain are arguments whose names need no description.
var plain = map[string]string{"id": "", "project": "", "text": "", "note": ""}

// shorten drops from a schema what a model does not need: bounds and patterns, null types (an argument that may be left
// out needs none), and additionalProperties: false.
func shorten(s *jsonschema.Schema) {
	todo := []*jsonschema.Schema{s}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
			s.Type = s.Types[1-slices.Index(s.Types, "null")]
			s.Types = nil
		}
		if s.Enum != nil {
			s.Type = "string"
			s.Enum = slices.DeleteFunc(s.Enum, func(v any) bool { return v == nil || v == "" })
		}
		s.Title, s.PropertyOrder, s.Pattern, s.PropertyNames = "", nil, "", nil
		s.Minimum, s.Maximum = nil, nil
		s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MaxProperties = nil, nil, nil, nil, nil
		if values := s.AdditionalProperties; values != nil && values.Type != "" { // a map
			todo = append(todo, values)
		} else {
			s.AdditionalProperties = nil
		}
		if s.Items != nil {
			todo = append(todo, s.Items)
		}
		delete(s.Properties, "output") // what a run printed, and no tool runs anything
		for _, p := range s.Properties {
			todo = append(todo, p)
		}
	}
}
