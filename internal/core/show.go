package core

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Show gives the context bundle of a task: everything a worker needs to know of it.
func (s *Services) Show(ctx context.Context, in ShowIn) (*Bundle, error) {
	if in.Budget != nil && *in.Budget <= 0 {
		return nil, fault.Bad("budget is %d", *in.Budget).WithHint("a whole number of tokens above 0, or leave it out for everything")
	}
	return read(ctx, s, func(tx ReadTx) (*Bundle, error) {
		t, err := find(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		p, err := tx.Project(t.Project)
		if err != nil {
			return nil, err
		}
		pol, err := s.Settings.Policy(p)
		if err != nil {
			return nil, err
		}
		if err := tx.Fill(t); err != nil {
			return nil, err
		}
		b, err := bundle(tx, p, pol, t)
		if b != nil {
			b.Budget.Limit = in.Budget
		}
		return b, err
	})
}

// Bounds of a bundle's lists; what is past them is named in omitted.
const (
	maxAncestors = 100
	maxKin       = 200 // children, deps and dependents, each
	maxNotes     = 50
	recentEvents = 10
)

// bundle composes the bundle of a task that is filled. The record's own counts say which parts are empty: those are
// not asked for.
func bundle(tx ReadTx, p *task.Project, pol task.Policy, t *task.Task) (*Bundle, error) {
	b := &Bundle{
		Task: t, Project: BundleProject{Slug: p.Slug, Name: p.Name, Vision: p.Vision}, Criteria: t.Criteria, Links: t.Links,
	}
	deps, err := b.kin(tx, t)
	if err != nil {
		return nil, err
	}
	if err := b.beside(tx, t); err != nil {
		return nil, err
	}
	b.standing(pol, t)
	window := recentEvents
	if t.ChangedSince() {
		window = recentWindow
	}
	events, err := tx.Events(task.EventQuery{Task: t.ID, Limit: window})
	if err != nil {
		return nil, err
	}
	b.RecentEvents = events[max(0, len(events)-recentEvents):]
	b.Warnings = append(b.Warnings, depWarnings(t, deps)...)
	if t.ChangedSince() {
		b.Warnings = append(b.Warnings, changedSince(t.ID, t.Claim.Actor, events)...)
	}
	if b.Gate != nil && !b.Gate.Defined {
		b.Warnings = append(b.Warnings, fmt.Sprintf("the gate %s is defined nowhere: %s cannot be done until it is", b.Gate.Name, t.ID))
	}
	return b, b.overlaps(tx, t)
}

// kin loads the tasks around a task, in few reads, and gives its dependencies.
func (b *Bundle) kin(tx ReadTx, t *task.Task) ([]*task.Task, error) {
	up, err := ancestors(tx, t)
	if err != nil {
		return nil, err
	}
	b.Ancestors = briefs(up[:min(len(up), maxAncestors)])
	b.cut("ancestors", len(up), maxAncestors, "tasker show "+string(t.Parent))
	children, err := tx.Children(t.ID)
	if err != nil {
		return nil, err
	}
	dependents, err := tx.Dependents(t.ID)
	if err != nil {
		return nil, err
	}
	b.cut("children", len(children), maxKin, "tasker list --parent "+string(t.ID))
	b.cut("deps", len(t.Deps), maxKin, "tasker list")
	b.cut("dependents", len(dependents), maxKin, "tasker list")
	children, dependents = children[:min(len(children), maxKin)], dependents[:min(len(dependents), maxKin)]
	waits := t.Deps[:min(len(t.Deps), maxKin)]
	ids := slices.Concat(children, waits, dependents)
	if len(ids) == 0 {
		return nil, nil
	}
	tasks, err := tx.Tasks(ids)
	if err != nil {
		return nil, err
	}
	if len(tasks) != len(ids) {
		return nil, fault.New(fault.Internal, "%s refers to a task that does not exist", t.ID).WithHint("tasker doctor")
	}
	c, d := len(children), len(children)+len(waits)
	b.Children, b.Deps, b.Dependents = briefs(tasks[:c]), briefs(tasks[c:d]), briefs(tasks[d:])
	return tasks[c:d], nil
}

// cut names a part that was cut, with the command that fetches all of it.
func (b *Bundle) cut(part string, has, most int, command string) {
	if has > most {
		b.Budget.Omitted = append(b.Budget.Omitted, fmt.Sprintf("%s: %d of %d (%s)", part, has-most, has, command))
	}
}

func briefs(tasks []*task.Task) []Brief {
	out := make([]Brief, len(tasks))
	for i, t := range tasks {
		out[i] = Brief{ID: t.ID, Title: t.Title, Status: t.Status}
	}
	return out
}

// beside loads what is kept beside a task.
func (b *Bundle) beside(tx ReadTx, t *task.Task) (err error) {
	if t.Notes > 0 {
		if b.Notes, err = tx.Notes(t.ID, maxNotes); err != nil {
			return err
		}
		b.cut("notes", t.Notes, maxNotes, "tasker events --task "+string(t.ID)+" --kind note.added")
	}
	if t.Evidences > 0 {
		if b.Evidence, err = tx.Evidence(t.ID); err != nil {
			return err
		}
	}
	if t.Approvals > 0 {
		if b.Approvals.Given, err = tx.Approvals(t.ID); err != nil {
			return err
		}
	}
	if t.Asked > 0 {
		if b.Questions, err = tx.Questions(t.ID); err != nil {
			return err
		}
	}
	if t.Decisions > 0 {
		if b.Decisions, err = tx.Decisions(t.ID); err != nil {
			return err
		}
	}
	if t.Bound > 0 {
		b.Bindings, err = tx.Bindings(t.ID)
	}
	return err
}

// standing says what the task's gate and the approvals still ask for.
func (b *Bundle) standing(pol task.Policy, t *task.Task) {
	required := pol.Required(t)
	b.Approvals.Required = needs(required)
	b.Approvals.Missing = needs(task.MissingApprovals(required, b.Approvals.Given))
	if t.Gate == "" {
		return
	}
	kinds := make([]string, len(b.Evidence))
	for i, e := range b.Evidence {
		kinds[i] = e.Kind
	}
	missing, defined := pol.MissingEvidence(t.Gate, kinds)
	b.Gate = &GateState{Name: string(t.Gate), Defined: defined, Requires: pol.Gates[string(t.Gate)], Missing: missing}
}

func needs(required []task.Requirement) []Need {
	out := make([]Need, len(required))
	for i, r := range required {
		out[i] = Need{Kind: r.Kind, Role: task.Opt(r.Role), Actor: task.Opt(r.Actor), Reason: task.Opt(r.Reason)}
		if r.Kind == "" {
			out[i].Kind = task.KindApproval
		}
	}
	return out
}

// depWarnings tells of dependencies that are not what a worker would take them for.
func depWarnings(t *task.Task, deps []*task.Task) []string {
	var out []string
	var cancelled, open []task.ID
	for _, d := range deps {
		switch {
		case d.Status == task.Cancelled:
			cancelled = append(cancelled, d.ID)
		case !d.Status.Closed():
			open = append(open, d.ID)
		}
	}
	if len(cancelled) > 0 && !t.Status.Closed() {
		out = append(out, fmt.Sprintf("%s was cancelled, not done, and counts as closed", listed(cancelled)))
	}
	if len(open) > 0 && t.Claim != nil {
		out = append(out, fmt.Sprintf("%s waits again for %s, which was reopened while %s holds it", t.ID, listed(open), t.Claim.Actor))
	}
	return out
}

// overlaps warns where a task that somebody holds touches the same paths.
func (b *Bundle) overlaps(tx ReadTx, t *task.Task) error {
	if len(t.Touches) == 0 || t.Status.Closed() {
		return nil
	}
	held, err := touching(tx, t.Project)
	if err != nil {
		return err
	}
	const most = 10
	for _, h := range held {
		if h.ID == t.ID {
			continue
		}
		if why, ok := task.Overlap(t.Touches, h.Touches); ok {
			b.Warnings = append(b.Warnings, fmt.Sprintf("its touches overlap those of %s, %s: %s", h.ID, h.Claim, why))
			if len(b.Warnings) >= most {
				break
			}
		}
	}
	return nil
}
