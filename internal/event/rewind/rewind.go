// Package rewind rewinds tasks by their events: the event of a change carries the value before it.
//
// A State has the tasks that events name, as they are now and as they were. Undo takes back one event after another,
// newest first; Recount then counts what follows from the tasks together (open dependencies, parts). Every task that is
// not in the State is as it was. What events do not record, such as the version of a record, stays as it is now.
package rewind

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// Was says which moment an answer shows.
type Was struct {
	Event int64     `json:"event"` // the newest event at that moment
	At    task.Time `json:"at"`    // when that was
	Cut   bool      `json:"cut"`   // there are too many events since the moment asked for, so this is a later one
}

// State is some tasks of a project, as they are and as they were at some event.
type State struct {
	project   string
	now, then map[task.ID]*task.Task // nil where it does not exist
	bodied    map[task.ID]bool       // whether its Body is what it was
	ids       []task.ID              // by number; nil: not known
}

// New returns a state without tasks.
func New(project string) *State {
	return &State{project: project, now: map[task.ID]*task.Task{}, then: map[task.ID]*task.Task{}, bodied: map[task.ID]bool{}}
}

// Add adds a task as it is now, with its dependencies; nil says that no task has the id. It counts as unchanged until
// one of its events is taken back.
func (s *State) Add(id task.ID, t *task.Task) {
	s.ids = nil
	s.now[id], s.then[id] = t, t
}

// own returns a task as it was, for changing: until then it is shared with the task as it is.
func (s *State) own(id task.ID) *task.Task {
	if t := s.then[id]; t != nil && t == s.now[id] {
		was := *t
		s.then[id] = &was
	}
	return s.then[id]
}

// Has reports whether the state has a task, which need not exist.
func (s *State) Has(id task.ID) bool {
	_, ok := s.then[id]
	return ok
}

// Now returns a task as it is, or nil if it does not exist or the state does not have it.
func (s *State) Now(id task.ID) *task.Task { return s.now[id] }

// Then returns a task as it was, or nil if it did not exist or the state does not have it.
func (s *State) Then(id task.ID) *task.Task { return s.then[id] }

// IDs returns the tasks of the state by number.
func (s *State) IDs() []task.ID {
	if s.ids == nil {
		s.ids = slices.SortedFunc(maps.Keys(s.then), task.CompareIDs)
	}
	return s.ids
}

// Bodied reports whether the body of a task was rewound; otherwise it is the present one.
func (s *State) Bodied(id task.ID) bool { return s.bodied[id] }

// payload is what events say about the state before them.
type payload struct {
	Key       string                  `json:"key"`
	Title     string                  `json:"title"`
	From      task.Status             `json:"from"`
	Status    before[task.Status]     `json:"status"`
	Claim     *before[*task.Claim]    `json:"claim"`
	ClosedAt  *before[task.Time]      `json:"closedAt"`
	ClosedBy  *before[string]         `json:"closedBy"`
	Attempts  *before[int]            `json:"attempts"`
	Recorded  *before[bool]           `json:"recorded"`
	Index     int                     `json:"index"`
	Text      string                  `json:"text"`
	Checked   before[bool]            `json:"checked"`
	CheckedBy before[task.Opt]        `json:"checkedBy"`
	CheckedAt before[task.Time]       `json:"checkedAt"`
	By        before[task.EvidenceID] `json:"by"`
	Rests     before[task.Opt]        `json:"rests"`
	Note      before[task.Opt]        `json:"note"`
	Doubt     before[task.Opt]        `json:"doubt"`
	Returned  *before[int64]          `json:"returned"`
	SentBack  *before[int64]          `json:"sentBack"`
	ReviewBy  *before[string]         `json:"reviewBy"`
}

// before is a value before a change.
type before[T any] struct {
	From T `json:"from"`
}

// back restores the value, if the event says what it was.
func (b *before[T]) back(value *T) {
	if b != nil {
		*value = b.From
	}
}

// inverse takes an event back from its task.
type inverse func(t *task.Task, payload []byte) error

// inverses has the inverse of each kind of event that changes more of a task than its fields. Other kinds of events
// need none.
var inverses = map[task.Kind]inverse{
	task.TaskMoved:          by(func(t *task.Task, p payload) { unmove(t, p, p.From) }),
	task.ClaimReleased:      by(func(t *task.Task, p payload) { unmove(t, p, p.Status.From) }),
	task.TaskClaimed:        by(unclaim),
	task.ClaimRenewed:       by(unrenew),
	task.ClaimExpired:       by(unexpire),
	task.CriterionChecked:   by(untick),
	task.CriterionUnchecked: by(untick),
	task.QuestionAsked:      by(unask),
	task.QuestionAnswered:   by(askAgain),
	task.QuestionWithdrawn:  by(askAgain),
	task.NoteAdded:          count(func(t *task.Task) *int { return &t.Notes }, -1),
	task.EvidenceAdded:      by(unshow),
	task.ApprovalGiven:      count(func(t *task.Task) *int { return &t.Approvals }, -1),
	task.DecisionRecorded:   count(func(t *task.Task) *int { return &t.Decisions }, -1),
	task.DecisionWithdrawn:  count(func(t *task.Task) *int { return &t.Decisions }, 1),
}

// by returns the inverse of an event whose payload is read as P.
func by[P any](undo func(*task.Task, P)) inverse {
	return func(t *task.Task, payload []byte) error {
		var p P
		if err := json.Unmarshal(payload, &p); err != nil {
			return err
		}
		undo(t, p)
		return nil
	}
}

// count returns the inverse of an event that changes only one count of a task.
func count(of func(*task.Task) *int, by int) inverse {
	return func(t *task.Task, _ []byte) error {
		n := of(t)
		*n = max(*n+by, 0)
		return nil
	}
}

// Undo takes back an event. It must be the newest that has not been taken back yet, and the state must have its task.
func (s *State) Undo(ev task.Event) error {
	id := task.ID(ev.Task)
	switch {
	case id == "":
		return nil
	case ev.Kind == task.TaskRemoved:
		// Nobody had touched it: it was open. Nothing else is known about it.
		s.then[id] = &task.Task{ID: id, Project: s.project, Status: task.Open}
		return by(func(t *task.Task, p payload) { t.Key, t.Title = p.Key, p.Title })(s.then[id], ev.Payload)
	case ev.Kind == task.TaskCreated:
		s.then[id] = nil
		return nil
	}
	t, undo := s.own(id), inverses[ev.Kind]
	switch {
	case t == nil: // it has been moved or merged away since
	case ev.Kind == task.TaskUpdated:
		return s.unedit(t, ev)
	case undo != nil:
		return undo(t, ev.Payload)
	}
	return nil
}

// unedit gives the fields of an edit their former values.
func (s *State) unedit(t *task.Task, ev task.Event) error {
	var raw map[string]jsontext.Value
	if err := json.Unmarshal(ev.Payload, &raw); err != nil {
		return err
	}
	after := *t
	nothing, was := map[string]any{}, map[string]jsontext.Value{}
	for name, value := range raw {
		if value.Kind() != '{' || name == "status" || name == "evidence" {
			continue // text next to the changes, or what other events record
		}
		var d before[jsontext.Value]
		if err := json.Unmarshal(value, &d); err != nil {
			return err
		}
		nothing[name] = nil
		if len(d.From) > 0 {
			was[name] = d.From
		}
		s.bodied[t.ID] = s.bodied[t.ID] || name == "body"
	}
	// Decoding into a list overwrites its elements, and the task as it is now shares the list: it is emptied first.
	for _, fields := range []any{nothing, was} {
		text, err := json.Marshal(fields)
		if err == nil {
			err = json.Unmarshal(text, t)
		}
		if err != nil {
			return err
		}
	}
	if _, body := raw["body"]; body || task.StalesApprovals(t, &after) {
		t.ApprovalEpoch--
	}
	t.HasBody = t.HasBody && !s.bodied[t.ID] || s.bodied[t.ID] && t.Body != ""
	t.Parent = task.Opt(s.renamed(string(t.Parent)))
	for i := range t.Deps {
		t.Deps[i] = task.ID(s.renamed(string(t.Deps[i])))
	}
	return nil
}

// renamed returns an id with the project's present slug: the project may have had another slug when the event was
// written.
func (s *State) renamed(id string) string {
	if _, n, ok := task.ParseID(id); ok {
		return string(task.MakeID(s.project, n))
	}
	return id
}

// unmove takes back a move from a status.
func unmove(t *task.Task, p payload, was task.Status) {
	if p.SentBack != nil || was.Closed() && !t.Status.Closed() { // events of earlier versions say only that it was reopened
		t.ApprovalEpoch-- // approvals counted until then
	}
	t.Status = was
	p.Claim.back(&t.Claim)
	p.ClosedAt.back(&t.ClosedAt)
	p.ClosedBy.back(&t.ClosedBy)
	p.Attempts.back(&t.Attempts)
	p.Recorded.back(&t.Recorded)
	p.Returned.back(&t.Returned)
	p.SentBack.back(&t.SentBack)
	p.ReviewBy.back(&t.ReviewBy)
}

// claimed is what the event of a claim says about the state before it.
type claimed struct {
	Status     before[task.Status] `json:"status"`
	LastHolder string              `json:"lastHolder"` // empty if nobody had it before, and in older events
	HeldSince  int64               `json:"heldSince"`  // likewise
}

func unclaim(t *task.Task, p claimed) {
	t.Claim, t.Status, t.LastHolder, t.HeldSince = nil, p.Status.From, p.LastHolder, p.HeldSince
}

// shown is what the event of evidence says about the return from review that it answers.
type shown struct {
	Returned *before[int64] `json:"returned"`
}

func unshow(t *task.Task, p shown) {
	t.Evidences = max(t.Evidences-1, 0)
	p.Returned.back(&t.Returned)
}

// renewed is what the event of a renewal says about the previous claim.
type renewed struct {
	LeaseMs   before[int64]     `json:"leaseMs"`
	ExpiresAt before[task.Time] `json:"expiresAt"`
}

func unrenew(t *task.Task, p renewed) {
	if t.Claim != nil {
		c := *t.Claim
		c.LeaseMs, c.ExpiresAt = p.LeaseMs.From, p.ExpiresAt.From
		t.Claim = &c
	}
}

// expired is what the event of a lapse says about the claim.
type expired struct {
	Actor     string              `json:"actor"`
	Fence     int64               `json:"fence"`
	ClaimedAt task.Time           `json:"claimedAt"`
	ExpiresAt task.Time           `json:"expiresAt"`
	LeaseMs   int64               `json:"leaseMs"`
	Status    before[task.Status] `json:"status"`
}

func unexpire(t *task.Task, p expired) {
	t.Status = p.Status.From
	t.Claim = &task.Claim{
		Task: t.ID, Actor: p.Actor, Fence: p.Fence, ClaimedAt: p.ClaimedAt, RenewedAt: p.ExpiresAt.Add(-p.LeaseMs), ExpiresAt: p.ExpiresAt, LeaseMs: p.LeaseMs,
	}
}

func untick(t *task.Task, p payload) {
	p.Returned.back(&t.Returned)
	i := p.Index - 1
	if i < 0 || i >= len(t.Criteria) || t.Criteria[i].Text != p.Text {
		i = slices.IndexFunc(t.Criteria, func(c task.Criterion) bool { return c.Text == p.Text })
	}
	if i >= 0 {
		t.Criteria = slices.Clone(t.Criteria)
		c := &t.Criteria[i]
		c.Checked, c.CheckedBy, c.CheckedAt = p.Checked.From, p.CheckedBy.From, p.CheckedAt.From
		c.Doubt = p.Doubt.From
		if c.By, c.Rests, c.Note = p.By.From, p.Rests.From, p.Note.From; c.Checked && c.Rests == "" { // an older event
			c.Rests = task.RestsOnNothing
		}
	}
}

// asked is what an event says about whether a question keeps its task back.
type asked struct {
	Blocking bool `json:"blocking"`
}

// unask takes a question back.
func unask(t *task.Task, p asked) {
	t.QuestionCount = max(t.QuestionCount-1, 0)
	if p.Blocking {
		t.Questions = max(t.Questions-1, 0)
	}
}

// askAgain takes back the end of a question.
func askAgain(t *task.Task, p asked) {
	if p.Blocking {
		t.Questions++
	}
}

// Mark says whether a task stood in a circle with its parent.
func (s *State) Mark(id task.ID, in bool) {
	if t := s.then[id]; t != nil && t.InCircle != in {
		s.own(id).InCircle = in
	}
}

// At ends the claims that had lapsed at a moment.
func (s *State) At(moment task.Time) {
	for _, tasks := range []map[task.ID]*task.Task{s.now, s.then} {
		for id, t := range tasks {
			if t != nil {
				tasks[id] = t.At(moment)
			}
		}
	}
}
