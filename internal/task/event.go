package task

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/strict"
)

// Kind names what happened, as `noun.verb` in the past tense.
type Kind string

// The kinds of events.
const (
	TaskCreated           Kind = "task.created"
	TaskUpdated           Kind = "task.updated"
	TaskMoved             Kind = "task.moved"
	TaskRemoved           Kind = "task.removed"
	TaskClaimed           Kind = "task.claimed"
	ClaimRenewed          Kind = "claim.renewed"
	ClaimReleased         Kind = "claim.released"
	ClaimExpired          Kind = "claim.expired"
	CriterionChecked      Kind = "criterion.checked"
	CriterionUnchecked    Kind = "criterion.unchecked"
	NoteAdded             Kind = "note.added"
	EvidenceAdded         Kind = "evidence.added"
	ApprovalGiven         Kind = "approval.given"
	ApprovalRequested     Kind = "approval.requested"
	ApprovalRefused       Kind = "approval.refused"
	OverrideForced        Kind = "override.forced"
	DecisionRecorded      Kind = "decision.recorded"
	DecisionWithdrawn     Kind = "decision.withdrawn"
	QuestionAsked         Kind = "question.asked"
	QuestionAnswered      Kind = "question.answered"
	QuestionWithdrawn     Kind = "question.withdrawn"
	PlanApplied           Kind = "plan.applied"
	ProjectCreated        Kind = "project.created"
	ProjectUpdated        Kind = "project.updated"
	ProjectRenamed        Kind = "project.renamed"
	ProjectArchived       Kind = "project.archived"
	ProjectDeleted        Kind = "project.deleted"
	ProjectMerged         Kind = "project.merged"
	BindingAdded          Kind = "binding.added"
	BindingRemoved        Kind = "binding.removed"
	SyncPulled            Kind = "sync.pulled"
	SyncPlanned           Kind = "sync.planned"
	SyncPushed            Kind = "sync.pushed"
	SyncFailed            Kind = "sync.failed"
	ConflictFound         Kind = "conflict.found"
	ConflictResolved      Kind = "conflict.resolved"
	GuidanceDrifted       Kind = "guidance.drifted"
	WorkspaceOpened       Kind = "workspace.opened"
	WorkspaceStep         Kind = "workspace.step"
	WorkspaceClosed       Kind = "workspace.closed"
	WorkspacePruned       Kind = "workspace.pruned"
	NotificationDelivered Kind = "notification.delivered"
	NotificationFailed    Kind = "notification.failed"
	TaskLanded            Kind = "task.landed"
	LandFailed            Kind = "land.failed"
	SessionCreated        Kind = "session.created"
	SessionRevoked        Kind = "session.revoked"
	DatabaseRestored      Kind = "database.restored"
	EventsPruned          Kind = "events.pruned"
	RunnerStarted         Kind = "runner.started"
	RunnerPauses          Kind = "runner.paused"
	RunnerResumed         Kind = "runner.resumed"
	RunnerEnded           Kind = "runner.stopped"
)

// OfNoProject reports whether events of the kind concern the whole database rather than one project.
func (k Kind) OfNoProject() bool {
	return k == SessionCreated || k == SessionRevoked || k == DatabaseRestored || k == EventsPruned || k == ProjectDeleted
}

// Kinds lists every kind of event, for filters, completion and the reference.
var Kinds = []Kind{
	TaskCreated, TaskUpdated, TaskMoved, TaskRemoved, TaskClaimed, ClaimRenewed, ClaimReleased, ClaimExpired, CriterionChecked, CriterionUnchecked,
	NoteAdded, EvidenceAdded, ApprovalGiven, ApprovalRequested, ApprovalRefused, OverrideForced, DecisionRecorded, DecisionWithdrawn, QuestionAsked,
	QuestionAnswered, QuestionWithdrawn, PlanApplied, ProjectCreated, ProjectUpdated, ProjectRenamed, ProjectArchived, ProjectDeleted, ProjectMerged, BindingAdded,
	BindingRemoved, SyncPulled, SyncPlanned, SyncPushed, SyncFailed, ConflictFound, ConflictResolved, GuidanceDrifted, WorkspaceOpened, WorkspaceStep,
	WorkspaceClosed, WorkspacePruned, TaskLanded, LandFailed, RunnerStarted, RunnerPauses, RunnerResumed, RunnerEnded, NotificationDelivered, NotificationFailed, SessionCreated,
	SessionRevoked, DatabaseRestored, EventsPruned,
}

// Event is one thing that happened. The events of one request share Batch, the id of the first of them.
//
//field:json marshal
type Event struct {
	ID      int64          `json:"id" db:"id"`
	At      Time           `json:"at" db:"at"`
	Project Opt            `json:"project" db:"project,slug,given"`
	Task    Opt            `json:"task" db:"task,ref,given"`
	Actor   string         `json:"actor" db:"actor"`
	Kind    Kind           `json:"kind" db:"kind"`
	Payload jsontext.Value `json:"payload" db:"payload"`
	Batch   int64          `json:"batch" db:"batch"`
	Via     Via            `json:"via" db:"via"`
}

// Via is the face that a request came through.
//
//field:json
type Via struct {
	Face      string `json:"face"` // cli, http, mcp, server
	RequestID Opt    `json:"requestId"`
	Session   Opt    `json:"session"`
	Agent     Opt    `json:"agent"` // the agent in whose shell the command or the server runs
}

// Payload is what an event says beyond its kind. Changes are `{field: {from, to}}`, so that they can be undone.
type Payload map[string]any

// Delta is a field's value before and after a change.
type Delta struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// Encode returns the payload as JSON, sorted by name.
func (p Payload) Encode() ([]byte, error) { return strict.AppendRecord(make([]byte, 0, 256), p) }

// Members writes the values of the payload. Every event has a payload, so the common types are written without
// reflection.
func (p Payload) Members(o *strict.Writer) {
	var few [16]string
	names := slices.AppendSeq(few[:0], maps.Keys(p))
	slices.Sort(names)
	for _, name := range names {
		writeAny(o, name, p[name])
	}
}

// Members writes the members of the difference.
func (d Delta) Members(o *strict.Writer) {
	writeAny(o, "from", d.From)
	writeAny(o, "to", d.To)
}

func writeAny(o *strict.Writer, n string, v any) {
	switch v := v.(type) {
	case nil:
		o.Null(n)
	case string:
		o.Text(n, v)
	case Opt:
		o.Opt(n, string(v))
	case Status:
		o.Text(n, string(v))
	case ID:
		o.Text(n, string(v))
	case bool:
		o.Bool(n, v)
	case int:
		o.Int(n, int64(v))
	case int64:
		o.Int(n, v)
	case Time:
		WriteTime(o, n, v)
	case Delta:
		o.Record(n, v)
	default:
		o.Value(n, v)
	}
}
