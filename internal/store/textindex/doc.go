// Package textindex indexes the words of records, and searches them.
//
// What is found are documents: the title of a task, its body, a note, a decision, a piece of evidence, a binding, an
// actor's name, or what an event tells that is found under no other kind. Package search makes words of a text and
// decides what matches; the engines store and find them (db.Words). A document's id says which record it is made of, so
// that an answer is read from the records themselves.
//
// A Writer is one member's part of a turn. The records call it in the same turn in which they change:
//
//	index := textindex.NewWriter(turn, state, actors)
//	err := index.Add(textindex.Record{Kind: search.Note, Task: key, ID: event, Texts: []string{text}})
//
// Claims, renewals and ticks write nothing to the index. An Index searches what one snapshot or turn sees. All makes the
// index of a database that has records already, and Recount compares the two.
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
	// Visible returns the ids of the projects that the caller may see; all reports that it sees every one.
	Visible() (ids []int64, all bool, err error)
	// Slugs returns the slug of every project by its id.
	Slugs() (map[int64]string, error)
}

// Log is what a search asks the log.
type Log interface {
	// NewestBy calls each with the ids of up to limit events of a kind, of a project or, where it is 0, of none, newest first, and
	// with who acted.
	NewestBy(project int64, kind task.Kind, limit int, each func(event int64, actor string)) error
	// ActorsOf returns up to limit names of those who acted in a project, with their instances, by name.
	ActorsOf(project int64, limit int) ([]string, error)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
