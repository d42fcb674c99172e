package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// MoveIn moves a task; its check, evidence and note are applied first. A declined move keeps them: see declined.
type MoveIn struct {
	Task            string              `path:"id" json:"-"`
	To              string              `json:"to" about:"the status to move to"`
	Force           bool                `json:"force,omitzero" about:"pass over unchecked criteria and missing evidence; it is logged"`
	ExpectedVersion *int64              `json:"expectedVersion,omitzero" about:"refused with 409 when the task has another version"`
	Fence           *int64              `json:"fence,omitzero"`
	Check           []int               `json:"check,omitzero" about:"criteria to tick first, by index from 1"`
	By              *int64              `json:"by,omitzero" about:"the evidence that these ticks rest on, by its id"`
	Evidence        []task.EvidenceItem `json:"evidence,omitzero" about:"evidence to record first"`
	Note            *string             `json:"note,omitzero" about:"a note to add first"`
	Next            bool                `json:"next,omitzero" about:"claim the next task in the same step"`
	Tree            string              `json:"tree,omitzero" about:"the tree of files that the caller sees, as a run records it: runs on another one are stale"`
	Differs         []proven.Differing  `json:"differs,omitzero" about:"what differs between that tree and those of runs"`
	DryRun          bool                `json:"dryRun,omitzero" about:"say whether it would pass, what is missing and what it rests on, and record nothing"`
	Paths           []string            `json:"paths,omitzero" about:"what was changed since the claim, from the root of the repository; kept with a task that is handed over or done"`
}

// adds reports whether ticks, evidence or a note come with the move.
func (in MoveIn) adds() bool { return len(in.Check) > 0 || len(in.Evidence) > 0 || in.Note != nil }

// Choices are the allowed words of fields.
func (MoveIn) Choices() map[string][]string { return map[string][]string{"to": task.StatusNames()} }

// MoveOut is the moved task, its former status, the tasks that became ready (how many, and the first of them), and what
// the close of a task rests on. In a dry run the task is as it is.
type MoveOut struct {
	Task           *task.Task     `json:"task"`
	From           task.Status    `json:"from"`
	Unblocked      []task.ID      `json:"unblocked"`
	UnblockedTotal int            `json:"unblockedTotal"`
	Warnings       []string       `json:"warnings"`
	Next           *NextOut       `json:"next"` // null if it was not requested
	Rests          []Rest         `json:"rests"`
	Outside        []string       `json:"outside"` // changed files that its touches do not cover, where the work is
	Stale          []proven.Stale `json:"stale"`   // runs on other files than the caller sees
	Tree           task.Opt       `json:"tree"`    // unknown where an agent's close next to declared humans rests on runs, and no tree came with it
	DryRun         bool           `json:"dryRun"`
	Closable       *bool          `json:"closable"` // null unless it is a dry run
	Missing        []string       `json:"missing"`
}

// maxUnblocked is how many of the tasks that became ready an answer names.
const maxUnblocked = 1000

// Move moves a task to a status. Ticks, evidence and the note that come with it are applied first, and are recorded
// even if the move is declined: they are true whether or not the task may close. With next, the following task is
// claimed in the same transaction.
func (s *Service) Move(ctx context.Context, in MoveIn) (MoveOut, error) {
	_, err := task.ParseStatus(in.To)
	if err := cmp.Or(fault.At("to", err), checkEvidence("evidence", in.Evidence), checkNote(in.Note), checkTree(in), fault.At("paths", task.CheckPaths(in.Paths))); err != nil {
		return MoveOut{}, err
	}
	switch {
	case in.DryRun && in.Next:
		return MoveOut{}, fault.Bad("a dry run changes nothing, and next claims a task").WithMissing("next").WithHint("leave one of them out")
	case in.DryRun:
		return s.try(ctx, in)
	}
	type both struct {
		MoveOut
		next answered
	}
	write := func(guidance core.Prints) (both, error) {
		return core.WriteThen(ctx, s.Env, func(tx *store.Tx) (moved, error) { return s.move(ctx, tx, in, guidance) },
			func(tx *store.Tx, m moved) (out both, err error) {
				var claimed task.ID
				if out.MoveOut, err = m.answer(ctx, tx); err == nil && m.Next != nil {
					out.next, err = s.answerNext(ctx, tx, *m.Next)
					out.Next, claimed = &out.next.NextOut, m.Next.Task
				}
				_ = s.Hear(ctx, tx, m.Task.Project, claimed) // it has moved, whether or not there is news
				return out, err
			},
			func(m moved) (both, bool) {
				out := both{MoveOut: m.bare()}
				if m.Next != nil {
					out.Next = new(m.Next.bare())
				}
				return out, true
			})
	}
	var out both
	if in.Next {
		out, err = core.Guided(ctx, s.Env, write)
	} else {
		out, err = write(core.Prints{})
	}
	if err != nil {
		return MoveOut{}, err
	}
	s.finish(out.Next, out.next.draft)
	return out.MoveOut, nil
}

// moved is what the turn of a move returns.
type moved struct {
	record
	From           task.Status       `json:"from"`
	Closed         bool              `json:"closed"` // by this move
	Asked          []string          `json:"asked"`  // the kinds of evidence that the gate of a finished task asks for
	Unblocked      []task.ID         `json:"unblocked"`
	UnblockedTotal int               `json:"unblockedTotal"`
	Changed        task.ID           `json:"changed"` // set if the holder must be warned that others changed it
	Foreign        string            `json:"foreign"` // the warning that the tracker owns the status
	Unfit          string            `json:"unfit"`   // the warning that the caller closed a task that it could not have claimed
	Next           *chosen           `json:"next"`
	Stale          []proven.Stale    `json:"stale"`
	Discounted     []task.Discounted `json:"discounted"` // runs that would not count if an agent had closed it
	Unseen         bool              `json:"unseen"`     // by an agent, and no tree came with it
	Unjudged       string            `json:"unjudged"`   // the warning that nobody can say which runs are stale

	tried tried
}

func (s *Service) move(ctx context.Context, tx *store.Tx, in MoveIn, guidance core.Prints) (moved, error) {
	now := tx.Now()
	t, p, a, pol, err := s.toWrite(ctx, tx, in.Task, in.Fence)
	if err != nil {
		return moved{}, err
	}
	to := task.Status(in.To)
	// Conflicts, somebody else's claim and routing are checked before anything that comes with the request.
	if err := cmp.Or(t.CheckVersion(in.ExpectedVersion), t.CheckFence(in.Fence), t.CheckHold(a, now)); err != nil {
		return moved{}, err
	}
	if err := t.CheckWork(a, pol, now); err != nil {
		if to == task.Done { // that refusal names everything that is missing
			_, err = policy.Move(tx, a, pol, policy.Asked{Task: t, Move: task.Move{To: to, Force: in.Force}})
		}
		return moved{}, err
	}
	if err := proven.CheckRun(t.ID, in.Evidence); err != nil {
		return moved{}, err
	}
	on, err := basisBy(tx, t, in.By, nil)
	if err != nil {
		return moved{}, err
	}
	check, unshown := tickable(t, a, pol, in.Check, on)
	after, events, err := ticked(t, a, pol, ticks{indexes: check, checked: true, on: on}, now)
	if err != nil {
		return moved{}, err
	}
	if in.Evidence, in.Note, err = unrecorded(tx, a, t, in); err != nil {
		return moved{}, err
	}
	sight, err := seen(ctx, tx, after, a, in)
	if err != nil {
		return moved{}, err
	}
	m, err := policy.Move(tx, a, pol, policy.Asked{
		Task: after, Move: task.Move{To: to, Force: in.Force}, Evidence: in.Evidence, Noted: in.Note != nil, Seen: sight,
	})
	err = cmp.Or(err, unshown)
	stale, unjudged, unread := staleAt(tx, after, in, sight)
	if unread != nil {
		return moved{}, unread
	}
	var discounted []task.Discounted
	if to == task.Done {
		if discounted, unread = policy.Discounted(tx, after, a, pol, in.Evidence); unread != nil {
			return moved{}, unread
		}
	}
	if in.DryRun { // all is decided, and nothing is written
		return moved{record: recordOf(t), From: t.Status, Asked: askedOf(pol, t), Stale: stale, Discounted: discounted, Unseen: m.Unseen, Unjudged: unjudged, tried: tried{after.Criteria, in.Evidence, m.Forced}}, err
	}
	if err != nil {
		err = declined(tx, a, change{t, after, events}, in, m, err)
		if in.Next {
			err = keepNext(err)
		}
		return moved{}, err
	}
	if err := addCarried(tx, a, t, in); err != nil {
		return moved{}, err
	}
	after = m.After
	if m.Changed {
		events = append(events, core.MoveEvents(t, m)...)
		if len(stale) > 0 {
			events[len(events)-1].Payload["stale"] = stale
		}
		after.Version = t.Version + 1 // ticks and move are one change of the record
	}
	if after, err = saveExtending(tx, a, t, after, events, in.adds()); err != nil {
		return moved{}, err
	}
	if m.Changed {
		if err := saveChanged(tx, after, in.Paths); err != nil {
			return moved{}, err
		}
	}
	ready := tx.Unblocked()
	out := moved{
		record: recordOf(after), From: t.Status, Closed: m.Changed && to.Closed(),
		Unblocked: ready[:min(len(ready), maxUnblocked)], UnblockedTotal: len(ready),
	}
	if m.Changed && to == task.Done {
		out.Asked, out.Stale, out.Discounted, out.Unseen, out.Unjudged = askedOf(pol, t), stale, discounted, m.Unseen, unjudged
	}
	if out.Closed && !a.Person() {
		// If a human were declared, this would have been refused; otherwise it passes with a warning.
		if err := pol.MayHold(a, t.Autonomy, t.MayExecute); err != nil {
			out.Unfit = fmt.Sprintf("%s could not have claimed %s: %s", a.FullOr("an unnamed actor"), t.ID, pol.Route(a, t).Why)
		}
	}
	if m.Changed {
		ref, foreign, err := s.ForeignOf(tx, p, t)
		if err != nil {
			return moved{}, err
		}
		if foreign["status"] {
			out.Foreign = merge.EditedForeign(ref, []string{"status"})
		}
	}
	if a.Holds(t.Claim) && t.ChangedSince() {
		out.Changed = t.ID
	}
	if a.Holds(t.Claim) && after.Claim == nil {
		s.LetGo(t)
	}
	if in.Next {
		next, err := s.claimNext(ctx, tx, NextIn{Project: p.Slug}, guidance)
		if err != nil {
			return moved{}, err
		}
		out.Next = &next
	}
	return out, nil
}

// tickable returns the criteria that the caller may tick on a basis, and why the others stay: they are commands that were not
// run. They do not keep the rest of a move back, which is declined for all that is missing at once.
func tickable(t *task.Task, a task.Actor, p task.Policy, check []int, on basis) (out []int, why error) {
	for _, i := range check {
		if i < 1 || i > len(t.Criteria) || t.Criteria[i-1].Checked {
			out = append(out, i)
			continue
		}
		shown, err := on(t.Criteria[i-1])
		if err = cmp.Or(err, t.CheckShown(t.Criteria[i-1], a, p, shown)); err != nil {
			why = cmp.Or(why, err)
			continue
		}
		out = append(out, i)
	}
	return out, why
}

// saveChanged records the paths that came with a move. What an earlier review recorded does not count for a new one; a task
// that is closed out of its review keeps it.
func saveChanged(tx *store.Tx, after *task.Task, paths []string) error {
	switch {
	case paths != nil && (after.Status == task.InReview || after.Status == task.Done):
		c := task.ChangedOf(paths)
		return tx.SaveChanged(after, &c)
	case after.Status == task.InReview:
		return tx.SaveChanged(after, nil)
	}
	return nil
}

// saveExtending writes a record that has events. With extend, it also extends the lease of a holder who keeps the task,
// whether or not there are events.
func saveExtending(tx *store.Tx, a task.Actor, before, after *task.Task, events []task.Draft, extend bool) (*task.Task, error) {
	claim, holds := before.Extended(a, tx.Now())
	extend = extend && holds && after.Claim != nil
	if extend {
		after = core.WithClaim(after, claim)
	}
	switch {
	case len(events) > 0:
		return after, tx.Save(task.Change{Before: before, After: after, Events: events})
	case extend:
		return after, tx.Extend(before, claim)
	default:
		return after, nil
	}
}

// bare returns the answer of a move as far as its turn knows it.
func (m moved) bare() MoveOut {
	return MoveOut{Task: m.Task, From: m.From, Unblocked: m.Unblocked, UnblockedTotal: m.UnblockedTotal}
}

// answer composes the answer of a move from a snapshot after it.
func (m moved) answer(ctx context.Context, tx *store.Tx) (MoveOut, error) {
	out := m.bare()
	var err error
	if out.Task, err = m.fill(tx); err != nil {
		return out, err
	}
	if m.Changed != "" {
		if out.Warnings, err = changedSince(ctx, tx, m.Changed); err != nil {
			return out, err
		}
	}
	out.Warnings = append(out.Warnings, slices.DeleteFunc([]string{m.Foreign, m.Unfit}, func(said string) bool { return said == "" })...)
	if !m.Closed {
		return out, nil
	}
	if out.Task.Status == task.Done {
		out.Rests, out.Stale, out.Tree = restsOf(out.Task.Criteria), m.Stale, m.tree()
		said, err := m.basis(tx, out.Task.Criteria, nil)
		if err != nil {
			return out, err
		}
		out.Warnings = append(out.Warnings, said...)
	}
	open, err := leftOpen(tx, out.Task)
	if err != nil {
		return out, err
	}
	out.Warnings = append(out.Warnings, open...)
	if out.Task.Parent == "" {
		return out, nil
	}
	parent, err := tx.Task(task.ID(out.Task.Parent))
	if err != nil || parent.Status.Closed() {
		return out, err
	}
	left := "none of its children is open any more"
	if parent.OpenChildren > 0 {
		left = fmt.Sprintf("%s still open", are(parent.OpenChildren, "child", "children"))
	}
	out.Warnings = append(out.Warnings, fmt.Sprintf("the parent %s is still %s: %s", parent.ID, parent.Status, left))
	return out, nil
}

// unrun warns of ticks that do not rest on anything that was run. A tick by eye says so itself, and what was seen, so
// that it needs no warning.
func unrun(list []task.Criterion) []string {
	var which []string
	for _, c := range list {
		if c.Checked && c.Rests != task.RestsOnRun && c.Rests != task.RestsOnSeen {
			which = append(which, strconv.Itoa(c.Index))
		}
	}
	return restsOnNothing("criterion", "criteria", which)
}

func restsOnNothing(one, many string, which []string) []string {
	switch len(which) {
	case 0:
		return nil
	case 1:
		return []string{one + " " + which[0] + " rests on nothing that was run"}
	}
	return []string{many + " " + strings.Join(which, ", ") + " rest on nothing that was run"}
}

// newestEvidence is how many items of evidence are searched for the newest of each kind.
const newestEvidence = 100

// named is how many open tasks around a closed one a warning names.
const named = 10

// leftOpen warns of the open children and the open dependencies of a closed task.
func leftOpen(tx *store.Tx, t *task.Task) (out []string, err error) {
	if t.OpenChildren == 0 && t.OpenDeps == 0 {
		return nil, nil
	}
	neighbours, err := tx.Neighbours(t, named) // open ones first
	if err != nil {
		return nil, err
	}
	say := func(list []*task.Task, n int, what string) {
		ids := task.IDsOf(slices.DeleteFunc(slices.Clone(list), func(k *task.Task) bool { return k.Status.Closed() }))
		if n > len(ids) {
			what += fmt.Sprintf(" (the first %d)", len(ids))
		}
		out = append(out, what+": "+words.List(ids))
	}
	if n := t.OpenChildren; n > 0 {
		say(neighbours.Children, n, fmt.Sprintf("%s still open below %s", are(n, "child", "children"), t.ID))
	}
	if n := t.OpenDeps; n > 0 {
		say(neighbours.Deps, n, fmt.Sprintf("%s still open that %s waited for", are(n, "task", "tasks"), t.ID))
	}
	return out, nil
}

// are returns `1 child is` or `2 children are`.
func are(n int, one, many string) string {
	if n == 1 {
		return "1 " + one + " is"
	}
	return fmt.Sprintf("%d %s are", n, many)
}
