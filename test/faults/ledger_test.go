package faults

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
)

// ledger is the state of a project's tasks according to the events only. Comparing it with the records shows a change
// without its event and an event without its change.
type ledger struct {
	last  int64 // the newest event that was read
	batch int64
	tasks map[task.ID]*account
	keys  map[string]int   // how many tasks were created with a key
	notes map[int64]string // texts, by the id of the note's event
	texts map[string]int   // how many notes have a text
	other map[int64]bool   // evidence, by the id of its event
	plans map[int64][2]int // by batch: tasks created, and what plan.applied says
}

// account is one task.
type account struct {
	status  task.Status
	version int64
	holder  string
	fence   int64
	lapses  bool                  // its claim may have lapsed unswept
	changed int64                 // the batch that last changed the version
	open    []string              // unchecked criteria, as an override lists them
	forced  int64                 // the event of an override whose move has not come yet
	at      map[int64]task.Status // the status at each version
	claims  map[int64]string      // who claimed, by fence
	ended   map[int64]bool        // fences whose claim was released
}

func newLedger() *ledger {
	return &ledger{
		tasks: map[task.ID]*account{}, keys: map[string]int{}, notes: map[int64]string{}, texts: map[string]int{},
		other: map[int64]bool{}, plans: map[int64][2]int{},
	}
}

// delta is the before and after of a status.
type delta struct {
	From task.Status `json:"from"`
	To   task.Status `json:"to"`
}

// read adds an event, or says why it cannot have happened.
func (l *ledger) read(e task.Event) error {
	if e.ID != l.last+1 {
		return fmt.Errorf("event %d comes after %d", e.ID, l.last)
	}
	if e.Batch != e.ID && e.Batch != l.batch {
		return fmt.Errorf("event %d is of batch %d, and the one before it of %d", e.ID, e.Batch, l.batch)
	}
	l.last, l.batch = e.ID, e.Batch
	var p struct {
		Key     string      `json:"key"`
		Text    string      `json:"text"`
		Actor   string      `json:"actor"`
		Fence   int64       `json:"fence"`
		LeaseMs any         `json:"leaseMs"` // a change, on a renewal
		Status  any         `json:"status"`
		From    task.Status `json:"from"`
		To      task.Status `json:"to"`
		Created int         `json:"created"`
		Forced  bool        `json:"forced"`
		Passed  []string    `json:"passedOver"`
		Index   int         `json:"index"`
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return fmt.Errorf("event %d: %w", e.ID, err)
	}
	var status struct {
		Status delta `json:"status"`
	}
	a := l.tasks[task.ID(e.Task)]
	if e.Task != "" && (a == nil) != (e.Kind == task.TaskCreated) {
		return fmt.Errorf("event %d (%s) is of %s, which exists: %t", e.ID, e.Kind, e.Task, a != nil)
	}
	wrong := func(what string) error {
		return fmt.Errorf("event %d (%s of %s by %s): %s, and the events before it left %+v: %s", e.ID, e.Kind, e.Task, e.Actor, what, *a, e.Payload)
	}
	if a != nil && a.forced != 0 && (e.Kind != task.TaskMoved || e.ID != a.forced+1) {
		return wrong("an override without its move")
	}
	switch e.Kind {
	case task.ProjectCreated:
	case task.PlanApplied:
		have := l.plans[e.Batch]
		have[1] = p.Created
		l.plans[e.Batch] = have
		if have[0] != p.Created {
			return fmt.Errorf("event %d: a plan created %d tasks, and %d were created in its batch", e.ID, p.Created, have[0])
		}
	case task.TaskCreated:
		have := l.plans[e.Batch]
		have[0]++
		l.plans[e.Batch] = have
		s, _ := p.Status.(string)
		a = &account{status: task.Status(s), version: 1, at: map[int64]task.Status{}, claims: map[int64]string{}, ended: map[int64]bool{}}
		a.at[1] = a.status
		var given struct {
			Criteria []task.Criterion `json:"criteria"`
		}
		if err := json.Unmarshal(e.Payload, &given); err != nil {
			return err
		}
		for _, c := range given.Criteria {
			a.open = append(a.open, fmt.Sprintf("criterion %d: %s", c.Index, c.Text))
		}
		l.tasks[task.ID(e.Task)] = a
		l.keys[p.Key]++
	case task.NoteAdded:
		l.notes[e.ID] = p.Text
		l.texts[p.Text]++
	case task.EvidenceAdded:
		l.other[e.ID] = true
	case task.TaskClaimed:
		if err := json.Unmarshal(e.Payload, &status); err != nil {
			return err
		}
		if a.holder != "" {
			return wrong("it is held already")
		}
		if p.Fence != a.fence+1 || status.Status.From != a.status || status.Status.To != task.InProgress {
			return wrong("a claim that does not follow")
		}
		a.fence, a.holder, a.claims[p.Fence] = p.Fence, e.Actor, e.Actor
		ms, _ := p.LeaseMs.(float64)
		a.lapses = ms > 0 && ms <= shortLease
		if a.status == task.Open {
			a.change(e, task.InProgress)
		}
	case task.ClaimRenewed:
		if a.holder != e.Actor || a.fence != p.Fence {
			return wrong("a renewal of what is not held")
		}
	case task.ClaimReleased, task.ClaimExpired:
		if err := json.Unmarshal(e.Payload, &status); err != nil {
			return err
		}
		if a.holder != p.Actor || a.fence != p.Fence || status.Status.From != a.status {
			return wrong("the end of a claim that is not there")
		}
		a.holder, a.ended[p.Fence] = "", e.Kind == task.ClaimReleased
		a.change(e, status.Status.To)
		if e.Kind == task.ClaimExpired {
			a.changed = 0 // the sweep is a change of its own, no matter whose request triggers it
		}
	case task.TaskMoved:
		if p.From != a.status {
			return wrong("a move from elsewhere")
		}
		if a.holder != "" && a.holder != e.Actor {
			return wrong("a move by somebody else")
		}
		if p.Forced != (a.forced != 0) || p.Forced != (p.To == task.Done && len(a.open) > 0) {
			return wrong("a move past unchecked criteria without an override, or an override without any")
		}
		a.forced = 0
		a.change(e, p.To)
		if p.To != task.InProgress {
			a.holder = ""
		}
	case task.OverrideForced:
		// Only criteria can be overridden here: file and policy of record are the same, and no gate requires evidence.
		if p.To != task.Done || len(p.Passed) == 0 || !slices.Equal(p.Passed, a.open) {
			return wrong("an override of what does not stand in the way")
		}
		a.forced = e.ID
	case task.CriterionChecked:
		criterion := fmt.Sprintf("criterion %d: %s", p.Index, p.Text)
		i := slices.Index(a.open, criterion)
		if i < 0 {
			return wrong("a tick of what is not an unchecked criterion")
		}
		a.open = slices.Delete(a.open, i, i+1)
		a.change(e, a.status)
	case task.TaskUpdated:
		a.change(e, a.status)
	default:
		return fmt.Errorf("event %d is of kind %s, which nobody here causes", e.ID, e.Kind)
	}
	return nil
}

// change increments the version: once per request, whatever the request does to the record.
func (a *account) change(e task.Event, to task.Status) {
	if a.changed != e.Batch {
		a.version++
		a.changed = e.Batch
	}
	a.status = to
	a.at[a.version] = to
}

// differs says where a record does not match the events.
func (a *account) differs(t *task.Task) string {
	if a == nil {
		return fmt.Sprintf("%s is there without an event", t.ID)
	}
	holder, fence := "", a.fence
	if t.Claim != nil {
		holder, fence = t.Claim.Actor, t.Claim.Fence
	}
	if a.lapses && a.holder != "" && holder == "" && t.Status == task.Open && t.Version == a.version+1 {
		return "" // shown as if swept
	}
	if t.Status != a.status || t.Version != a.version || holder != a.holder || fence != a.fence {
		return fmt.Sprintf("%s is %s, version %d, held by %q under %d; its events say %s, %d, %q, %d",
			t.ID, t.Status, t.Version, holder, fence, a.status, a.version, a.holder, a.fence)
	}
	return ""
}

// follow reads all events there are into the ledger.
func (s *server) follow(l *ledger) {
	s.w.Helper()
	for {
		var page []task.Event
		s.get(fmt.Sprintf("/v1/events?limit=1000&since_id=%d", l.last), &page)
		for _, e := range page {
			if err := l.read(e); err != nil {
				s.w.Fatal(err)
			}
		}
		if len(page) < 1000 {
			return
		}
	}
}

// agree checks the records of a project against the ledger, all of them.
func (s *server) agree(l *ledger, project string) {
	s.w.Helper()
	seen, cursor := 0, ""
	for {
		var page struct {
			Total      int          `json:"total"`
			Tasks      []*task.Task `json:"tasks"`
			NextCursor string       `json:"nextCursor"`
		}
		s.get("/v1/tasks?limit=1000&project="+project+"&cursor="+cursor, &page)
		for _, t := range page.Tasks {
			if d := l.tasks[t.ID].differs(t); d != "" {
				s.w.Fatal(d)
			}
		}
		seen += len(page.Tasks)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if seen != len(l.tasks) {
		s.w.Fatalf("%d tasks are there, and the events have %d", seen, len(l.tasks))
	}
}

// sortedIDs returns the keys of a set of ids in order.
func sortedIDs[V any](m map[int64]V) []int64 {
	out := make([]int64, 0, len(m))
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
