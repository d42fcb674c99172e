package policy

import (
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// Asked is a move that somebody asks for, with what comes along.
type Asked struct {
	Task     *task.Task // with the ticks and edits that come along
	Move     task.Move
	Evidence []task.EvidenceItem // that comes along
	Noted    bool                // a note comes along
	Stale    bool                // what comes along changes what the approvals were given for
}

// answered returns the task as the evidence that comes along leaves it: it answers a return or a reopening.
func (in Asked) answered() *task.Task {
	if in.Task.Returned == 0 || !proven.Shows(in.Evidence) {
		return in.Task
	}
	t := *in.Task
	t.Returned = 0
	return &t
}

// Move decides a move under every rule that counts for the actor: the rules for done, the rules for closings by agents,
// and the policy of record. A human passes the last with an override.
func Move(tx store.View, a task.Actor, pol task.Policy, in Asked) (task.Moved, error) {
	in.Task = in.answered()
	have, past, err := weigh(tx, a, pol, in)
	if err != nil {
		return task.Moved{}, err
	}
	m, err := in.Task.MoveBy(a, pol, in.Move, have, tx.Now())
	if err == nil && m.Changed {
		m.Forced = append(m.Forced, past...)
	}
	return m, err
}

// Obstacles returns what keeps the actor from the move to done that is asked for, and what decides it. Somebody else's
// claim is not one of them.
func Obstacles(tx store.View, a task.Actor, pol task.Policy, in Asked) (task.Obstacles, task.Standing, error) {
	in.Task, in.Move.To = in.answered(), task.Done
	have, _, err := weigh(tx, a, pol, in)
	return in.Task.At(tx.Now()).ObstaclesFor(a, pol, have), have, err
}

// weigh reads what decides a move. past is what the policy of record asks of a task before done and only a human passes
// over: for an agent it is part of what the task lacks.
func weigh(tx store.View, a task.Actor, pol task.Policy, in Asked) (have task.Standing, past []string, err error) {
	have, err = in.standing(tx, a, pol)
	if err != nil || in.Move.To != task.Done || pol.Record == nil {
		return have, nil, err
	}
	record, err := in.standing(tx, a, *pol.Record)
	if err != nil {
		return have, nil, err
	}
	known := in.missing(a, pol, have, tx.Now())
	for _, m := range in.missing(a, *pol.Record, record, tx.Now()) {
		if marked := task.ByRecord(m); !slices.Contains(known, m) && !slices.Contains(known, marked) {
			past = append(past, marked)
		}
	}
	if !a.Person() {
		have.Record, past = past, nil
	}
	return have, past, nil
}

// standing reads what the rules need in addition to the record.
func (in Asked) standing(tx store.View, a task.Actor, pol task.Policy) (task.Standing, error) {
	have, err := Standing(tx, in.Task, pol, in.Move.To, in.Evidence, in.Noted)
	if in.Stale {
		have.Approvals = nil
	}
	if err != nil || a.Person() || !pol.DeclaresHuman || in.Move.Elsewhere {
		return have, err
	}
	err = forAgent(tx, in.Task.At(tx.Now()), a, in.Move.To, &have)
	return have, err
}

// missing lists what the move to done lacks under a policy.
func (in Asked) missing(a task.Actor, pol task.Policy, have task.Standing, now task.Time) []string {
	if in.Move.Elsewhere {
		return in.Task.Obstacles(pol, have).Missing()
	}
	return in.Task.At(now).ObstaclesFor(a, pol, have).Missing()
}

// named is how many open tasks around a task a refusal names.
const named = 10

// forAgent reads what the rules for closings by agents need in addition. The record's own columns say whether there is
// anything to read: for a task that its holder closes there is nothing, unless it has open parts or was sent back.
func forAgent(tx store.View, t *task.Task, a task.Actor, to task.Status, have *task.Standing) error {
	closes := to == task.Done
	if !closes && to != task.Cancelled {
		return nil
	}
	if deps, parts := t.OpenDeps > 0 && !a.Holds(t.Claim), t.Parts > 0; deps || parts {
		around, err := tx.Neighbours(t, named) // open ones first
		if err != nil {
			return err
		}
		have.Deps, have.Parts = around.Deps, around.Children
	}
	if !closes && t.Questions > 0 {
		var err error
		if have.Questions, _, err = tx.Questions(t.ID, task.MaxListed); err != nil {
			return err
		}
	}
	if closes && t.Returned > 0 {
		var err error
		have.SentBack, err = SentBack(tx, t)
		return err
	}
	return nil
}

// SentBack returns the newest return or reopening of a task, if there was one. Its reason is the note that came with it.
func SentBack(tx store.View, t *task.Task) (task.SentBack, error) {
	if t.SentBack <= 0 {
		return task.SentBack{}, nil
	}
	out := task.SentBack{Event: t.SentBack}
	before := t.SentBack - 1
	found, err := tx.Events(query.Events{Task: t.ID, SinceID: &before, Limit: 1})
	if err != nil || len(found) == 0 || found[0].ID != t.SentBack { // the log was pruned
		return out, err
	}
	back := found[0]
	var moved struct {
		From task.Status `json:"from"`
	}
	if err := json.Unmarshal(back.Payload, &moved); err != nil {
		return out, err
	}
	out.At, out.Reopened = back.At, moved.From.Closed()
	out.Why = back.Actor + words.Either(out.Reopened, " reopened it", " sent it back")
	notes, err := tx.Notes(t.ID, task.MaxListed)
	for _, n := range slices.Backward(notes) {
		if n.ID >= back.Batch && n.ID < t.SentBack {
			out.Why = n.Text
			break
		}
	}
	return out, err
}

// Standing returns what the rules for done need in addition to the record, including what the request brings.
func Standing(tx store.View, t *task.Task, pol task.Policy, to task.Status, added []task.EvidenceItem, noted bool) (task.Standing, error) {
	s := task.Standing{Notes: t.Notes}
	if to != task.Done {
		return s, nil
	}
	if noted {
		s.Notes++
	}
	var err error
	if t.Gate != "" && t.Evidences > 0 {
		if s.Evidence, err = Evidence(tx, t, pol); err != nil {
			return s, err
		}
	}
	if len(added) > 0 {
		s.Evidence = append(s.Evidence, brought(t, pol, added)...)
	}
	if t.Approvals > 0 && len(pol.Required(t)) > 0 {
		if s.Approvals, err = tx.Approvals(t.ID); err != nil {
			return s, err
		}
	}
	if t.Questions > 0 {
		s.Questions, _, err = tx.Questions(t.ID, task.MaxListed)
	}
	return s, err
}

// Evidence returns the kinds of evidence of a task that count for its gate.
func Evidence(tx store.View, t *task.Task, pol task.Policy) ([]string, error) {
	gate, newest := pol.Gates[string(t.Gate)], 1 // the kinds of all evidence come with it
	if proven.Asks(gate) {
		newest = task.MaxListed
	}
	items, kinds, err := tx.NewestEvidence(t.ID, newest)
	return proven.Counted(gate, pol.DirOf(t.Gate), kinds, items), err
}

// brought returns the kinds that count of the evidence that comes with a request.
func brought(t *task.Task, pol task.Policy, added []task.EvidenceItem) []string {
	var kinds []string
	var items []task.Evidence
	for _, e := range added {
		kinds = append(kinds, e.Kind)
		items = append(items, task.Evidence{Kind: e.Kind, Value: e.Value})
	}
	return proven.Counted(pol.Gates[string(t.Gate)], pol.DirOf(t.Gate), kinds, items)
}
