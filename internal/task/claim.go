package task

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// Live reports whether the claim still counts. A lease ends at its last moment, not after it.
func (c *Claim) Live(now Time) bool {
	return c != nil && (c.ExpiresAt == 0 || now < c.ExpiresAt)
}

// String returns who holds the task, until when, and when it was claimed, as a refusal words it.
func (c *Claim) String() string { return string(c.Append(make([]byte, 0, 96))) }

// Append appends what String returns.
func (c *Claim) Append(b []byte) []byte {
	if c == nil {
		return append(b, "held by nobody"...)
	}
	b = append(b, "held by "...)
	b = append(b, c.Actor...)
	b = append(b, " until "...)
	if c.ExpiresAt == 0 {
		b = append(b, "it is released"...)
	} else {
		b = appendMoment(b, c.ExpiresAt)
	}
	if c.ClaimedAt != 0 {
		b = append(b, " (claimed at "...)
		b = append(appendMoment(b, c.ClaimedAt), ')')
	}
	return b
}

// Lapsed reports whether the task has a claim whose lease has run out and that no sweep has removed yet.
func (t *Task) Lapsed(now Time) bool {
	return t.Claim != nil && !t.Claim.Live(now)
}

// Occupied returns the globs of the paths that the task keeps for its holder: its touches while somebody holds it. A nil
// task has none.
func (t *Task) Occupied() []string {
	if t == nil || t.Claim == nil {
		return nil
	}
	return t.Touches
}

// Expired returns the task as a sweep writes it after a lapse. The fence does not change: until somebody else claims
// the task, a worker that comes back late may continue.
func (t *Task) Expired() *Task {
	if t.Claim == nil {
		return t
	}
	after := *t
	after.Status, after.Claim = Open, nil
	after.Version++
	after.Attempts++
	after.Lapse, after.LastEvent = ThisEvent, ThisEvent
	after.failed()
	if t.Claim.ExpiresAt != 0 {
		after.UpdatedAt = t.Claim.ExpiresAt
	}
	return &after
}

// At returns the task as reads show it at now: without a lapsed claim, whether or not a sweep has removed it yet.
func (t *Task) At(now Time) *Task {
	if t.Lapsed(now) {
		return t.Expired()
	}
	return t
}

// CheckVersion returns a conflict if the task's version is not the one that the caller expects.
func (t *Task) CheckVersion(expected *int64) error {
	if expected == nil || *expected == t.Version {
		return nil
	}
	return fault.Stale("%s has version %d, not %d", t.ID, t.Version, *expected).WithHint("read it again (%s) and decide again", hint.Show(t.ID))
}

// CheckFence returns a conflict if the fence belongs to a claim that a newer claim has replaced, or that was ended by
// somebody other than its holder. A missing fence is not a conflict.
func (t *Task) CheckFence(fence *int64) error {
	switch {
	case fence == nil:
		return nil
	case *fence > t.Fence:
		return fault.Stale("%s has never had a claim with fence %d", t.ID, *fence).WithHint("use the fence that your claim returned")
	case *fence < t.Fence:
		return fault.Stale("%s has been claimed again since fence %d; the newest is %d", t.ID, *fence, t.Fence).
			WithHint("stop working on it: the newer claim replaces yours (%s)", hint.Show(t.ID))
	case t.FenceEnded:
		return fault.Stale("the claim of %s with fence %d was ended by somebody else", t.ID, *fence).
			WithHint("see what happened (%s), and claim it again if it is still yours to do", hint.Events(t.ID))
	}
	return nil
}

// HeldByOther reports whether another actor has a live claim. Two instances of one name are two actors here.
func (t *Task) HeldByOther(a Actor, now Time) bool {
	return t.Claim.Live(now) && !a.Holds(t.Claim)
}

// CheckHold refuses an agent's write to a task that another actor holds. Humans pass.
func (t *Task) CheckHold(a Actor, now Time) error {
	if a.Person() || !t.HeldByOther(a, now) {
		return nil
	}
	refusal := t.held()
	switch {
	case a.Human:
		refusal.Message += ": " + a.noPerson()
	case actorName(t.Claim.Actor) == a.Name && a.Instance == "":
		_, instance, _ := strings.Cut(t.Claim.Actor, "/")
		return refusal.WithHint("that is another instance of your name: if you work for it, give %s; %s shows the claim",
			hint.NamingInstance(instance), hint.Show(t.ID))
	}
	return refusal
}

// CheckWork refuses a move or a tick that the actor may not make: on a task that another actor holds, and, where a
// human is declared, on one that routing keeps from an agent. Humans pass.
func (t *Task) CheckWork(a Actor, p Policy, now Time) error {
	if err := t.CheckHold(a, now); err != nil || a.Person() || !p.DeclaresHuman {
		return err
	}
	if why := p.barred(a, t.Autonomy, t.MayExecute); why != nil {
		return why.fault(string(t.ID), t.Project, a)
	}
	return nil
}

func (t *Task) held() *fault.Error {
	return fault.Decline("%s is %s", t.ID, t.Claim).
		WithHint("take another task (%s), wait, or have its holder or a human release it (%s)", hint.Next(t.Project), hint.Release(t.ID))
}

// Holder returns who holds the task, or "" if nobody does.
func (t *Task) Holder() Opt {
	if t.Claim == nil {
		return ""
	}
	return Opt(t.Claim.Actor)
}

// ClaimBy gives the task to the actor, or renews the actor's own claim if its fence is given. Without leaseMs a new
// claim gets the policy's lease, and a renewed one keeps its own. The refusal says who or what is in the way, until
// when, and what to do.
func (t *Task) ClaimBy(a Actor, p Policy, fence, leaseMs *int64, now Time) (after *Task, renewed bool, err error) {
	if leaseMs != nil {
		if err := CheckLease(*leaseMs); err != nil {
			return nil, false, err
		}
	}
	t = t.At(now)
	if err := t.CheckFence(fence); err != nil {
		return nil, false, err
	}
	if t.Claim != nil {
		after, err = t.renewed(a, p, fence, leaseMs, now)
		return after, err == nil, err
	}
	if err := t.claimable(a, p); err != nil {
		return nil, false, err
	}
	lease, err := p.Lease(leaseMs)
	if err != nil {
		return nil, false, err
	}
	fresh := *t
	fresh.Fence++
	fresh.FenceEnded = false
	fresh.Lapse, fresh.UnheldSince = 0, 0
	if fresh.Status == Open {
		fresh.Status = InProgress
		fresh.Version++
		fresh.UpdatedAt = now
	}
	fresh.Claim = &Claim{Task: t.ID, Actor: a.Full(), Fence: fresh.Fence, Version: fresh.Version, ClaimedAt: now,
		LeaseMs: lease, ExpiresAt: leaseEnd(lease, now)}
	if fresh.LastHolder != a.Full() {
		fresh.LastHolder, fresh.HeldSince = a.Full(), ThisEvent
	}
	return &fresh, false, nil
}

// renewed renews the claim of a held task. The holder's name is not enough: only the fence distinguishes the holder
// from another client of the same name.
func (t *Task) renewed(a Actor, p Policy, fence, leaseMs *int64, now Time) (*Task, error) {
	if t.Claim.Actor != a.Full() {
		return nil, t.held()
	}
	if fence == nil {
		return nil, fault.Decline("%s is %s", t.ID, t.Claim).
			WithHint("that is your own name: %s renews the claim, with its fence %d", hint.Renew(t.ID, t.Claim.Fence), t.Claim.Fence)
	}
	// Reopened dependencies, questions and mayExecute count when a task is claimed, not while it is held. human_only
	// always counts: no agent ever holds such a task.
	if why := p.barredByAutonomy(a, t.Autonomy); why != nil {
		return nil, why.fault(string(t.ID), t.Project, a)
	}
	claim := *t.Claim
	if leaseMs != nil {
		claim.LeaseMs = *leaseMs
	}
	claim.RenewedAt = now
	claim.ExpiresAt = leaseEnd(claim.LeaseMs, now)
	after := *t
	after.Claim = &claim
	return &after, nil
}

func leaseEnd(ms int64, now Time) Time {
	if ms == 0 {
		return 0
	}
	return now.Add(ms)
}

// claimable refuses a new claim of a task that nobody holds.
func (t *Task) claimable(a Actor, p Policy) error {
	switch {
	case t.Status.Closed():
		return fault.Decline("%s is %s", t.ID, t.Status).WithHint("reopen it first: %s", hint.Reopen(t.ID))
	case t.Status == InReview:
		return fault.Decline("%s is in review", t.ID).WithHint("%s", fault.ByHuman(t.Project, fault.Have("review it"),
			"it waits for a reviewer; send it back to work with %s", hint.Return(t.ID)))
	case t.OpenDeps > 0:
		return fault.Decline("%s waits for %s", t.ID, words.Count(t.OpenDeps, "open task", "open tasks")).
			WithHint("close what it waits for first: %s", hint.Explain(t.ID))
	case t.Questions > 0:
		return fault.Decline("%s is held back by %s", t.ID, words.Count(t.Questions, "open blocking question", "open blocking questions")).
			WithHint("%s: %s lists it", fault.ByHuman(t.Project, fault.Have("answer it"), "answer it first"), hint.Show(t.ID))
	}
	if why := p.barred(a, t.Autonomy, t.MayExecute); why != nil {
		return why.fault(string(t.ID), t.Project, a)
	}
	return nil
}

// ReleaseBy ends the claim and gives the task back; failed counts an attempt. It returns who held the task, or an
// empty name and the task unchanged if nobody did. Only the holder and humans may release.
func (t *Task) ReleaseBy(a Actor, fence *int64, failed bool, now Time) (after *Task, held string, err error) {
	if err := t.CheckFence(fence); err != nil {
		return nil, "", err
	}
	if !t.Claim.Live(now) {
		return t, "", nil
	}
	if err := t.CheckHold(a, now); err != nil {
		return nil, "", err
	}
	held = t.Claim.Actor
	open := *t
	open.Status, open.Claim = Open, nil
	open.FenceEnded = !a.Holds(t.Claim)
	open.Version++
	open.UpdatedAt = now
	if failed {
		open.Attempts++
		open.failed()
	}
	return &open, held, nil
}

// Extended returns the claim after a write by its holder, which extends the lease by its own length. It returns false
// if the actor does not hold the task, or if the claim has no expiry.
func (t *Task) Extended(a Actor, now Time) (Claim, bool) {
	if !t.Claim.Live(now) || !a.Holds(t.Claim) || t.Claim.ExpiresAt == 0 {
		return Claim{}, false
	}
	claim := *t.Claim
	claim.ExpiresAt = max(claim.ExpiresAt, leaseEnd(claim.LeaseMs, now))
	return claim, true
}

// ChangedSince reports whether the task has changed since its holder claimed it.
func (t *Task) ChangedSince() bool {
	return t.Claim != nil && t.Claim.Version != t.Version
}

// CheckLease refuses a lease that no claim can have.
func CheckLease(ms int64) error {
	if ms < 0 || ms > MaxLeaseMs {
		return fault.Bad("a lease of %d milliseconds is out of range", ms).WithMissing("leaseMs").
			WithHint("a whole number of milliseconds from 0 (no expiry) to %d (366 days)", int64(MaxLeaseMs))
	}
	return nil
}

// Lease returns how long a new claim lasts: as requested, or as the project says, or two hours. Zero means no expiry.
func (p Policy) Lease(asked *int64) (int64, error) {
	ms := int64(DefaultLeaseMs)
	switch {
	case asked != nil:
		ms = *asked
	case p.LeaseMs != nil:
		ms = *p.LeaseMs
	}
	return ms, CheckLease(ms)
}

// Hold is a task that an actor holds, with its progress and its newest event (0 if it has none).
type Hold struct {
	Task      ID       `db:"id"`
	Title     string   `db:"title"`
	Actor     string   `db:"holder"` // with its instance
	Since     Time     `db:"claimed_at"`
	ExpiresAt Time     `db:"expires_at"`
	LeaseMs   int64    `db:"lease_ms"`
	Questions int      `db:"questions"` // open blocking ones
	Progress  Progress `db:"criteria"`
	Last      int64
	LastAt    Time
	LastKind  Kind
}

// HandoverNote returns what the actor that handed a task over wrote for its reviewers: the newest note by that actor, or
// else by the one that held the task last. notes are in order; it returns nil if there is none.
func (t *Task) HandoverNote(notes []Note) *Note {
	for i, n := range slices.Backward(notes) {
		if n.Actor != "" && (n.Actor == t.ReviewBy || n.Actor == t.LastHolder) {
			return &notes[i]
		}
	}
	return nil
}

// ClaimedEvent returns the event of a new claim; via is the operation that made it for the caller, if any. It names what the
// actor may by a file alone: an agent could have written that.
func ClaimedEvent(before, after *Task, via string, byFile []string) Draft {
	c := after.Claim
	payload := Payload{
		"fence": c.Fence, "status": Delta{From: before.Status, To: after.Status}, "leaseMs": c.LeaseMs, "expiresAt": c.ExpiresAt,
	}
	if via != "" {
		payload["by"] = via
	}
	if before.LastHolder != "" {
		payload["lastHolder"] = before.LastHolder
		payload["heldSince"] = before.HeldSince
	}
	if len(byFile) > 0 {
		payload["byFile"] = byFile
	}
	return Draft{Kind: TaskClaimed, Payload: payload}
}

// ClaimChange returns a claim by an actor, or a renewal, with its event; via is the operation that chose the task, if any.
func ClaimChange(a Actor, before, after *Task, renewed bool, via string) Change {
	ev := ClaimedEvent(before, after, via, a.OnlyByFile())
	if c := after.Claim; renewed {
		ev = Draft{Kind: ClaimRenewed, Payload: Payload{
			"fence":     c.Fence,
			"leaseMs":   Delta{From: before.Claim.LeaseMs, To: c.LeaseMs},
			"expiresAt": Delta{From: before.Claim.ExpiresAt, To: c.ExpiresAt},
		}}
	}
	return Change{Before: before, After: after, Events: []Draft{ev}}
}
