package db

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

// DocProjectBits is how many bits of a document's id stand below the project's.
const DocProjectBits = 43

// DocSpan is the range of the ids of a project's documents, both ends included; of all of them for 0.
func DocSpan(project int64) (lo, hi int64) {
	if project == 0 {
		return 0, 1<<62 - 1 + 1<<62
	}
	return project << DocProjectBits, (project+1)<<DocProjectBits - 1
}

// DocProject is the id of the project that a document is of.
func DocProject(doc int64) int64 { return doc >> DocProjectBits }
