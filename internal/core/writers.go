package core

import (
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/drift"
	"tasker/internal/task/inbox"
	"tasker/internal/task/merge"
	"tasker/internal/task/place"
	"tasker/internal/task/query"
)

// ProjectWriter changes projects; each change has its event.
type ProjectWriter interface {
	CreateProject(p *task.Project, ev ...task.Draft) error
	// SaveProject writes name, vision, gates, settings and archived, guarded by GraphVersion, which it increments.
	SaveProject(before, after *task.Project, ev ...task.Draft) error
	// RenameProject changes a project's slug, and with it the ids of its tasks.
	RenameProject(slug, to string, undoes ...int64) error
	// DeleteProject removes a project with everything in it, events included, and records one event that says so.
	DeleteProject(slug string) error
	// Mend does steps of a recount of the project, each of which is short, and leaves out those that somebody has written in
	// between. It returns the steps that wrote. It needs a turn of its own.
	Mend(slug string, steps []query.Mend) ([]query.Mend, error)
}

// TaskWriter changes tasks, and with them counters, frontier rows and the log.
type TaskWriter interface {
	// CreateTasks assigns ids in order and writes the tasks with their deps. References among them are indexes: see
	// task.NewTask.
	CreateTasks(project string, tasks []task.NewTask) error
	// Save writes changes, each guarded by the version and fence of its before; a stale one is a conflict.
	Save(changes ...task.Change) error
	// Remove removes a task without parent, dependencies, children and dependents; its events stay.
	Remove(t *task.Task, ev ...task.Draft) error
	// MarkCircles writes which children stand in a circle with their parents; it follows every change of edges.
	MarkCircles(marks []query.CircleMark) error
	// Extend changes the end of a live claim, without an event.
	Extend(t *task.Task, claim task.Claim) error
	// Sweep writes down lapsed leases, of any project, up to a bound, and returns how many; a selection does so by itself.
	Sweep() (int, error)
	// Unblocked returns the ids that became ready in this transaction.
	Unblocked() []task.ID
}

// AnnotationWriter adds annotations to a task, each with its event. That of an undo names the event that it undoes.
type AnnotationWriter interface {
	AddNote(t *task.Task, text string) (task.Note, error)
	AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error)
	AddApproval(t *task.Task, a task.Approval) (task.Approval, error)
	// AskQuestion uses text, addressee and blocking of q. A blocking question takes its task off the frontier.
	AskQuestion(t *task.Task, q task.Question) (task.Question, error)
	AnswerQuestion(q *task.Question, text string) error
	WithdrawQuestion(q *task.Question, undoes ...int64) error
	// RequestApproval records that approvals were asked for. From then on the task waits for people.
	RequestApproval(t *task.Task, ev task.Draft) error
}

// DecisionWriter records decisions about a task and withdraws them, each with its event. That of an undo names the event that it undoes.
type DecisionWriter interface {
	AddDecision(t *task.Task, title string, rationale task.Opt, undoes ...int64) (task.Decision, error)
	// WithdrawDecision removes a decision, and reports whether it was there.
	WithdrawDecision(t *task.Task, d task.Decision, undoes ...int64) (bool, error)
}

// GuidanceWriter stores the fingerprints of a claim.
type GuidanceWriter interface {
	SaveGuided(g drift.Guided) error
}

// WorkspaceWriter stores where work happens.
type WorkspaceWriter interface {
	// AddWorkspace stores one that is not there yet, with its ports; a port that another has is a conflict.
	AddWorkspace(ws *place.Workspace) error
	// SaveWorkspace replaces one whose state is still from; another state is a conflict.
	SaveWorkspace(ws *place.Workspace, from place.State, ev ...task.Draft) error
	// SaveLanding stores where the work on a closed task is.
	SaveLanding(t *task.Task, l *place.Landing, ev ...task.Draft) error
	// DropWorkspace removes one and gives its ports back.
	DropWorkspace(id task.ID, host string, ev ...task.Draft) error
}

// LinkWriter stores the records of links to other systems.
type LinkWriter interface {
	AddBinding(t *task.Task, b task.Binding) (task.Binding, error)
	// RemoveBinding removes a binding with everything that is stored of it.
	RemoveBinding(b task.Binding) error
	SaveBasis(b task.Binding, basis merge.Basis, ev ...task.Draft) error
	AddConflict(d merge.Disagreement, ev task.Draft) (int64, error)
	SaveConflict(d merge.Disagreement, ev task.Draft) error
	// SaveWrite stores an outbound write, a new one under the id of its event.
	SaveWrite(o merge.Write, ev ...task.Draft) (int64, error)
	EndWrite(o merge.Write, ev ...task.Draft) error
	SaveOwnership(project string, o merge.Ownership, ev ...task.Draft) error
	SaveHealth(project, system string, h merge.Health, ev ...task.Draft) error
}

// NoticeWriter stores notices.
type NoticeWriter interface {
	// SaveNotice stores a notice with its event; an empty why removes it.
	SaveNotice(id task.ID, name, why string, ev ...task.Draft) error
	// ClearNotices removes those of a name from every task of a project.
	ClearNotices(project, name string) error
}

// SyncStore reads and writes what only a sync changes: the loop's lease, and tasks that another system has closed.
type SyncStore interface {
	// Write returns an outbound write; not found for an unknown id.
	Write(id int64) (merge.Write, error)
	SaveLoop(project string, l merge.Loop) error
	// Unclosed returns what is missing of a task that another system has closed, nil where nothing is known.
	Unclosed(id task.ID) (*merge.Unclosed, error)
	// SaveUnclosed stores it; an empty text for nothing.
	SaveUnclosed(id task.ID, why string, ev ...task.Draft) error
}

// LogWriter adds to the log.
type LogWriter interface {
	// Record adds events to a project and task (either may be empty) without another change.
	Record(project string, id task.ID, ev ...task.Draft) error
	// Prune removes the events that Unneeded counts.
	Prune(from, before int64, limit int) (n int, next int64, err error)
}

// MarkWriter stores what readers have seen. Marks are not records of a project, so they have no events.
type MarkWriter interface {
	// SetMark returns the mark that is stored; it never moves back.
	SetMark(reader string, event int64) (int64, error)
	// See records that a reader has put away an item, given by its name within its task.
	See(reader string, of inbox.Waiting, item string) error
	// Acknowledge records that a human has seen the failures of a task: they are counted anew.
	Acknowledge(id task.ID) error
}

// SessionWriter creates and ends sessions, each with its event.
type SessionWriter interface {
	AddSession(s task.Session, digest string) (task.Session, error)
	RevokeSession(s task.Session) error
	// Rescope lets sessions that are limited to a project follow it to another slug.
	Rescope(from, to string) error
	// TouchSession records that a session was used, without an event.
	TouchSession(id int64, at task.Time) error
}

// DeliveryWriter stores the deliveries of inbox items, and how far channels have come.
type DeliveryWriter interface {
	SaveQueue(q delivery.Queue) error
	// Enqueue stores deliveries with the next ids; one that is there already is left as it is.
	Enqueue(all []delivery.Delivery) error
	// SaveDelivery stores what has become of a delivery, with events of its project.
	SaveDelivery(d *delivery.Delivery, ev ...task.Draft) error
	// ReleaseDeliveries lets what is held be sent, and returns how much that is.
	ReleaseDeliveries() (int, error)
}

// ReplyWriter stores answers under idempotency keys.
type ReplyWriter interface {
	Remember(key query.IdemKey, answer query.StoredAnswer) error
}

// RecordWriter writes whole records.
type RecordWriter interface {
	// LoadRecords writes the records that next returns, until it returns nil, into a database that has none, and returns how
	// many. It needs a turn of its own.
	LoadRecords(of query.Dumped, next func() (*query.Record, error)) (int, error)
	// Merge moves everything of a project into another, where the numbers of its tasks are larger by shift. Tasks without a parent
	// get the one that is given, if any. It needs a turn of its own.
	Merge(from, into string, under task.ID) (shift int64, err error)
	// Restored makes the database one of a new generation, raises every fence, and returns how many events it has.
	Restored(instance, generation, fences int64) (events int, err error)
}
