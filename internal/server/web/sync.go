package web

import (
	"tasker/internal/core"
	"tasker/internal/event/eventtext"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/task/merge"
)

// syncBody is the health of a project's links, and who owns what.
type syncBody struct {
	links.SyncOut
	Ownership links.OwnershipOut
}

// ownedFields are fields that the same system owns for the same reason.
type ownedFields struct {
	Fields, Owner, Why string
}

// Owned returns who owns which fields, fields next to each other together.
func (b syncBody) Owned() (out []ownedFields) {
	for _, f := range b.Ownership.Fields {
		owner, name := "here", eventtext.Field(f.Field)
		if f.Owner != string(merge.Local) {
			owner = "the " + f.Owner
		}
		if n := len(out); n > 0 && out[n-1].Owner == owner && out[n-1].Why == f.Why {
			out[n-1].Fields += ", " + name
			continue
		}
		out = append(out, ownedFields{name, owner, f.Why})
	}
	return out
}

func (s *site) sync(a *asker, _ *shown) any {
	in := core.ProjectIn{Slug: a.slug()}
	return syncBody{SyncOut: ask(a, op.Sync, in), Ownership: ask(a, op.Ownership, in)}
}
