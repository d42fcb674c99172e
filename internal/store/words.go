package store

import "tasker/internal/search"

// Words is the part of a Conn that keeps the words of documents, and finds documents by them. Each engine does it
// with what it has; what a word is, and what matches, is decided by package search for all of them.
type Words interface {
	// AddWords keeps the words of documents that it has not kept before.
	AddWords(docs []Doc) error
	// PutWords keeps the words of a document in place of what it kept for it; one without words is forgotten.
	PutWords(doc Doc) error
	// DropWords forgets the documents of a project.
	DropWords(project int64) error
	// SettleWords is called before the commit of a turn that added or put words: what was put aside may be put in order.
	SettleWords() error
	// FindWords calls each with every document of a project (0: of all) that the query finds, in no order.
	FindWords(q search.Query, project int64, each func(doc int64)) error
	// Documents calls each with every document of a project, in no order.
	Documents(project int64, each func(doc int64)) error
}

// Doc is a document, and its words as search.Words gives them.
type Doc struct {
	ID    int64
	Words string
}

// A document's id says which record it is made of: the project's id, the kind, and within these the task's number,
// or the id of the event that tells of the record.
const (
	docProject = 43 // bits below the project's id
	docKind    = 40 // bits below the kind
)

// kinds gives each kind its number in ids, for good.
var kinds = [8]search.Kind{search.Title, search.Body, search.Note, search.Decision, search.Evidence, search.Binding, search.Actor, search.Log}

func doc(project int64, kind search.Kind, record int64) int64 {
	for i, k := range kinds {
		if k == kind {
			return project<<docProject | int64(i)<<docKind | record
		}
	}
	panic("there is no kind of document " + string(kind))
}

// parts takes an id apart.
func parts(doc int64) (project int64, kind search.Kind, record int64) {
	return doc >> docProject, kinds[doc>>docKind&7], doc & (1<<docKind - 1)
}

// DocSpan is the range of the ids of a project's documents, both ends included; of all of them for 0.
func DocSpan(project int64) (lo, hi int64) {
	if project == 0 {
		return 0, 1<<62 - 1 + 1<<62
	}
	return project << docProject, (project+1)<<docProject - 1
}

// DocProject is the id of the project that a document is of.
func DocProject(doc int64) int64 { return doc >> docProject }
