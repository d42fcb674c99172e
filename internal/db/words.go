package db

import "tasker/internal/search"

// Words is the part of a Conn that stores the words of documents, and finds documents by them. Each engine uses its own
// index; package search decides for all of them what a word is and what matches.
type Words interface {
	// AddWords stores the words of new documents.
	AddWords(docs []Doc) error
	// PutWords replaces the words of a document; one without words is removed.
	PutWords(doc Doc) error
	// DropWords removes the documents of a project.
	DropWords(project int64) error
	// SettleWords is called before the commit of a turn that added or put words: the engine may index what it has put
	// aside.
	SettleWords() error
	// FindWords calls each with every document of a project (0: all projects) that the query finds, in no order.
	FindWords(q search.Query, project int64, each func(doc int64)) error
	// Documents calls each with every document of a project, in no order.
	Documents(project int64, each func(doc int64)) error
}

// Doc is a document with its words, as search.Words returns them.
type Doc struct {
	ID    int64
	Words string
}

// DocProjectBits is how many bits of a document's id are below the project's.
const DocProjectBits = 43

// DocSpan returns the range of a project's document ids, inclusive; for 0, of all documents.
func DocSpan(project int64) (lo, hi int64) {
	if project == 0 {
		return 0, 1<<62 - 1 + 1<<62
	}
	return project << DocProjectBits, (project+1)<<DocProjectBits - 1
}

// DocProject returns the project of a document.
func DocProject(doc int64) int64 { return doc >> DocProjectBits }
