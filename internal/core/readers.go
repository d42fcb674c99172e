package core

import (
	"tasker/internal/search"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/drift"
	"tasker/internal/task/inbox"
	"tasker/internal/task/merge"
	"tasker/internal/task/place"
	"tasker/internal/task/query"
)

// ProjectReader reads projects, and counts that are stored.
type ProjectReader interface {
	// Get returns not found for an unknown slug.
	Get(slug string) (*task.Project, error)
	All() ([]*task.Project, error)
	// NoneYet returns the refusal of a request that needs a project where there is none.
	NoneYet() error
	// CheckFree declines a slug that a project has but for the case of its letters; the project own may have it.
	CheckFree(slug, own string) error
	// Overdue counts the open tasks of a project whose due moment has passed.
	Overdue(project string) (int, error)
	// ClosedSince counts the closed tasks that were closed at since or later.
	ClosedSince(project string, since task.Time) (int, error)
	// ReadyBy returns the ready tasks counted by what they declare for routing, and how many a blocking question keeps
	// back, whatever else does.
	ReadyBy(project string) (ready []query.RouteCount, keptBack int, err error)
	// Recount compares every maintained value with a recount from the records and edges. It returns what differs, and the steps
	// that put it right, in their order.
	Recount(project string) ([]query.Finding, []query.Mend, error)
}

// PaceReader counts how a project grew and was closed, without loading its tasks.
type PaceReader interface {
	// First returns when the first task of a project was created, zero where it has none.
	First(project string) (task.Time, error)
	// Created counts tasks by the span in which they were created: the first has what came before it, too, and the last what
	// came after. Closed counts those of a closed status by the span in which they were closed.
	Created(project string, s query.Spans) ([]int, error)
	Closed(project string, status task.Status, s query.Spans) ([]int, error)
	// Underway returns up to limit open tasks that somebody has begun, or that have a gate.
	Underway(project string, limit int) ([]query.Underway, error)
	// Parts counts the parts of every task of a project that has any.
	Parts(project string) (map[task.ID]query.Parts, error)
}

// TaskReader reads task records. Only Fill loads Body and Deps.
type TaskReader interface {
	Get(id task.ID) (*task.Task, error)
	ByKey(project, key string) (*task.Task, error)
	// ByID returns those of the ids that exist, in the order asked for.
	ByID(ids []task.ID) ([]*task.Task, error)
	Fill(tasks ...*task.Task) error
	// FillWithin is Fill for as many of the tasks as fit a page of some bytes, and returns how many.
	FillWithin(bytes int, tasks ...*task.Task) (int, error)
	List(q query.List) (tasks []*task.Task, total query.Count, next string, err error)
	// Held returns the tasks that an actor holds, under any instance unless full; everybody's for "".
	Held(project, actor string, full bool) ([]*task.Task, error)
	// HeldFirst returns up to limit held tasks in the order of their claims.
	HeldFirst(project string, limit int) ([]task.Hold, error)
	// Touching returns up to limit held tasks, but one, whose touches begin in one of the starts (see syntax.Starts), above
	// it or below it, and whether there are more.
	Touching(project string, starts []string, but task.ID, limit int) (held []*task.Task, more bool, err error)
	// Closed returns up to limit tasks of a closed status ("" for both), newest first, closed at since or later.
	Closed(project string, status task.Status, since task.Time, limit int) ([]*task.Task, error)
	Titles(project string, ids []task.ID) (map[task.ID]string, error)
	Gists(project string, ids []task.ID) (map[task.ID]task.Gist, error)
}

// PlanReader reads what a plan is compared with.
type PlanReader interface {
	// ByKeys returns the tasks that have one of the keys, by number; Refs the names of those that have one of the keys or
	// ids.
	ByKeys(project string, keys []string) ([]*task.Task, error)
	Refs(project string, keys []string, ids []task.ID) ([]query.Ref, error)
	// After returns up to limit tasks past one, by number; the open ones alone, where asked for.
	After(project string, after task.ID, open bool, limit int) ([]query.Ref, error)
	// CircledUnder returns the children of tasks that are marked as standing in a circle with them.
	CircledUnder(project string, parents []task.ID) ([]query.Tie, error)
}

// GraphReader reads dependencies and parents.
type GraphReader interface {
	Children(id task.ID) ([]task.ID, error)
	Dependents(id task.ID) ([]task.ID, error)
	// Edges returns the dependencies of many tasks, task by task.
	Edges(ids []task.ID) ([]query.Edge, error)
	// EdgesFrom returns up to limit dependencies of many tasks, EdgesTo those on many tasks.
	EdgesFrom(ids []task.ID, limit int) ([]query.Edge, error)
	EdgesTo(ids []task.ID, limit int) ([]query.Edge, error)
	// Awaited returns up to limit open tasks that a task waits for: open dependencies, then parts.
	Awaited(t *task.Task, limit int) ([]*task.Task, error)
	// FirstAwaited returns of each of many tasks of one project the first open one that it waits for: a dependency, else a
	// part. It searches the first 200 of each.
	FirstAwaited(ids []task.ID) (map[task.ID]task.ID, error)
	// TiesFrom and TiesTo return the dependencies of, and on, many tasks, and who is their child, or their parent.
	TiesFrom(ids []task.ID) ([]query.Tie, error)
	TiesTo(ids []task.ID) ([]query.Tie, error)
	// Circled returns up to limit children of a project that are marked as standing in a circle with their parents,
	// CircledBelow up to limit open ones of a task.
	Circled(project string, limit int) ([]query.Tie, error)
	CircledBelow(id task.ID, limit int) ([]query.Tie, error)
	// Below returns every descendant of a task, by level and number.
	Below(id task.ID) ([]*task.Task, error)
	// Epics returns the newest open tasks of a project that have parts, up to limit of them, by number, and whether there are more.
	Epics(project string, limit int) (some []query.Epic, more bool, err error)
	// Flow returns the open tasks of a project by number, the dependencies among them, and the parts that parents wait for
	// without depending on them.
	Flow(project string) (ids []task.ID, deps, parts []query.Edge, err error)
	// Kin returns the tasks around one in the form Brief, up to limit of each kind, the open ones first, then by
	// number.
	Kin(t *task.Task, limit int) (query.Kin, error)
	// Ancestry returns up to limit ancestors from the parent up, and how many of the nearest have their bodies: those that fit a
	// page of some bytes.
	Ancestry(id task.ID, limit, bytes int) (up []*task.Task, bodied int, err error)
}

// AnnotationReader reads what is stored beside a task, oldest first.
type AnnotationReader interface {
	Notes(id task.ID, newest int) ([]task.Note, error)
	Evidence(id task.ID) ([]task.Evidence, error)
	// NewestEvidence returns the newest evidence, oldest first, and the kinds of all of it.
	NewestEvidence(id task.ID, newest int) ([]task.Evidence, []string, error)
	// EvidenceOf returns the evidence of many tasks.
	EvidenceOf(ids []task.ID) ([]task.Evidence, error)
	Approvals(id task.ID) ([]task.Approval, error) // Stale is set
	// ApprovalsOf returns the approvals of many tasks that still count.
	ApprovalsOf(project string, ids []task.ID) (map[task.ID][]task.Approval, error)
	// Questions returns those questions that fit a page, the ones that keep the task back before others, and how many there are.
	Questions(id task.ID, newest int) (some []task.Question, total int, err error)
	// HoldingBack returns the oldest question that keeps a task back, or nil.
	HoldingBack(id task.ID) (*task.Question, error)
	// OpenQuestions returns how many questions of a task wait for an answer.
	OpenQuestions(id task.ID) (int, error)
	// Question returns a question, withdrawn or not, or not found.
	Question(id int64) (*task.Question, error)
	Decisions(id task.ID, newest int) ([]task.Decision, error)
	Bindings(id task.ID) ([]task.Binding, error)
}

// GuidanceReader reads the fingerprints of guidance.
type GuidanceReader interface {
	// Guided returns the guidance that was fingerprinted at the claim, or nil.
	Guided(id task.ID) (*drift.Guided, error)
	// GuidedHeld returns the guidance of up to limit tasks that are held now.
	GuidedHeld(project string, limit int) ([]drift.Guided, error)
}

// WorkspaceReader reads where work happens.
type WorkspaceReader interface {
	// Workspaces returns up to limit workspaces, by task and host.
	Workspaces(q place.Query, limit int) ([]*place.Workspace, error)
	// Landings returns where the work on closed tasks was when somebody last looked since they were closed.
	Landings(tasks []*task.Task) (map[task.ID]*place.Landing, error)
	// Unlanded returns up to limit tasks of a project whose work was not on its base then, the newest first.
	Unlanded(project string, limit int) ([]task.ID, error)
	// PortsTaken returns which ports of a host workspaces have, and the task of each.
	PortsTaken(host string) (map[int]task.ID, error)
}

// LinkReader reads the records of links to other systems.
type LinkReader interface {
	// BindingsIn returns up to limit bindings of a project to a system, past one, by id; BindingsTo those to one record.
	BindingsIn(project, system string, after int64, limit int) ([]task.Binding, error)
	BindingsTo(project, system, ref string) ([]task.Binding, error)
	// Basis returns what both sides of a binding agreed on.
	Basis(binding int64) (merge.Basis, error)
	// Conflicts returns up to limit disagreements in a state, oldest first, and how many there are.
	Conflicts(project string, state merge.State, limit int) ([]merge.Disagreement, int, error)
	// Conflict returns not found for an unknown id.
	Conflict(id int64) (merge.Disagreement, error)
	// Unresolved returns the disagreements about a binding that are open or deferred, by field, and WritesOf the writes.
	Unresolved(binding int64) (map[string]merge.Disagreement, error)
	WritesOf(binding int64) (map[string]merge.Write, error)
	// Writes returns up to limit outbound writes past one, by id, and how many there are; in one state, or in any.
	Writes(project string, state merge.WriteState, after int64, limit int) ([]merge.Write, int, error)
	Ownership(project string) (merge.Ownership, error)
	Health(project, system string) (merge.Health, error)
	// Loop returns the background loop of a project, nil where none ever ran.
	Loop(project string) (*merge.Loop, error)
}

// NoticeReader reads what another system caused and people should look at, and how links fare.
type NoticeReader interface {
	// Notice returns a notice of a task by its name, nil where there is none.
	Notice(id task.ID, name string) (*merge.Notice, error)
	// Fares returns how the links of every project fare that have been looked at.
	Fares() ([]merge.Fare, error)
}

// FrontierReader walks the frontier in the caller's total order, and reads only what it yields.
type FrontierReader interface {
	Walk(q query.Frontier, yield func(*task.Task) bool) error
	// LaneHead returns the first q.Limit tasks of a lane in the form Brief, and how many of them come before q.Until.
	LaneHead(q query.Frontier) (head []*task.Task, before int, err error)
	// Cards returns the cards of a board, by status in the order of task.Statuses: open ones in the order of
	// selection, closed ones newest first.
	Cards(q query.Cards) ([][]task.Card, error)
	// Standstill counts why an actor finds nothing to hold.
	Standstill(q query.Frontier) (query.Standstill, error)
	// NextExpiry returns when the next lease of a project ends; zero where none will.
	NextExpiry(project string) (task.Time, error)
	// OldestReady returns up to limit ready tasks whose newest event is oldest, with id, routing and that event alone.
	OldestReady(project string, limit int) ([]*task.Task, error)
}

// LogReader reads the log of events.
type LogReader interface {
	Events(q query.Events) ([]task.Event, error)
	LastEvent() int64
	// Generation returns how often the database was restored, from 1.
	Generation() int64
	// Restored returns the event of the last restore, whatever the caller may see; nil where there is none.
	Restored() (*task.Event, error)
	// Start returns where the log begins.
	Start() (query.LogStart, error)
	// EventBefore returns the last event before a time, 0 where there is none.
	EventBefore(t task.Time) (int64, error)
	// Unneeded looks at up to limit stored events from one on and before another. It returns how many of them no record needs,
	// and where to go on; 0 at the end.
	Unneeded(from, before int64, limit int) (n int, next int64, err error)
	// History returns up to limit of the newest events of a task that fit a page of some bytes, oldest first, and whether there
	// may be others before them.
	History(id task.ID, limit, bytes int) (events []task.Event, more bool, err error)
	// EventsByID calls each with events, in any order, one at a time: their payloads may be large.
	EventsByID(ids []int64, each func(task.Event)) error
	// Latest calls each with the newest events past one, of a kind that the log indexes, newest first.
	Latest(project string, kind task.Kind, after int64, limit int, each func(task.Event)) error
	// Spoken returns the last event of the write that an actor made before its newest one in a project, under any of some
	// names; 0 where there is none.
	Spoken(project string, names []string) (int64, error)
	// Concerned returns what concerns an actor in a project under any of some names. It counts the tasks that it holds, besides
	// one, up to limit, and costs next to nothing.
	Concerned(project string, names []string, besides task.ID, limit int) (query.Concern, error)
}

// WaitingReader reads what waits for people.
type WaitingReader interface {
	List(q inbox.Query) ([]inbox.Waiting, error)
}

// MarkReader reads what readers have seen and put away.
type MarkReader interface {
	// Mark returns the newest event that a reader says it was shown.
	Mark(reader string) (int64, error)
	// Seen returns the items of tasks that a reader has put away, with the stamp of each.
	Seen(reader, project string, ids []task.ID) (map[inbox.ItemRef]int64, error)
	// SeenAll returns the stamp up to which everything of a kind is put away.
	SeenAll(reader, project string, kind inbox.WaitKind) (int64, error)
}

// SessionReader reads sessions.
type SessionReader interface {
	All() ([]task.Session, error)
	// Get returns not found for an unknown id.
	Get(id int64) (task.Session, error)
	// SessionOf returns the session whose credential has the digest, or nil.
	SessionOf(digest string) (*task.Session, error)
}

// DeliveryReader reads the deliveries of inbox items, and how far channels have come.
type DeliveryReader interface {
	// Queue returns how far a channel has come, or nil where it is new.
	Queue(channel string) (*delivery.Queue, error)
	// NextDelivery returns the first pending delivery of a channel that is not held, or nil.
	NextDelivery(channel string) (*delivery.Delivery, error)
	// Deliveries returns the newest limit deliveries, oldest first; those of one state where it is given.
	Deliveries(state delivery.State, limit int) ([]*delivery.Delivery, error)
	// Delivery returns not found for an unknown id.
	Delivery(id int64) (*delivery.Delivery, error)
	// Slowest returns the channel that has come least far, nil where there is none.
	Slowest() (*delivery.Queue, error)
	// OldestPending returns the pending delivery that was queued first, held or not, or nil.
	OldestPending() (*delivery.Delivery, error)
	// PendingDeliveries counts what is yet to be delivered, and how much of it is held.
	PendingDeliveries() (pending, held int, err error)
}

// SearchReader finds words in records.
type SearchReader interface {
	// Search counts what a query finds, and loads the candidates for its hits.
	Search(a search.Ask) (search.Result, error)
}

// ReplyReader reads the answers that are stored under idempotency keys.
type ReplyReader interface {
	// Remembered returns the answer stored for a key, or nil.
	Remembered(key query.IdemKey) (*query.StoredAnswer, error)
}

// RecordReader reads whole records, to take them elsewhere.
type RecordReader interface {
	// Rekeyed returns which keys of a project another one has too, with those that its tasks get there, by number.
	Rekeyed(from, into string) ([]query.Rekeyed, error)
	// Shared returns issues that tasks of both projects are bound to, up to limit of them.
	Shared(from, into string, limit int) ([]query.Shared, error)
	// Dumped says which database this is, and refuses a project that is not there ("" means all of them).
	Dumped(project string) (query.Dumped, error)
	// EachRecord calls yield with every record of a project, or of all for "".
	EachRecord(project string, yield func(query.Record) error) error
}
