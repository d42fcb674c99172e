// Package rewind winds the tasks of a project back by their events: an event of a change carries what was there before.
//
// A State begins as the tasks are now. Undo takes back one event after another, the newest first, and Tasks returns what is
// there then, with everything that follows from it (what is open before a task, its parts, circles) counted anew.
// What no event tells, such as the version of a record, stays as it is now.
package rewind

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/graph"
	"tasker/internal/task"
)

// Was says which moment an answer is of.
type Was struct {
	Event int64     `json:"event"` // the newest that had happened
	At    task.Time `json:"at"`    // when it did
	Cut   bool      `json:"cut"`   // there are too many events between then and now: it goes back no further than this
}

// State is the tasks of a project at some event.
type State struct {
	project string
	tasks   map[task.ID]*task.Task
	bodied  map[task.ID]bool // whose Body is what it was
}

// New returns the state of tasks as they are, which have their dependencies. They become its own.
func New(project string, tasks []*task.Task) *State {
	s := &State{project: project, tasks: make(map[task.ID]*task.Task, len(tasks)), bodied: map[task.ID]bool{}}
	for _, t := range tasks {
		s.tasks[t.ID] = t
	}
	return s
}

// Bodied reports whether the body of a task was wound back; otherwise it is as it is now.
func (s *State) Bodied(id task.ID) bool { return s.bodied[id] }

// payload is what events tell of what was there before.
type payload struct {
	Key       string               `json:"key"`
	Title     string               `json:"title"`
	From      task.Status          `json:"from"`
	Status    before[task.Status]  `json:"status"`
	Claim     *before[*task.Claim] `json:"claim"`
	ClosedAt  *before[task.Time]   `json:"closedAt"`
	ClosedBy  *before[task.Opt]    `json:"closedBy"`
	Attempts  *before[int]         `json:"attempts"`
	Blocking  bool                 `json:"blocking"`
	Index     int                  `json:"index"`
	Text      string               `json:"text"`
	Checked   before[bool]         `json:"checked"`
	CheckedBy before[task.Opt]     `json:"checkedBy"`
	CheckedAt before[task.Time]    `json:"checkedAt"`
}

// before is a value before a change.
type before[T any] struct {
	From T `json:"from"`
}

func decode(ev task.Event, p any) error { return json.Unmarshal(ev.Payload, p) }

// Undo takes an event back. It must be the newest that is not taken back yet.
func (s *State) Undo(ev task.Event) error {
	id := task.ID(ev.Task)
	if id == "" {
		return nil
	}
	if ev.Kind == task.TaskRemoved {
		var p payload
		if err := decode(ev, &p); err != nil {
			return err
		}
		// Nobody had touched it: it was open. Nothing else is known of it.
		s.tasks[id] = &task.Task{ID: id, Project: s.project, Key: p.Key, Title: p.Title, Status: task.Open}
		return nil
	}
	t := s.tasks[id]
	if t == nil {
		return nil // it was moved or merged away since
	}
	switch ev.Kind {
	case task.TaskCreated:
		delete(s.tasks, id)
	case task.TaskUpdated:
		return s.unedit(t, ev)
	case task.TaskMoved, task.ClaimReleased:
		return unmove(t, ev)
	case task.TaskClaimed:
		return unclaim(t, ev)
	case task.ClaimRenewed:
		return unrenew(t, ev)
	case task.ClaimExpired:
		return unexpire(t, ev)
	case task.CriterionChecked, task.CriterionUnchecked:
		return untick(t, ev)
	case task.QuestionAsked:
		return count(t, ev, -1)
	case task.QuestionAnswered, task.QuestionWithdrawn:
		return count(t, ev, 1)
	case task.NoteAdded:
		t.Notes = max(t.Notes-1, 0)
	case task.EvidenceAdded:
		t.Evidences = max(t.Evidences-1, 0)
	case task.ApprovalGiven:
		t.Approvals = max(t.Approvals-1, 0)
	case task.DecisionRecorded:
		t.Decisions = max(t.Decisions-1, 0)
	case task.DecisionWithdrawn:
		t.Decisions++
	default:
	}
	return nil
}

// unedit gives the fields of an edit their former values.
func (s *State) unedit(t *task.Task, ev task.Event) error {
	var raw map[string]jsontext.Value
	if err := decode(ev, &raw); err != nil {
		return err
	}
	after := *t
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		var d struct {
			From jsontext.Value `json:"from"`
		}
		if raw[name].Kind() != '{' || name == "status" || name == "evidence" {
			continue // what the event says beside its changes, or what other events tell
		}
		if err := json.Unmarshal(raw[name], &d); err != nil {
			return err
		}
		switch name {
		case "deps":
			t.Deps = nil
		case "criteria":
			t.Criteria = nil
		case "body":
			s.bodied[t.ID] = true
			t.Body = ""
		case "parent":
			t.Parent = ""
		}
		if len(d.From) == 0 {
			d.From = jsontext.Value("null")
		}
		one, err := json.Marshal(map[string]jsontext.Value{name: d.From})
		if err != nil {
			return err
		}
		if err := json.Unmarshal(one, t); err != nil {
			return err
		}
	}
	if _, body := raw["body"]; body || task.StalesApprovals(t, &after) {
		t.ApprovalEpoch--
	}
	t.HasBody = t.HasBody && !s.bodied[t.ID] || s.bodied[t.ID] && t.Body != ""
	t.Parent = task.Opt(s.now(string(t.Parent)))
	for i := range t.Deps {
		t.Deps[i] = task.ID(s.now(string(t.Deps[i])))
	}
	return nil
}

// now returns an id of the project as it is called now: it may have had another slug when the event was written.
func (s *State) now(id string) string {
	if _, n, ok := task.ParseID(id); ok {
		return string(task.MakeID(s.project, n))
	}
	return id
}

func unmove(t *task.Task, ev task.Event) error {
	var p payload
	if err := decode(ev, &p); err != nil {
		return err
	}
	was := p.Status.From
	if ev.Kind == task.TaskMoved {
		was = p.From
	}
	if was.Closed() && !t.Status.Closed() {
		t.ApprovalEpoch-- // what was approved counted until it was opened again
	}
	t.Status = was
	if p.Claim != nil {
		t.Claim = p.Claim.From
	}
	if p.ClosedAt != nil {
		t.ClosedAt = p.ClosedAt.From
	}
	if p.ClosedBy != nil {
		t.ClosedBy = string(p.ClosedBy.From)
	}
	if p.Attempts != nil {
		t.Attempts = p.Attempts.From
	}
	return nil
}

func unclaim(t *task.Task, ev task.Event) error {
	var p struct {
		Status before[task.Status] `json:"status"`
	}
	if err := decode(ev, &p); err != nil {
		return err
	}
	t.Claim, t.Status = nil, p.Status.From
	return nil
}

func unrenew(t *task.Task, ev task.Event) error {
	var p struct {
		LeaseMs   before[int64]     `json:"leaseMs"`
		ExpiresAt before[task.Time] `json:"expiresAt"`
	}
	if err := decode(ev, &p); err != nil || t.Claim == nil {
		return err
	}
	c := *t.Claim
	c.LeaseMs, c.ExpiresAt = p.LeaseMs.From, p.ExpiresAt.From
	t.Claim = &c
	return nil
}

func unexpire(t *task.Task, ev task.Event) error {
	var p struct {
		Actor     string              `json:"actor"`
		Fence     int64               `json:"fence"`
		ClaimedAt task.Time           `json:"claimedAt"`
		ExpiresAt task.Time           `json:"expiresAt"`
		LeaseMs   int64               `json:"leaseMs"`
		Status    before[task.Status] `json:"status"`
	}
	if err := decode(ev, &p); err != nil {
		return err
	}
	t.Status = p.Status.From
	t.Claim = &task.Claim{
		Task: t.ID, Actor: p.Actor, Fence: p.Fence, ClaimedAt: p.ClaimedAt, RenewedAt: p.ExpiresAt.Add(-p.LeaseMs), ExpiresAt: p.ExpiresAt, LeaseMs: p.LeaseMs,
	}
	return nil
}

func untick(t *task.Task, ev task.Event) error {
	var p payload
	if err := decode(ev, &p); err != nil {
		return err
	}
	i := p.Index - 1
	if i < 0 || i >= len(t.Criteria) || t.Criteria[i].Text != p.Text {
		i = slices.IndexFunc(t.Criteria, func(c task.Criterion) bool { return c.Text == p.Text })
	}
	if i < 0 {
		return nil
	}
	c := &t.Criteria[i]
	c.Checked, c.CheckedBy, c.CheckedAt, c.By, c.Rests = p.Checked.From, p.CheckedBy.From, p.CheckedAt.From, 0, ""
	return nil
}

// count takes a question back, or its end.
func count(t *task.Task, ev task.Event, by int) error {
	var p struct {
		Blocking bool `json:"blocking"`
	}
	if err := decode(ev, &p); err != nil {
		return err
	}
	if p.Blocking {
		t.Questions = max(t.Questions+by, 0)
	}
	if by < 0 {
		t.QuestionCount = max(t.QuestionCount-1, 0)
	}
	return nil
}

// Tasks returns the tasks of the state by number, with what follows from all of them.
func (s *State) Tasks() []*task.Task {
	out := slices.SortedFunc(maps.Values(s.tasks), func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
	at := make(map[task.ID]int32, len(out))
	for i, t := range out {
		at[t.ID] = int32(i)
		t.OpenDeps, t.OpenChildren, t.Parts, t.InCircle = 0, 0, 0, false
	}
	parent := make([]int32, len(out))
	var edges []graph.Edge
	for i, t := range out {
		parent[i] = -1
		if up, ok := at[task.ID(t.Parent)]; ok && t.Parent != "" {
			parent[i] = up
			edges = append(edges, graph.Edge{From: up, To: int32(i)})
		}
		t.NoDeps = len(t.Deps) == 0
		for _, on := range t.Deps {
			if k, ok := at[on]; ok {
				edges = append(edges, graph.Edge{From: int32(i), To: k})
				if !out[k].Status.Closed() {
					t.OpenDeps++
				}
			}
		}
	}
	circles := graph.FindCircles(graph.New(len(out), edges), parent)
	for i, t := range out {
		t.InCircle = circles.Has(int32(i))
		if up := parent[i]; up >= 0 && !t.Status.Closed() {
			out[up].OpenChildren++
			if t.Part() {
				out[up].Parts++
			}
		}
	}
	return out
}
