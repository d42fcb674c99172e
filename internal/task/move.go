package task

import (
	"cmp"

	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Move is a requested change of status.
type Move struct {
	To              Status
	Force           bool // override unchecked criteria, and missing evidence if the actor may
	Elsewhere       bool // a person's import, a pull or a merge reports it: the rules for closings by agents do not count
	ExpectedVersion *int64
	Fence           *int64
}

// Standing is what the rules for done need in addition to the record.
type Standing struct {
	Evidence  []string     // kinds that count
	Why       []Discounted // why runs of other kinds do not
	Unshown   []int        // unchecked criteria that no run of the gate's commands shows
	Approvals []Approval
	Notes     int
	Questions []Question

	// For an agent in a project that declares a human, if the record has any: its open dependencies, its parts, the return
	// or reopening that nothing answers, and what only the policy of record asks for, as refusals list it.

	Deps     []*Task
	Parts    []*Task
	SentBack SentBack
	Record   []string
}

// Moved is the result of a move.
type Moved struct {
	After     *Task
	From      Status
	Changed   bool          // false if the task already had the status
	TookFrom  string        // whose live claim a human ended
	Forced    []string      // what the override passed over, as refusals list it
	Claimed   *Task         // after the claim that was made for the move; nil if none was
	ByFile    []string      // what the actor may by a file alone, as the event of that claim names it
	Requested []Requirement // with a refusal: the approvals that are missing
	Unseen    bool          // an agent's close rests on runs, and nobody said which files it sees: see TreeUnknown
}

// TreeUnknown is what records and answers say of the tree of a close that came without one.
const TreeUnknown = "unknown"

// What answers say of a close without a tree, and what is said about the closed task.
const (
	UnknownWords = "tree: " + TreeUnknown + "; no tree of files came with the close, so nobody knows whether its runs are stale"
	UnknownThen  = "tree: " + TreeUnknown + "; no tree of files came with the close, so nobody knows whether its runs were stale"
)

// CheckReturn refuses to send back a task that is not in review: a move to open would take it from its holder.
func (t *Task) CheckReturn() error {
	if t.Status == InReview {
		return nil
	}
	return fault.Decline("%s is %s, and only what is in review can be sent back", t.ID, t.Status).
		WithHint("to open it anyway: %s", hint.Reopen(t.ID))
}

// Reports reports whether an import by the actor is a report of what happened elsewhere. That of an agent is not, in a
// project that declares a human: anybody can write a file, so it closes only what the agent could close itself.
func (p Policy) Reports(a Actor) bool { return !p.bound(a) }

// MoveBy changes the status, or returns a refusal that lists everything in the way. The order of the checks is part of
// the contract: conflicts, another actor's live claim, what the actor may not hold, the rules for done (even for a task
// that is already done), and only then whether there is anything to change. Where the rules for closings by agents count,
// a task that nobody holds is claimed first.
func (t *Task) MoveBy(a Actor, p Policy, m Move, s Standing, now Time) (Moved, error) {
	if _, err := ParseStatus(string(m.To)); err != nil {
		return Moved{}, err
	}
	t = t.At(now)
	if err := cmp.Or(t.CheckVersion(m.ExpectedVersion), t.CheckFence(m.Fence), t.checkMover(a, p, m, now)); err != nil {
		return Moved{}, err
	}
	out := Moved{After: t, From: t.Status}
	var forced []string
	switch {
	case m.To == Done:
		left, passed := t.against(a, p, m, s).Forced(m.Force, mayPassEvidence(a, p))
		if !left.Empty() {
			return Moved{From: t.Status, Requested: left.requests()}, left.refusal(t.ID, a, p)
		}
		forced = passed
	case m.To == Cancelled && !m.Elsewhere:
		if err := t.checkCancel(a, p, s); err != nil {
			return Moved{}, err
		}
	}
	if m.To == t.Status {
		return out, nil
	}
	out.Changed, out.Forced = true, forced
	if t.HeldByOther(a, now) {
		out.TookFrom = t.Claim.Actor
	}
	if m.To == Done && !m.Elsewhere && p.bound(a) && t.Claim == nil && t.Status != InReview {
		claimed, _, err := t.ClaimBy(a, p, nil, nil, now)
		if err != nil {
			return Moved{}, err
		}
		out.Claimed, out.ByFile, t = claimed, a.OnlyByFile(), claimed
	}
	out.After = t.moved(a, p, m.To, now)
	return out, nil
}

// checkMover refuses a move by an actor that may not work on the task. What routing keeps from an agent is one obstacle
// among others to a move to done: that refusal names them all.
func (t *Task) checkMover(a Actor, p Policy, m Move, now Time) error {
	if m.To == Done && !m.Elsewhere {
		return t.CheckHold(a, now)
	}
	return t.CheckWork(a, p, now)
}

// against returns what keeps the actor from the move to done. What happened elsewhere is asked only what the task asks
// for, and what the policy of record does.
func (t *Task) against(a Actor, p Policy, m Move, s Standing) Obstacles {
	if !m.Elsewhere {
		return t.ObstaclesFor(a, p, s)
	}
	o := t.Obstacles(p, s)
	o.Record = s.Record
	return o
}

// mayPassEvidence reports whether the actor may override missing evidence. If a human is declared, only humans may.
// Anybody may override unchecked criteria.
func mayPassEvidence(a Actor, p Policy) bool { return a.Person() || !p.DeclaresHuman }

// moved returns the record after a move that is allowed.
func (t *Task) moved(a Actor, p Policy, to Status, now Time) *Task {
	after := *t
	after.Status = to
	after.Version++
	after.UpdatedAt = now
	after.Attempts = 0
	after.Recorded = false // its status now has a history of its own
	if to != InProgress && t.Claim != nil {
		after.Claim = nil
		after.FenceEnded = !a.Holds(t.Claim)
	}
	switch {
	case to.Closed():
		after.ClosedAt, after.ClosedBy = now, a.Full()
	case t.Status.Closed():
		after.ClosedAt, after.ClosedBy = 0, ""
	}
	if after.ReviewBy = ""; to == InReview {
		after.ReviewBy = a.Full()
	}
	after.leave(t.Status, a, p)
	after.sendBack(t, a)
	return &after
}

// leave records what the move leaves for people to look at. A task that is sent back from review no longer waits for
// them; one whose approvals were requested while it was in progress still does.
func (t *Task) leave(from Status, a Actor, p Policy) {
	switch {
	case t.State() != StateUnheld:
		t.UnheldSince = 0
	case t.UnheldSince == 0:
		t.UnheldSince = ThisEvent
	}
	switch {
	case t.Status.Closed():
		t.AwaitingSince, t.Lapse = 0, 0
		t.Failures, t.Failing = 0, 0
		if !from.Closed() && !a.Person() && p.EffectiveAutonomy(t.Autonomy, a) != Autonomous {
			t.UnsupervisedClose = ThisEvent
		}
		return
	case t.Status == InReview && t.AwaitingSince == 0:
		t.AwaitingSince = ThisEvent
	case from == InReview:
		t.AwaitingSince = 0
		t.failed()
	}
	t.UnsupervisedClose = 0
}

// sendBack marks a task as sent back if it is reopened, or if somebody other than the one who asked for the review returns it
// to work: approvals no longer count, and newer work is asked for. Being done settles that, and so does a human who closes
// the task or takes it to review; a tick and evidence do too.
func (t *Task) sendBack(before *Task, a Actor) {
	returned := before.Status == InReview && (a.Person() || actorName(before.ReviewBy) != a.Name)
	switch {
	case !t.Status.Closed() && (before.Status.Closed() || returned):
		t.Returned, t.SentBack = ThisEvent, ThisEvent
		t.ApprovalEpoch++
	case t.Status == Done, a.Person() && t.Status != Open && t.Status != InProgress:
		t.Returned = 0
	}
}

// FailingAt is how many failures make a task failing.
const FailingAt = 3

// failed counts a failure: a lapse, a release as failed, or a return from review.
func (t *Task) failed() {
	if t.Failures++; t.Failures >= FailingAt {
		t.Failing = ThisEvent
	}
}

// Acknowledge returns the task after a human has seen its failures: the count starts again at zero.
func (t *Task) Acknowledge() *Task {
	after := *t
	after.Acknowledged, after.Failing, after.Failures = t.Failing, 0, 0
	return &after
}
