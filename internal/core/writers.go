package core

import (
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// ProjectWriter changes projects, each change with its event.
type ProjectWriter interface {
	CreateProject(p *task.Project, ev ...task.Draft) error
	// SaveProject writes name, vision, gates, settings and archived, guarded by GraphVersion, which it moves.
	SaveProject(before, after *task.Project, ev ...task.Draft) error
	// RenameProject returns a project another slug, and so its tasks other ids.
	RenameProject(slug, to string) error
	// DeleteProject removes a project with everything in it, its events too; what is left is one event that says so.
	DeleteProject(slug string) error
}

// TaskWriter changes tasks, and with them counters, frontier rows and the log.
type TaskWriter interface {
	// CreateTasks returns each task its id, in order, and writes it with its deps; references among the new ones are given
	// by index: see task.NewTask.
	CreateTasks(project string, tasks []task.NewTask) error
	// Save writes changes, each guarded by its before's version and fence (a stale one is a conflict).
	Save(changes ...task.Change) error
	// Extend moves the end of a live claim, without an event.
	Extend(t *task.Task, claim task.Claim) error
	// Unblocked returns the ids that became ready in this transaction.
	Unblocked() []task.ID
}

// AnnotationWriter appends beside a task, each record with its event.
type AnnotationWriter interface {
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

// GuidanceWriter stores the fingerprints of a claim.
type GuidanceWriter interface {
	SaveGuided(g task.Guided) error
}

// LogWriter adds to the log.
type LogWriter interface {
	// Record adds events to a project and task (either may be empty) without another change.
	Record(project string, id task.ID, ev ...task.Draft) error
}

// MarkWriter stores what readers have seen. That is no record of a project, and no event.
type MarkWriter interface {
	// SetMark returns the mark that is stored; it never moves back.
	SetMark(reader string, event int64) (int64, error)
	// See records that a reader has put away an item, by what it is called within its task.
	See(reader string, of task.Waiting, item string) error
}

// SessionWriter makes and ends sessions, each with its event.
type SessionWriter interface {
	AddSession(s task.Session, digest string) (task.Session, error)
	RevokeSession(s task.Session) error
	// TouchSession records that a session was used, without an event.
	TouchSession(id int64, at task.Time) error
}

// ReplyWriter stores answers under idempotency keys.
type ReplyWriter interface {
	Remember(key query.IdemKey, kept query.StoredAnswer) error
}
