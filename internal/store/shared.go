package store

import (
	"tasker/internal/store/frontier"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Shared is what the readers of one snapshot share besides projects.
type Shared struct {
	Heads frontier.Heads
	Ahead map[task.ID]*Ahead
}

// Expected is a task that the reply of a member will need: its body and dependencies, or with bundle set everything
// that a bundle is made of.
type Expected struct {
	ID      task.ID
	HasBody bool
	Bundle  bool
	Holder  string // who has claimed it; empty without a bundle
}

// Ahead is what was read of a task before a reply needed it.
type Ahead struct {
	Body       string
	Deps       []task.ID // nil: not read
	Neighbours query.Neighbours
	History    []task.Event
	Bundle     bool // neighbours and events were read
	Cut        bool // not all neighbours were read

	// Holder has claimed it, and Concern is whether there can be news for it; nil: not read.
	Holder  string
	Concern *query.Concern
}
