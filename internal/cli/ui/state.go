package ui

import (
	"tasker/internal/cli/term"
	"tasker/internal/inbox"
	"tasker/internal/task"
)

// State is all that the view knows. Update never changes one that it was handed.
type State struct {
	Project, Actor string
	Width, Height  int // of the terminal; 0 until it is known

	Tab   Tab
	Lists [tabs]Listing
	Words string // that the list is narrowed by

	Places  []Place // where the reader has gone from the list, the last one is shown; empty: the list
	Prompt  *Prompt // what is being typed or confirmed
	Intent  *Act    // to confirm as soon as its task is shown
	Notice  string  // what was done last
	Trouble *Trouble
	Help    bool

	From     int64  // the newest event that was seen
	Dead     string // why events no longer arrive
	Loading  int    // loads under way
	Outdated bool   // something happened while they were
}

// Tab is one of the lists.
type Tab int

// The lists.
const (
	TabInbox Tab = iota
	TabHeld
	TabReady
	TabAll
	tabs
)

// tabNames are what the lists are called.
var tabNames = [tabs]string{"Waits for you", "You hold", "Ready", "All"}

// Listing is one list: its first rows, and how many there are in all.
type Listing struct {
	Rows  []Row
	Total int
	More  bool // there are more than were counted
	Known bool // it was loaded, and nothing has happened since that may change it
	At    int  // the row that is chosen
}

// Row is a task, or an item of the inbox, in a line.
type Row struct {
	ID       task.ID
	Mark     term.Span // how it stands
	Priority int
	Title    string
	Due      term.Span
	Holder   string
	Version  int64
	Item     *inbox.Item // of the inbox; nil in other lists
	Since    string      // of an item: how long it waits
}

// Place is a screen that the reader went to: a task, or the tasks around one.
type Place struct {
	ID     task.ID
	Around bool        // the tasks around it
	Item   *inbox.Item // by which the reader came

	Brief  *Brief
	Scroll int

	Neighbours *Neighbours
	Side       Side
	At         [sides]int // the task that is chosen on each side
}

// Brief is a task as it was read.
type Brief struct {
	ID        task.ID
	Version   int64
	Questions []task.Question               // that are open
	Paint     func(width int) [][]term.Span // the text, as tasker show tells it
}

// Neighbours are a task and those one edge away.
type Neighbours struct {
	Task  Node
	Sides [sides][]Node
}

// Side is one way along the edges.
type Side int

// The sides of a task: what it waits for, and what waits for it. In between stands the task itself.
const (
	Upstream Side = iota
	Downstream
	sides
	Middle
)

// Node is a task among the neighbours.
type Node struct {
	ID     task.ID
	Title  string
	Mark   term.Span
	Holder string
	More   bool // it has neighbours further on
}

// Prompt asks for a line, or for yes or no.
type Prompt struct {
	Label string
	Text  string
	Yes   bool // y or n, and no text
	Find  bool // it narrows the list
	Act   Act  // done with the text when it is entered
}

// Trouble is what a refusal says.
type Trouble struct {
	Message string
	Missing []string
	Hint    string
}

// Verb is what can be done.
type Verb string

// What can be done.
const (
	Approve Verb = "approve"
	Close   Verb = "close"
	Return  Verb = "return"
	Answer  Verb = "answer"
	Claim   Verb = "claim"
	Release Verb = "release"
	Tick    Verb = "tick"
	Untick  Verb = "untick"
	Note    Verb = "note"
	PutAway Verb = "put away"
)

// Act is one thing to do with a task or an item. Version, where it is set, is that of the task as it was shown.
type Act struct {
	Verb     Verb
	Task     task.ID
	Version  int64
	Text     string
	Criteria []int
	Question int64
	Item     string
	Kind     string // of an approval
	Role     string // in which it is given
}

// maxPlaces is how many screens the way back remembers.
const maxPlaces = 50

// here returns the screen that is shown, nil for the list.
func (s *State) here() *Place {
	if len(s.Places) == 0 {
		return nil
	}
	return &s.Places[len(s.Places)-1]
}

// list returns the list that is shown.
func (s *State) list() *Listing { return &s.Lists[s.Tab] }

// row returns the row that is chosen, nil where the list is empty.
func (s *State) row() *Row {
	l := s.list()
	if l.At < 0 || l.At >= len(l.Rows) {
		return nil
	}
	return &l.Rows[l.At]
}

// chosen returns the task that keys act on, "" for none.
func (s *State) chosen() task.ID {
	p := s.here()
	switch {
	case p == nil:
		if r := s.row(); r != nil {
			return r.ID
		}
		return ""
	case p.Around:
		if n := p.node(); n != nil {
			return n.ID
		}
	}
	return p.ID
}

// node returns the neighbour that is chosen, nil while the task in the middle is.
func (p *Place) node() *Node {
	if p.Neighbours == nil || p.Side >= sides {
		return nil
	}
	nodes := p.Neighbours.Sides[p.Side]
	if at := p.At[p.Side]; at < len(nodes) {
		return &nodes[at]
	}
	return nil
}

// item returns the item of the inbox that keys act on, nil for none.
func (s *State) item() *inbox.Item {
	if p := s.here(); p != nil {
		return p.Item
	}
	if r := s.row(); r != nil {
		return r.Item
	}
	return nil
}
