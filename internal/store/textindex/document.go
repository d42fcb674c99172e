package textindex

import (
	"tasker/internal/db"
	"tasker/internal/search"
)

// A document's id says which record it is made from: the project's id, the kind, and then the task's number, or the id
// of the event that created the record.
const docKind = 40 // bits below the kind

// kinds are the kinds by their number in ids. The numbers are stored, so the order never changes.
var kinds = [8]search.Kind{search.Title, search.Body, search.Note, search.Decision, search.Evidence, search.Binding, search.Actor, search.Log}

func doc(project int64, kind search.Kind, record int64) int64 {
	for i, k := range kinds {
		if k == kind {
			return project<<db.DocProjectBits | int64(i)<<docKind | record
		}
	}
	panic("there is no kind of document " + string(kind))
}

// parts splits a document's id.
func parts(doc int64) (project int64, kind search.Kind, record int64) {
	return doc >> db.DocProjectBits, kinds[doc>>docKind&7], doc & (1<<docKind - 1)
}
