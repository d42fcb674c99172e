package store

import (
	"tasker/internal/store/frontier"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Shared is what the readers of one snapshot share, apart from projects.
type Shared struct {
	Heads frontier.Heads
	Ahead map[task.ID]*Ahead
}

// Expected is a task that a member's reply will need: its body and dependencies, or, if bundle is set, everything that
// a bundle contains.
type Expected struct {
	ID      task.ID
	HasBody bool
	Bundle  bool
	Holder  string // the actor that claimed it; empty without a bundle
}

// Ahead is what was prefetched for a task before a reply needed it.
type Ahead struct {
	Body       string
	Deps       []task.ID // nil: not read
	Neighbours query.Neighbours
	History    []task.Event
	Bundle     bool // neighbours and events were read
	Cut        bool // not all neighbours were read

	// Holder claimed the task, and Concern says whether it can have news; nil: not read.
	Holder  string
	Concern *query.Concern
}
