// Package textindex indexes the words of records, and searches them.
//
// A search finds documents: the title of a task, its body, a note, a decision, a piece of evidence, a binding, an actor's
// name, or the text of an event that is found under no other kind. Package search splits a text into words and decides what
// matches; the engines store and find the words (db.Words). A document's id says which record it is made from, so that an
// answer is read from the records themselves.
//
// A Writer is one member's part of a turn. The records call it in the same turn in which they change:
//
//	index := textindex.NewWriter(turn, began, state, actors)
//	index.Add(textindex.Record{Kind: search.Note, Task: key, ID: event, Texts: []string{text}})
//
// Claims, renewals and ticks write nothing to the index. An Index searches what one snapshot or turn sees. All builds the
// index of a database that already has records, and Recount compares the two.
package textindex

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/task"
)

// Projects is what a search needs of the records: keys, and what the caller may see.
type Projects interface {
	// ProjectKey returns the id of a project, or not found if the caller may not see it.
	ProjectKey(slug string) (int64, error)
	// Visible returns the ids of the projects that the caller may see; all reports whether it sees every one.
	Visible() (ids []int64, all bool, err error)
	// Slugs returns the slug of every project by its id.
	Slugs() (map[int64]string, error)
}

// Log is what a search needs from the log.
type Log interface {
	// NewestBy calls each with the ids and actors of up to limit events of a kind, newest first. A project of 0 means
	// the events that belong to no project.
	NewestBy(project int64, kind task.Kind, limit int, each func(event int64, actor string)) error
	// ActorsOf returns the names, with instances, of up to limit actors in a project, by name.
	ActorsOf(project int64, limit int) ([]string, error)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
