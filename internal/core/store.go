package core

import (
	"context"

	"tasker/internal/search"
	"tasker/internal/task"
)

// BundleReader reads what bundles are composed of, and no other read is.
type BundleReader interface {
	// Kin gives the tasks around one in brief, at most most of each sort, the open ones first, then by number.
	Kin(t *task.Task, most int) (task.Kin, error)
	// Ancestry gives ancestors from the parent up, with their bodies, at most most of them.
	Ancestry(id task.ID, most int) ([]*task.Task, error)
	// NewestEvidence gives the newest evidence, oldest first, and every kind that there is.
	NewestEvidence(id task.ID, newest int) ([]task.Evidence, []string, error)
	// Guided gives the guidance that was fingerprinted at the claim, nil where none was.
	Guided(id task.ID) (*task.Guided, error)
	// GuidedHeld gives that of the tasks that are held now, at most most of them.
	GuidedHeld(project string, most int) ([]task.Guided, error)
}

// Store keeps everything. Reads see one consistent snapshot; writes take turns, so that a rule sees one serial
// history. fn may run more than once and has no effect outside the transaction. Write answers after the commit.
type Store interface {
	Read(ctx context.Context, fn func(ReadTx) error) error
	Write(ctx context.Context, by task.By, fn func(WriteTx) error) error
	// WriteThen is Write, and a short read after its commit for what the operation answers, whatever has become of ctx
	// meanwhile. Answers of several may share a snapshot; what fn says they need of tasks may be read ahead.
	WriteThen(ctx context.Context, by task.By, fn func(WriteTx) ([]task.Need, error), then func(ReadTx) error) error
	// Version is the schema version that the database has.
	Version(ctx context.Context) (int, error)
	// Wait returns when events past after may be visible, or ctx ends.
	Wait(ctx context.Context, after int64) error
}

// ReadTx is a snapshot. A lapsed lease is read as it will be swept.
type ReadTx interface {
	// Now is the later of the clock and the newest event's time.
	Now() task.Time
	ProjectReader
	TaskReader
	BesideReader
	BundleReader
	FrontierReader
	EventReader
	CountReader
	WaitingReader
	SessionReader
	SearchReader
	// Remembered is the answer kept for an idempotency key, if any.
	Remembered(key task.IdemKey) (*task.StoredAnswer, error)
}

// WriteTx is one member's part of a turn. What it reads contains what it wrote. Loading a task whose lease has
// lapsed sweeps it first.
type WriteTx interface {
	ReadTx
	TaskWriter
	BesideWriter
	MarkWriter
	SessionWriter
	// SaveGuided keeps the fingerprints of a claim.
	SaveGuided(g task.Guided) error
	// CreateProject makes a project and records project.created.
	CreateProject(p *task.Project, ev ...task.Draft) error
	// SaveProject writes name, vision, gates, settings and archived, guarded by GraphVersion, which it moves.
	SaveProject(before, after *task.Project, ev ...task.Draft) error
	// RenameProject gives a project another slug, and so its tasks other ids.
	RenameProject(slug, to string) error
	// DeleteProject removes a project with everything in it, its events too; what is left is one event that says so.
	DeleteProject(slug string) error
	// Record adds events to a project and task (either may be empty) without another change.
	Record(project string, id task.ID, ev ...task.Draft) error
	// Remember keeps an answer for an idempotency key.
	Remember(key task.IdemKey, kept task.StoredAnswer) error
	// Keep makes what was written stay although the operation answers an error.
	Keep()
}

// ProjectReader reads projects.
type ProjectReader interface {
	// Project is not found where there is no such slug.
	Project(slug string) (*task.Project, error)
	Projects() ([]*task.Project, error)
	// Recount compares everything maintained with a recount from the records and edges.
	Recount(project string) ([]task.Finding, error)
}

// TaskReader reads task records. Only Fill loads Body and Deps.
type TaskReader interface {
	Task(id task.ID) (*task.Task, error)
	TaskByKey(project, key string) (*task.Task, error)
	// Tasks gives all of the ids that exist, in the order asked for.
	Tasks(ids []task.ID) ([]*task.Task, error)
	Fill(tasks ...*task.Task) error
	List(q task.ListQuery) (tasks []*task.Task, total int, next string, err error)
	Children(id task.ID) ([]task.ID, error)
	Dependents(id task.ID) ([]task.ID, error)
	// Edges gives the dependencies of many tasks, task by task.
	Edges(ids []task.ID) ([]task.Edge, error)
	// EdgesFrom and EdgesTo give the dependencies of many tasks, and those on many tasks, at most most of them.
	EdgesFrom(ids []task.ID, most int) ([]task.Edge, error)
	EdgesTo(ids []task.ID, most int) ([]task.Edge, error)
	// Awaited gives the open tasks that a task waits for, at most most of them: open dependencies, else live children.
	Awaited(t *task.Task, most int) ([]*task.Task, error)
	// Held gives the tasks that an actor (with any instance where full is false) holds; everybody's for "".
	Held(project, actor string, full bool) ([]*task.Task, error)
	// Touching gives held tasks that declare what they touch, at most most of them.
	Touching(project string, most int) ([]*task.Task, error)
	// Cards gives the cards of a board, by status in the order of task.Statuses: in the order of selection, closed ones
	// newest first.
	Cards(q task.CardQuery) ([][]task.Card, error)
	// HeldFirst gives what is held by when it was claimed, at most most of it.
	HeldFirst(project string, most int) ([]task.Hold, error)
	// Closed gives closed tasks of a status ("" for both), newest first, closed at since or later.
	Closed(project string, status task.Status, since task.Time, most int) ([]*task.Task, error)
	// Below gives every descendant of a task, by level and number.
	Below(id task.ID) ([]*task.Task, error)
	// Flow gives the open tasks of a project by number, and the dependencies among them.
	Flow(project string) ([]task.ID, []task.Edge, error)
	// Shape is what apply compares a document with: every task of the project, filled, by number.
	Shape(project string) ([]*task.Task, error)
	// EvidenceOf gives the evidence of many tasks.
	EvidenceOf(ids []task.ID) ([]task.Evidence, error)
}

// BesideReader reads what is kept beside a task, oldest first.
type BesideReader interface {
	Notes(id task.ID, newest int) ([]task.Note, error)
	Evidence(id task.ID) ([]task.Evidence, error)
	Approvals(id task.ID) ([]task.Approval, error) // Stale is set
	Questions(id task.ID) ([]task.Question, error)
	// Question is not found where there is none of that id; a withdrawn one is.
	Question(id int64) (*task.Question, error)
	Decisions(id task.ID, newest int) ([]task.Decision, error)
	Bindings(id task.ID) ([]task.Binding, error)
}

// FrontierReader walks the frontier in the caller's total order, reading only what it yields.
type FrontierReader interface {
	Frontier(q task.FrontierQuery, yield func(*task.Task) bool) error
	// LaneHead gives the first q.Most tasks of a lane in brief, however far q goes, and how many of them it comes to.
	LaneHead(q task.FrontierQuery) (head *task.LaneHead, before int, err error)
	// Standstill counts why an actor finds nothing to hold.
	Standstill(q task.FrontierQuery) (task.Standstill, error)
}

// EventReader reads the log.
type EventReader interface {
	Events(q task.EventQuery) ([]task.Event, error)
	LastEvent() int64
}

// SearchReader finds words in records.
type SearchReader interface {
	// Search counts what a query finds, and loads the candidates for its hits.
	Search(a search.Ask) (search.Result, error)
}

// TaskWriter changes tasks. Counters, frontier rows and events are kept right by it.
type TaskWriter interface {
	// CreateTasks gives each task its id, in order, and writes it with its deps; references among the new ones
	// are given by index: see task.NewTask.
	CreateTasks(project string, tasks []task.NewTask) error
	// Save writes changes, each guarded by its before's version and fence (a stale one is a conflict).
	Save(changes ...task.Change) error
	// Extend moves the end of a live claim, without an event.
	Extend(t *task.Task, claim task.Claim) error
	// Unblocked gives the ids that became ready in this transaction.
	Unblocked() []task.ID
}

// BesideWriter appends beside a task, each with its event.
type BesideWriter interface {
	AddNote(t *task.Task, text string) (task.Note, error)
	AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error)
	AddApproval(t *task.Task, a task.Approval) (task.Approval, error)
	AddDecision(t *task.Task, title string, rationale task.Opt) (task.Decision, error)
	// AskQuestion takes text, addressee and whether it blocks; a blocking one takes its task off the frontier.
	AskQuestion(t *task.Task, q task.Question) (task.Question, error)
	AnswerQuestion(q *task.Question, text string) error
	WithdrawQuestion(q *task.Question) error
	// RequestApproval records that approvals were asked for: the task waits for people from then on.
	RequestApproval(t *task.Task, ev task.Draft) error
}

// SessionReader reads sessions.
type SessionReader interface {
	Sessions() ([]task.Session, error)
	// Session is not found where there is none with the id.
	Session(id int64) (task.Session, error)
	// SessionOf gives the session whose credential has the digest, nil where there is none.
	SessionOf(digest string) (*task.Session, error)
}

// SessionWriter makes and ends sessions, each with its event.
type SessionWriter interface {
	AddSession(s task.Session, digest string) (task.Session, error)
	RevokeSession(s task.Session) error
	// TouchSession notes that a session was used, without an event.
	TouchSession(id int64, at task.Time) error
}
