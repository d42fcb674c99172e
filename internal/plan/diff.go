package plan

import (
	"maps"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// State is what a document is compared with: the tasks of the project that it mentions (see Mentions).
type State struct {
	Project *task.Project // nil if it does not exist
	// Tasks are the tasks whose keys the document has, with Body and Deps, and the tasks that it refers to, with at
	// least ID and Key; sorted by number, each once.
	Tasks    []*task.Task
	Moved    map[task.ID]task.ID         // ids from before a rename or a merge that the document refers to, and what they are now
	Open     int                         // how many tasks of the project are not closed
	Evidence []task.Evidence             // of the tasks that the document gives evidence for
	Foreign  map[task.ID]map[string]bool // fields of tasks that another system owns: a document does not change them
	Policy   task.Policy
	Gated    map[string]bool // the gates that tasks of the project have, where the document defines gates
	Now      task.Time
	Rest     Rest
}

// Rest reads what a comparison needs about the tasks that the document does not mention. None of it is called if there
// is no project.
type Rest struct {
	Ties
	// CircledUnder returns the children of tasks that are marked as being in a circle with them.
	CircledUnder func(parents []task.ID) ([]query.Tie, error)
	// Refs returns the names of tasks, by number.
	Refs func(ids []task.ID) ([]Ref, error)
	// Tasks returns the tasks with these ids.
	Tasks func(ids []task.ID) ([]*task.Task, error)
	// After returns up to limit tasks after one, by number; only open ones if open is set.
	After func(after task.ID, open bool, limit int) ([]Ref, error)
}

// MaxUnmentioned is how many of the open tasks that a document leaves out are listed.
const MaxUnmentioned = 1000

// Diff is what applying a document writes. Everything is in the order of the document, except Unmentioned, which is in
// the order of the tasks.
type Diff struct {
	Project        string
	ProjectCreated bool
	ProjectAfter   *task.Project // nil if it does not change
	ProjectChanges map[string]task.Delta
	Create         []Create
	Update         []Update
	Noted          []Update // no visible change: only After.DocStatus is to be saved. They are also in Unchanged
	Unchanged      []Ref
	Unmentioned    []Ref              // open tasks that the document leaves out, the first MaxUnmentioned
	LeftOut        int                // how many there are in all
	Held           []Ref              // tasks of Update that somebody holds
	Circles        []query.CircleMark // existing tasks whose mark changes; new ones have it in Task
	Left           []Left             // fields that the document would change but another system owns
	Warnings       []string
}

// Left is what a document would have changed in a task but did not.
type Left struct {
	ID     task.ID
	Fields []string
}

// Empty reports whether there is nothing to write.
func (d *Diff) Empty() bool {
	return !d.ProjectCreated && d.ProjectAfter == nil && len(d.Create) == 0 && len(d.Update) == 0 && len(d.Noted) == 0
}

// Ref names a task.
type Ref = query.Ref

// Create is a task to create. Task has no id yet; its Parent and Deps are ids of existing tasks. NewParent and NewDeps
// name tasks of the same Diff by their index in Diff.Create, as in task.NewTask: NewParent is the index + 1, or 0 for
// none, and NewDeps are indexes.
type Create struct {
	Index     int // in the document's tasks
	Task      *task.Task
	NewParent int
	NewDeps   []int
	Evidence  []task.EvidenceItem
}

// Update is a change of an existing task. If Changes is empty, After differs from Before at most in DocStatus;
// otherwise its Version, UpdatedAt and ApprovalEpoch have changed. Its Status is still Before's: the core carries out
// MoveTo. NewParent and NewDeps are as in Create: the ids that they get belong in After.Parent and After.Deps.
type Update struct {
	Index         int
	Before, After *task.Task
	Changes       map[string]task.Delta // own fields by their JSON names; tasks that do not exist yet by key
	NewParent     int
	NewDeps       []int
	Evidence      []task.EvidenceItem // items that are not stored yet
	MoveTo        task.Status         // a transition that the document asks for, subject to its rules; empty: none
}

// Answer returns everything that the update changes: fields, the transition and the evidence.
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
