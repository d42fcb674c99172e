package plan

import (
	"maps"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// State is what a document is compared with: of the tasks of the project, those that it mentions (see Mentions).
type State struct {
	Project *task.Project // nil: there is none
	// Tasks are those whose keys the document has, with Body and Deps, and those that it refers to, with ID and Key at
	// least; by number, each once.
	Tasks    []*task.Task
	Open     int                         // how many tasks of the project are not closed
	Evidence []task.Evidence             // of the tasks that the document gives evidence for
	Foreign  map[task.ID]map[string]bool // fields of tasks that another system owns: a document leaves them alone
	Policy   task.Policy
	Now      task.Time
	Rest     Rest
}

// Rest reads what a comparison needs of the tasks that the document does not mention. Nothing of it is called where
// there is no project.
type Rest struct {
	Ties
	// CircledUnder returns the children of tasks that are marked as standing in a circle with them.
	CircledUnder func(parents []task.ID) ([]query.Tie, error)
	// Refs returns the names of tasks, by number.
	Refs func(ids []task.ID) ([]Ref, error)
	// After returns up to limit tasks past one, by number; the open ones alone, where asked for.
	After func(after task.ID, open bool, limit int) ([]Ref, error)
}

// MaxUnmentioned is how many open tasks that a document leaves out are listed.
const MaxUnmentioned = 1000

// Diff is what applying a document writes. Everything stands in the order of the document, Unmentioned in the order
// of the tasks.
type Diff struct {
	Project        string
	ProjectCreated bool
	ProjectAfter   *task.Project // nil where it stays as it is
	ProjectChanges map[string]task.Delta
	Create         []Create
	Update         []Update
	Noted          []Update // nothing to see changes: only After.DocStatus is to be saved. They are among Unchanged
	Unchanged      []Ref
	Unmentioned    []Ref              // open tasks that the document leaves out, the first MaxUnmentioned
	LeftOut        int                // how many there are in all
	Held           []Ref              // of Update, those that somebody holds
	Circles        []query.CircleMark // of tasks that exist, where the mark changes; new ones have it in Task
	Left           []Left             // fields that the document would change, and that another system owns
	Warnings       []string
}

// Left is what a document was to change of a task and left alone.
type Left struct {
	ID     task.ID
	Fields []string
}

// Empty tells that there is nothing to write.
func (d *Diff) Empty() bool {
	return !d.ProjectCreated && d.ProjectAfter == nil && len(d.Create) == 0 && len(d.Update) == 0 && len(d.Noted) == 0
}

// Ref names a task.
type Ref = query.Ref

// Create is a task to create. Task has no id yet; its Parent and Deps are ids of tasks that exist, NewParent and
// NewDeps name tasks of the same Diff by their place in Diff.Create, as task.NewTask does: NewParent is 0 for none
// and else the place + 1, NewDeps are places.
type Create struct {
	Index     int // in the document's tasks
	Task      *task.Task
	NewParent int
	NewDeps   []int
	Evidence  []task.EvidenceItem
}

// Update is a change of a task that exists. Where Changes is empty, After differs from Before in DocStatus at most;
// otherwise its Version, UpdatedAt and ApprovalEpoch have moved. Its Status is still Before's: MoveTo is for the
// core to carry out. NewParent and NewDeps are as in Create: the ids that they get belong into After.Parent and
// After.Deps.
type Update struct {
	Index         int
	Before, After *task.Task
	Changes       map[string]task.Delta // own fields by their JSON names; what is not created yet by its key
	NewParent     int
	NewDeps       []int
	Evidence      []task.EvidenceItem // those that are not there yet
	MoveTo        task.Status         // a transition that the document asks for, under its rules; empty: none
}

// Answer is everything that the update comes to: its changes, the transition and the evidence.
func (u *Update) Answer() map[string]task.Delta {
	out := make(map[string]task.Delta, len(u.Changes)+2)
	maps.Copy(out, u.Changes)
	if u.MoveTo != "" {
		out["status"] = task.Delta{From: u.Before.Status, To: u.MoveTo}
	}
	if len(u.Evidence) > 0 {
		out["evidence"] = task.Delta{From: []task.EvidenceItem{}, To: u.Evidence}
	}
	return out
}
