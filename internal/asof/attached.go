package asof

import (
	"cmp"
	"slices"
	"sort"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// maxAttached limits how many records of a kind are read for one task, including later ones. A record has the id of its
// event.
const maxAttached = 10_000

// upTo returns the newest of the records that existed then.
func upTo[T any](s *snapshot, all []T, id func(*T) int64, newest int) []T {
	out := slices.DeleteFunc(all, func(one T) bool { return id(&one) > s.was.Event })
	if newest > 0 {
		out = out[max(0, len(out)-newest):]
	}
	return out
}

// Notes returns the newest notes.
func (v *View) Notes(id task.ID, newest int) ([]task.Note, error) {
	all, err := v.tx.Notes(id, maxAttached)
	return upTo(v.s, all, func(n *task.Note) int64 { return n.ID }, newest), err
}

// NewestEvidence returns the newest evidence, and the kinds of all of it.
func (v *View) NewestEvidence(id task.ID, newest int) ([]task.Evidence, []string, error) {
	all, err := v.Evidence(id)
	kinds := words.Each(all, func(e task.Evidence) string { return e.Kind })
	return all[max(0, len(all)-newest):], kinds, err
}

// Evidence returns the evidence that existed then.
func (v *View) Evidence(id task.ID) ([]task.Evidence, error) {
	all, _, err := v.tx.NewestEvidence(id, maxAttached)
	return upTo(v.s, all, func(e *task.Evidence) int64 { return e.ID }, 0), err
}

// Approvals returns the approvals that had been given. An approval is stale if what it was given for had changed.
func (v *View) Approvals(id task.ID) ([]task.Approval, error) {
	all, err := v.tx.Approvals(id)
	out := upTo(v.s, all, func(a *task.Approval) int64 { return a.ID }, 0)
	if t, err := v.Task(id); err == nil {
		for i := range out {
			out[i].Stale = out[i].Epoch != t.ApprovalEpoch
		}
	}
	return out, err
}

// Decisions returns the newest decisions, including those that have been withdrawn since.
func (v *View) Decisions(id task.ID, newest int) ([]task.Decision, error) {
	all, err := v.tx.Decisions(id, maxAttached)
	if err != nil {
		return nil, err
	}
	recorded, err := v.endedSince(id, task.DecisionWithdrawn)
	if err != nil {
		return nil, err
	}
	err = v.tx.EventsByID(recorded, func(ev task.Event) {
		d := task.Decision{ID: ev.ID, Project: v.s.slug, Task: id, Actor: ev.Actor, At: ev.At}
		_ = json.Unmarshal(ev.Payload, &d) // title and rationale
		all = append(all, d)
	})
	sort.SliceStable(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return upTo(v.s, all, func(d *task.Decision) int64 { return d.ID }, newest), err
}

// endedSince returns the decisions or questions of a task that later events of a kind end.
func (v *View) endedSince(id task.ID, kind task.Kind) ([]int64, error) {
	events, err := v.tx.Events(query.Events{Task: id, Kind: string(kind), SinceID: &v.s.was.Event, Limit: maxAttached})
	out := make([]int64, len(events))
	for i, ev := range events {
		var of struct {
			Decision int64 `json:"decision"`
			Question int64 `json:"question"`
		}
		if err := json.Unmarshal(ev.Payload, &of); err != nil {
			return nil, err
		}
		out[i] = cmp.Or(of.Decision, of.Question)
	}
	return out, err
}

// Bindings returns those of today's bindings that existed then.
func (v *View) Bindings(id task.ID) ([]task.Binding, error) {
	all, err := v.tx.Bindings(id)
	return upTo(v.s, all, func(x *task.Binding) int64 { return x.ID }, 0), err
}

// Questions returns the questions that had been asked, with the answers that had been given.
func (v *View) Questions(id task.ID, newest int) ([]task.Question, int, error) {
	all, _, err := v.tx.Questions(id, maxAttached)
	if err != nil {
		return nil, 0, err
	}
	later := map[int64]bool{} // answered or withdrawn since
	for _, kind := range []task.Kind{task.QuestionAnswered, task.QuestionWithdrawn} {
		ended, err := v.endedSince(id, kind)
		if err != nil {
			return nil, 0, err
		}
		for _, n := range ended {
			later[n] = true
			if kind == task.QuestionWithdrawn {
				q, err := v.tx.Question(n)
				if err != nil {
					return nil, 0, err
				}
				all = append(all, *q)
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	all = upTo(v.s, all, func(q *task.Question) int64 { return q.ID }, 0)
	for i := range all {
		if later[all[i].ID] {
			all[i].Answer, all[i].AnsweredBy, all[i].AnsweredAt, all[i].Withdrawn = "", "", 0, false
		}
	}
	return all[max(0, len(all)-newest):], len(all), nil
}

// History returns the newest events of a task up to the one of the snapshot, and whether there may be earlier ones.
func (v *View) History(id task.ID, limit, bytes int) ([]task.Event, bool, error) {
	events, err := v.Events(query.Events{Task: id, Limit: limit, Bytes: bytes})
	return events, len(events) > 0 && events[0].Kind != task.TaskCreated, err
}
