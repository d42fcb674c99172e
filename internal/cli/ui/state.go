package ui

import (
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/inbox"
	"tasker/internal/task"
)

// State is everything that the view knows. Update never modifies the State that it is given.
type State struct {
	Project, Actor string
	Width, Height  int // of the terminal; 0 until it is known

	Tab   Tab
	Lists [tabs]Listing
	Words string // the words that narrow the list

	Places  []Place // the screens opened from the list, the current one last; empty: the list
	Prompt  *Prompt // what is being typed or confirmed
	Intent  *Act    // to confirm as soon as its task is on the screen
	Notice  string  // what was just done
	Trouble *frame.Refusal
	Help    bool

	From     int64  // the newest event seen
	Dead     string // why events no longer arrive
	Loading  int    // loads under way
	Outdated bool   // something happened during the loads
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

// tabNames are the titles of the lists.
var tabNames = [tabs]string{"Waits for you", "You hold", "Ready", "All"}

// Listing is one list: its first rows, and how many there are in all.
type Listing struct {
	Rows  []Row
	Total int
	More  bool // there are more than the count says
	Known bool // it is loaded, and nothing has happened since that may change it
	At    int  // the chosen row
}

// Row is a task, or an inbox item, on one line.
type Row struct {
	ID       task.ID
	Mark     term.Span // its state
	Priority int
	Title    string
	Due      term.Span
	Holder   string
	Version  int64
	Item     *inbox.Item // the inbox item; nil in other lists
	Since    string      // how long the item has been waiting
}

// Place is a screen that the reader opened: a task, or the tasks around one.
type Place struct {
	ID     task.ID
	Around bool        // show the tasks around it
	Item   *inbox.Item // the item that the reader came from

	Brief  *Brief
	Scroll int

	Neighbours *Neighbours
	Side       Side
	At         [sides]int // the chosen task on each side
}

// Brief is a task as it was read.
type Brief struct {
	ID        task.ID
	Version   int64
	Questions []task.Question               // the open ones
	Paint     func(width int) [][]term.Span // draws the text as tasker show prints it
}

// Neighbours are a task and the tasks one edge away.
type Neighbours struct {
	Task  Node
	Sides [sides][]Node
}

// Side is one direction along the edges.
type Side int

// The sides of a task: what it waits for, and what waits for it, with the task itself in between.
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
	More   bool // it has further neighbours of its own
}

// Prompt asks for a line, or for yes or no.
type Prompt struct {
	Label string
	Text  string
	Yes   bool // expects y or n, not text
	Find  bool // it narrows the list
	Act   Act  // carried out with the text when the reader presses enter
}

// Verb is an action that the reader can take.
type Verb string

// The verbs.
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

// Act is an action on a task or an item. Version, if set, is the version of the task on the screen.
type Act struct {
	Verb     Verb
	Task     task.ID
	Version  int64
	Text     string
	Criteria []int
	Question int64
	Item     string
	Kind     string // of an approval
	Role     string // the role in which it is given
}

// maxPlaces is how many screens the way back remembers.
const maxPlaces = 50

// here returns the current screen, or nil for the list.
func (s *State) here() *Place {
	if len(s.Places) == 0 {
		return nil
	}
	return &s.Places[len(s.Places)-1]
}

// list returns the current list.
func (s *State) list() *Listing { return &s.Lists[s.Tab] }

// row returns the chosen row, or nil if the list is empty.
func (s *State) row() *Row {
	l := s.list()
	if l.At < 0 || l.At >= len(l.Rows) {
		return nil
	}
	return &l.Rows[l.At]
}

// chosen returns the task that keys act on, or "" for none.
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

// node returns the chosen neighbour, or nil if the task in the middle is chosen.
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

// item returns the inbox item that keys act on, or nil for none.
func (s *State) item() *inbox.Item {
	if p := s.here(); p != nil {
		return p.Item
	}
	if r := s.row(); r != nil {
		return r.Item
	}
	return nil
}
