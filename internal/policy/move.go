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
	Seen     proven.Sight        // what the closing command sees
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
		m.Unseen, err = in.unseen(tx, a, pol)
	}
	return m, err
}

// restsOn is how many items of evidence are searched for the newest of each kind.
const restsOn = 100

// RunsBehind returns the runs that the close of a task rests on, with those that come along.
func RunsBehind(tx store.View, t *task.Task, added []task.EvidenceItem) (out []proven.Relied, err error) {
	var items []task.Evidence
	if t.Evidences > 0 {
		if items, _, err = tx.NewestEvidence(t.ID, restsOn); err != nil {
			return nil, err
		}
	}
	for _, e := range added {
		items = append(items, task.Evidence{ID: task.Unwritten, Kind: e.Kind, Value: e.Value})
	}
	return proven.ReliedOn(items, t.Criteria), nil
}

// unseen reports whether nobody can say if the runs behind an agent's close next to declared humans are stale: no tree came
// with it.
func (in Asked) unseen(tx store.View, a task.Actor, pol task.Policy) (bool, error) {
	if in.Move.To != task.Done || in.Move.Elsewhere || in.Seen.Tree != "" || a.Person() || !pol.DeclaresHuman {
		return false, nil
	}
	runs, err := RunsBehind(tx, in.Task, in.Evidence)
	return len(runs) > 0, err
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
	var terms proven.Terms
	if in.Move.To == task.Done && !in.Move.Elsewhere {
		var err error
		if terms, err = TermsFor(tx, in.Task, a, pol); err != nil {
			return task.Standing{}, err
		}
		if terms.Holder != "" {
			terms.Seen = &in.Seen
		}
	}
	have, err := Standing(tx, in.Task, a, pol, in.Move.To, in.Evidence, in.Noted, terms)
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

// Standing returns what the rules for done need in addition to the record, including what the request brings. Runs of the
// gate's commands count on the terms.
func Standing(tx store.View, t *task.Task, a task.Actor, pol task.Policy, to task.Status, added []task.EvidenceItem, noted bool, terms proven.Terms) (task.Standing, error) {
	s := task.Standing{Notes: t.Notes}
	if to != task.Done {
		return s, nil
	}
	if noted {
		s.Notes++
	}
	var err error
	if t.Gate != "" && (t.Evidences > 0 || len(added) > 0) {
		if s.Evidence, s.Why, err = evidence(tx, t, a, pol, added, terms); err != nil {
			return s, err
		}
	}
	if s.Unshown, err = unshown(tx, t, pol); err != nil {
		return s, err
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

// unshown returns the unchecked criteria that no run of the gate's commands shows, because they or the body name another
// command. It reads nothing where the gate asks for none or every criterion is ticked.
func unshown(tx store.View, t *task.Task, pol task.Policy) (out []int, err error) {
	gate := pol.Gates[string(t.Gate)]
	open := func(c task.Criterion) bool { return !c.Checked }
	if !proven.Asks(gate) || !slices.ContainsFunc(t.Criteria, open) {
		return nil, nil
	}
	whole := *t
	if err := tx.Fill(&whole); err != nil {
		return nil, err
	}
	for _, c := range t.Criteria {
		if open(c) && !proven.MayShow(gate, c.Text, string(whole.Body)) {
			out = append(out, c.Index)
		}
	}
	return out, nil
}

// evidence returns the kinds of evidence that count for the gate of a task, with what the actor brings, and why runs of other
// kinds do not.
func evidence(tx store.View, t *task.Task, a task.Actor, pol task.Policy, added []task.EvidenceItem, terms proven.Terms) (kinds []string, why []task.Discounted, err error) {
	asked := AskedBy(t, pol, terms)
	var items []task.Evidence
	if t.Evidences > 0 {
		newest := 1 // the kinds of all evidence come with it
		if proven.Asks(asked.Gate) {
			newest = task.MaxListed
		}
		if items, kinds, err = tx.NewestEvidence(t.ID, newest); err != nil {
			return nil, nil, err
		}
	}
	for _, e := range t.For(a, added) {
		kinds = append(kinds, e.Kind)
		items = append(items, task.Evidence{ID: task.Unwritten, Actor: a.Full(), Kind: e.Kind, Value: e.Value, For: e.For})
	}
	counts := proven.Counted(asked, kinds, items)
	return counts.Kinds, counts.Why, nil
}

// AskedBy returns what the gate of a task asks for, on these terms.
func AskedBy(t *task.Task, pol task.Policy, terms proven.Terms) proven.Asked {
	return proven.Asked{Gate: pol.Gates[string(t.Gate)], Dir: pol.DirOf(t.Gate), Place: pol.Place, Terms: terms}
}

// TermsFor returns the terms on which runs count for the actor's own close of a task. Every run counts for a person; where
// no human is declared, what is from before a return or a reopening does not.
func TermsFor(tx store.View, t *task.Task, a task.Actor, pol task.Policy) (proven.Terms, error) {
	if gate, _ := pol.GateFor(t.Gate); a.Person() || !proven.Asks(gate) {
		return proven.Terms{}, nil
	}
	holder, since := t.At(tx.Now()).HoldingOf(a)
	return terms(tx, t, pol, holder, since)
}

// AgentTerms returns the terms on which runs count for an agent's close of a task, whoever asks: that of its holder, or else
// of its last one. The runs of anybody count for a task that nobody ever held.
func AgentTerms(tx store.View, t *task.Task, pol task.Policy) (proven.Terms, error) {
	if gate, _ := pol.GateFor(t.Gate); !proven.Asks(gate) {
		return proven.Terms{}, nil
	}
	return terms(tx, t, pol, t.LastHolder, t.HeldSince)
}

// Discounted returns the runs behind a person's close that would not count for an agent's. An agent's own close misses them.
func Discounted(tx store.View, t *task.Task, a task.Actor, pol task.Policy, added []task.EvidenceItem) ([]task.Discounted, error) {
	if !a.Person() || t.Evidences == 0 || !proven.Asks(pol.Gates[string(t.Gate)]) {
		return nil, nil
	}
	agents, err := AgentTerms(tx, t, pol)
	if err != nil {
		return nil, err
	}
	_, why, err := evidence(tx, t, a, pol, added, agents)
	return why, err
}

func terms(tx store.View, t *task.Task, pol task.Policy, holder string, since int64) (out proven.Terms, err error) {
	if pol.DeclaresHuman {
		out.Holder, out.Since, out.Vouches = holder, since, pol.Vouches
	}
	out.Back, err = SentBack(tx, t)
	return out, err
}
