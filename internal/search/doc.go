// Package search decides which words a text has, which texts a query finds, how good a hit is and which passage of it
// is shown. It consists of pure functions on texts, so that every database answers alike: the engines only store the
// words of each document and find the documents that have them.
//
// A text is cut into words: runs of letters and digits, in lower case, without diacritics. Everything else only
// separates words, so the parts of a path, an address, a version or an identifier are words of their own; if a query
// writes them together, they must follow one another. Scripts that do not separate words are taken character by
// character, and so are pictographs.
package search

// Kind is what kind of record a hit was found in.
type Kind string

// The kinds. Title also covers the task's key, Body its criteria, links and touched paths, and Log the texts of events
// that are found under no other kind.
const (
	Title    Kind = "title"
	Body     Kind = "body"
	Note     Kind = "note"
	Decision Kind = "decision"
	Evidence Kind = "evidence"
	Binding  Kind = "binding"
	Actor    Kind = "actor"
	Log      Kind = "log"
)

// Kinds lists all of them, in the order of counts.
var Kinds = []Kind{Title, Body, Note, Decision, Evidence, Binding, Actor, Log}

// KindCounts says how many documents of each kind match.
type KindCounts struct {
	Title    int `json:"title"`
	Body     int `json:"body"`
	Note     int `json:"note"`
	Decision int `json:"decision"`
	Evidence int `json:"evidence"`
	Binding  int `json:"binding"`
	Actor    int `json:"actor"`
	Log      int `json:"log"`
}

// all returns a pointer to each count, in the order of Kinds.
func (c *KindCounts) all() [8]*int {
	return [...]*int{&c.Title, &c.Body, &c.Note, &c.Decision, &c.Evidence, &c.Binding, &c.Actor, &c.Log}
}

// Of returns a pointer to the count of one of Kinds.
func (c *KindCounts) Of(k Kind) *int { return c.all()[kindOrder(k)] }

// Total is the sum of all kinds.
func (c *KindCounts) Total() int {
	n := 0
	for _, count := range c.all() {
		n += *count
	}
	return n
}
