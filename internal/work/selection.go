package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// maxSkipped is how many of the passed-over tasks an answer lists.
const maxSkipped = 20

// answer composes the answer of a selection.
func (s selector) answer(ctx context.Context, tx *store.Tx, c chosen) (answered, error) {
	out := answered{NextOut: NextOut{SelectedBy: s.policy.SelectedBy(), Claimed: c.Claim}}
	over, err := s.skipped(ctx, tx, c)
	if err != nil {
		return out, err
	}
	out.Skipped, out.SkippedMore = over.list, over.more
	if c.Task == "" {
		out.Idle, err = s.idle(tx)
		return out, err
	}
	t := *c.rec
	if err := tx.Fill(&t); err != nil {
		return out, err
	}
	routing := s.policy.Route(s.actor, &t)
	out.Task, out.Routing, out.SelectionReason = &t, &routing, task.Opt(s.reason(&t))
	if out.draft, err = bundle.Compose(ctx, s.services, tx, s.project, s.policy, &t); err == nil {
		out.Bundle = out.draft.Bundle
	}
	return out, err
}

// answered is the answer of a selection, with the bundle still to be finished.
type answered struct {
	NextOut
	draft *bundle.Draft
}

// reason returns why the task came first.
func (s selector) reason(t *task.Task) string {
	b := make([]byte, 0, 192)
	b = append(b, "the first that you may hold, by "...)
	said := len(b)
	for _, k := range s.policy.SelectedBy() {
		if !hasValue(t, k) {
			continue
		}
		if len(b) > said {
			b = append(b, ", "...)
		}
		switch k {
		case task.BySeverity:
			b = append(append(b, "severity "...), strconv.Itoa(int(t.Severity))...)
		case task.BySprint:
			b = append(append(b, "sprint "...), string(t.Sprint)...)
		case task.ByDue:
			b = append(append(b, "due "...), string(t.Due)...)
		case task.ByPriority:
			b = strconv.AppendInt(append(b, "priority "...), int64(t.Priority), 10)
		case task.ByRank:
			b = append(append(b, "rank "...), string(t.Rank)...)
		case task.ByAge:
			b = append(append(b, "created "...), t.CreatedAt.String()...)
		}
	}
	if len(b) == said {
		b = append(b, "its number"...)
	}
	switch task.Bias(string(t.PreferredActor), s.policy, s.actor) {
	case 0:
		b = append(b, "; it prefers you"...)
	case 2:
		b = append(b, "; it prefers somebody else, and nothing ahead of it was for you"...)
	}
	return string(b)
}

// hasValue reports whether a task has its own value for a key of the order. A task without one comes last there, which
// explains nothing.
func hasValue(t *task.Task, k task.SelectKey) bool {
	switch k {
	case task.BySeverity:
		return t.Severity != 0
	case task.BySprint:
		return t.Sprint != ""
	case task.ByDue:
		return t.Due != ""
	case task.ByRank:
		return t.Rank != ""
	default: // priority and age
		return true
	}
}

// passedOver is the first of the passed-over tasks, and whether there are more.
type passedOver struct {
	list []Skipped
	more bool
}

// skipped returns the first tasks that come before the selected one but were passed over, in order, and whether there
// are more. It does not count them.
func (s selector) skipped(ctx context.Context, tx *store.Tx, c chosen) (*passedOver, error) {
	q := s.walk(query.LanePassedOver)
	q.Until, q.Limit = c.rec, maxSkipped+1
	if len(c.Passed) > 0 {
		return s.skippedApart(ctx, tx, q, c)
	}
	first, before, err := tx.LaneHead(q)
	if err != nil {
		return nil, err
	}
	over := first[:before]
	if slices.ContainsFunc(over, func(t *task.Task) bool { return t.ID == c.Task }) {
		over = slices.DeleteFunc(slices.Clone(over), func(t *task.Task) bool { return t.ID == c.Task })
	}
	return s.reasons(ctx, tx, over, nil)
}

// skippedApart is skipped for a selection that also passed over tasks that overlap held ones: it sorts all of them.
func (s selector) skippedApart(ctx context.Context, tx *store.Tx, q query.Frontier, c chosen) (*passedOver, error) {
	over, err := core.Head(tx, q, q.Limit)
	if err != nil {
		return nil, err
	}
	over = slices.DeleteFunc(over, func(t *task.Task) bool { return t.ID == c.Task })
	near, err := tx.TasksByID(c.Passed[:min(len(c.Passed), maxSkipped+1)])
	if err != nil {
		return nil, err
	}
	for _, t := range near {
		if !slices.ContainsFunc(over, func(o *task.Task) bool { return o.ID == t.ID }) {
			over = append(over, t)
		}
	}
	order := s.policy.Order()
	slices.SortStableFunc(over, func(a, b *task.Task) int { return order.Compare(s.policy, s.actor, a, b) })
	return s.reasons(ctx, tx, over, glob.NewBudget(core.CompareSteps))
}

// reasons returns why each task was passed over.
func (s selector) reasons(ctx context.Context, tx *store.Tx, over []*task.Task, budget *glob.Budget) (*passedOver, error) {
	out := &passedOver{more: len(over) > maxSkipped}
	over = over[:min(len(over), maxSkipped)]
	out.list = make([]Skipped, len(over))
	var claims strings.Builder // one text for all held tasks, which most of them are
	var said [128]byte
	for i, t := range over {
		if t.Claim != nil {
			from := claims.Len()
			claims.Write(t.Claim.Append(said[:0]))
			reason := claims.String()[from:]
			out.list[i] = Skipped{Task: t.ID, Reason: reason, Brief: reason[:len(heldBy)+len(t.Claim.Actor)]}
			continue
		}
		why, err := s.why(ctx, tx, t, budget)
		if err != nil {
			return nil, err
		}
		out.list[i] = why
	}
	return out, nil
}

// heldBy is how the words for a claim begin; the holder follows.
const heldBy = "held by "

// why returns why a task that nobody holds was passed over.
func (s selector) why(ctx context.Context, tx *store.Tx, t *task.Task, budget *glob.Budget) (Skipped, error) {
	if t.Questions > 0 {
		q, err := tx.HoldingBack(t.ID)
		if err != nil || q == nil {
			return Skipped{t.ID, "held back by a blocking question", "asked"}, err
		}
		return Skipped{
			Task: t.ID, Reason: fmt.Sprintf("held back by question %d: %s", q.ID, q.Brief()),
			Brief: fmt.Sprintf("asked %s %d", cmp.Or(string(q.To), s.policy.AnyHuman()), q.ID),
		}, nil
	}
	if r := s.policy.Route(s.actor, t); !r.MayHold {
		whose, _ := s.policy.Whose(s.actor, t.Autonomy, t.MayExecute)
		return Skipped{t.ID, "not for " + s.actor.FullOr("this actor") + ": " + r.Why, whose}, nil
	}
	if budget == nil {
		return Skipped{t.ID, overlapped, "overlapped"}, nil
	}
	held, err := core.TouchingAs(tx, t, budget)
	if err != nil {
		return Skipped{}, err
	}
	h, why, all := held.First(ctx, t)
	switch {
	case h != nil:
		return Skipped{t.ID, fmt.Sprintf("its touches overlap those of %s, %s: %s", h.ID, h.Claim, why), "overlaps " + string(h.ID)}, nil
	case !all:
		const uncompared = "its touches were not compared with those of every held task: there are too many, or their globs are too complex"
		return Skipped{t.ID, uncompared, "not compared"}, nil
	}
	return Skipped{t.ID, overlapped, "overlapped"}, nil
}

// overlapped is why a task was passed over that no longer overlaps anything.
const overlapped = "it overlapped a task that was held"

// idle returns why there is nothing to select, as counts for the project, or for what is below a task.
func (s selector) idle(tx *store.Tx) (*Idle, error) {
	if s.under != "" {
		return s.idleBelow(tx)
	}
	why, err := tx.Standstill(s.walk(query.LanePassedOver))
	if err != nil {
		return nil, err
	}
	idle := idleOf(why, tx.Now())
	idle.Advice = s.project.Begin(s.actor)
	idle.Waits, err = s.waits(tx, why)
	return idle, err
}

func idleOf(why query.Standstill, now task.Time) *Idle {
	n, open := why.States, 0
	for _, one := range n[:task.StateDone] {
		open += one
	}
	idle := &Idle{
		Finished: open == 0, Held: n[task.StateHeld] - why.Yours, Yours: why.Yours, Unheld: n[task.StateUnheld],
		WaitingForHuman: why.WaitingForHuman, Blocked: n[task.StateWaiting], NotForYou: why.NotForYou, NextExpiry: why.NextExpiry,
	}
	idle.WaitMs = idle.worthWaiting(now)
	return idle
}

// idleBelow is idle for what is below one task.
func (s selector) idleBelow(tx *store.Tx) (*Idle, error) {
	below, err := tx.Below(s.under)
	if err != nil {
		return nil, err
	}
	var why query.Standstill
	for _, t := range below {
		state := t.State()
		why.States[state]++
		switch {
		case t.WaitsForHuman(s.policy):
			why.WaitingForHuman++
		case state == task.StateReady && s.policy.MayHold(s.actor, t.Autonomy, t.MayExecute) != nil:
			why.NotForYou++
		case state == task.StateHeld:
			if t.Claim.Actor == s.actor.Full() {
				why.Yours++
			}
			if end := t.Claim.ExpiresAt; end != 0 && (why.NextExpiry == 0 || end < why.NextExpiry) {
				why.NextExpiry = end
			}
		}
	}
	idle := idleOf(why, tx.Now())
	idle.Waits, err = s.waitsBelow(tx, below)
	return idle, err
}
