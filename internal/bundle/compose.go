package bundle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/glob"
	"tasker/internal/hint"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/drift"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// Limits of a bundle's lists; what is past them is named in omitted. Each list of texts also ends at core.PageBytes. No
// budget leaves out questions and their answers.
const (
	maxListed    = 1000 // for each of: ancestors, children, deps, dependents, notes, questions, evidence, approvals, decisions
	recentEvents = 10
)

// Draft is a bundle as read from the database. Finish adds what this process knows, and cuts it.
type Draft struct {
	*Bundle
	keep     []int64 // notes that no budget cuts
	settings *config.Effective
	guided   *drift.Guided // at the claim; nil if none was recorded
}

// Compose returns the bundle of a fully loaded task. It skips the parts that the record's own counts say are empty.
func Compose(ctx context.Context, s *core.Env, tx store.View, p *task.Project, pol task.Policy, t *task.Task) (*Draft, error) {
	settings, err := s.Settings.Effective(p)
	if err != nil {
		return nil, err
	}
	d := &Draft{settings: settings, Bundle: &Bundle{
		Task: t, Project: InProject{Slug: p.Slug, Name: p.Name, Vision: p.Vision}, Criteria: t.Criteria, Links: t.Links,
	}}
	neighbours, err := d.around(tx, t)
	if err != nil {
		return nil, err
	}
	kinds, err := d.attached(tx, t)
	if err != nil {
		return nil, err
	}
	var reader *task.Actor // nil: of the past there is no reader
	now := tx.Current()
	if now != nil {
		a, _, err := s.Writer(ctx, now, p, t, nil)
		if err != nil {
			return nil, err
		}
		reader = &a
	}
	if err := d.standing(tx, reader, pol, t, kinds); err != nil {
		return nil, err
	}
	d.Warnings = slices.Concat(depWarnings(t, neighbours.Deps), partWarnings(t, neighbours.Children), failWarnings(t))
	if t.Evidences > 0 {
		d.Warnings = append(d.Warnings, words.Each(proven.FallenOf(d.Evidence), proven.Fallen.Words)...)
		task.Doubted(d.Evidence, t.Criteria)
	}
	if err := d.sentBack(tx, t); err != nil {
		return nil, err
	}
	if err := d.history(tx, t); err != nil {
		return nil, err
	}
	if d.Gate != nil && !d.Gate.Defined {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the gate %s is defined nowhere: %s cannot be done until it is", d.Gate.Name, t.ID))
	}
	if now != nil {
		if err := d.today(now, s, p, t); err != nil {
			return nil, err
		}
		if d.Closable, err = closable(now, *reader, pol, t); err != nil {
			return nil, err
		}
	}
	return d, d.overlaps(ctx, tx, t)
}

// closable says whether the caller could close an open task now, by the rules of the move.
func closable(tx *store.Tx, a task.Actor, pol task.Policy, t *task.Task) (*Closable, error) {
	if t.Status.Closed() {
		return nil, nil
	}
	left, _, err := policy.Obstacles(tx, a, pol, policy.Asked{Task: t})
	if err != nil {
		return nil, err
	}
	out := &Closable{Missing: left.Missing(), Brief: left.Brief(), New: len(left.Record) > 0 || !left.Closing.Empty()}
	if err := t.CheckHold(a, tx.Now()); err != nil {
		held := fault.Of(err).Message
		out.Missing, out.Brief = slices.Insert(out.Missing, 0, held), slices.Insert(out.Brief, 0, held)
	}
	out.Yes = len(out.Missing) == 0
	if a.Holds(t.Claim) {
		out.How = hint.Advice(left.Ending(t.ID, pol))
	}
	return out, nil
}

// sentBack warns of ticks that are from before an open task was returned or reopened.
func (d *Draft) sentBack(tx store.View, t *task.Task) error {
	if t.Status.Closed() || !slices.ContainsFunc(t.Criteria, func(c task.Criterion) bool { return c.Checked }) {
		return nil
	}
	back, err := policy.SentBack(tx, t)
	if older := back.Older(t.Criteria).Words(); older != "" {
		d.Warnings = append(d.Warnings, older)
	}
	return err
}

// today adds what is only known about the present: where the work is, what it changed, and the guidance of the claim.
func (d *Draft) today(tx *store.Tx, s *core.Env, p *task.Project, t *task.Task) (err error) {
	if t.Status == task.Done {
		err = d.landed(tx, t)
	}
	if err == nil && (t.Status == task.Done || t.Status == task.InReview) {
		if d.Changed, err = tx.Changed(t); err == nil {
			d.LaterWork, err = tx.Later(t, d.Changed)
		}
	}
	if err == nil && p.Workspaces > 0 {
		err = d.place(tx, t)
	}
	if err == nil && t.Claim != nil && s.Guide != nil && len(d.settings.Context.Track) > 0 {
		d.guided, err = tx.Guided(t.ID)
	}
	return err
}

// around reads the tasks around one, in few queries.
func (d *Draft) around(tx store.View, t *task.Task) (query.Neighbours, error) {
	if t.Parent != "" {
		up, bodied, err := tx.Ancestry(t.ID, maxListed+1, core.PageBytes)
		if err != nil {
			return query.Neighbours{}, err
		}
		if len(up) > maxListed {
			d.Omit("ancestors", 0, hint.Show(up[maxListed].ID))
			up = up[:maxListed]
		}
		if bodied < len(up) {
			d.Omit("ancestors.body", len(up)-bodied, hint.Show(up[bodied].ID))
		}
		for _, a := range up {
			d.Ancestors = append(d.Ancestors, Ancestor{ID: a.ID, Title: a.Title, Status: a.Status, Body: a.Body})
		}
	}
	neighbours, err := tx.Neighbours(t, maxListed+1)
	if err != nil {
		return neighbours, err
	}
	if len(neighbours.Deps) < min(len(t.Deps), maxListed) {
		return neighbours, fault.New(fault.Internal, "%s refers to a task that does not exist", t.ID).WithHint("check the database: %s", hint.Doctor())
	}
	d.Children = d.briefs("children", neighbours.Children, 0, hint.Children)
	if d.Deps, err = outcomes(tx, d.briefs("deps", neighbours.Deps, len(t.Deps), hint.Deps), neighbours.Deps); err != nil {
		return neighbours, err
	}
	d.Dependents = d.briefs("dependents", neighbours.Dependents, 0, hint.Dependents)
	return neighbours, nil
}

// briefs returns the first of the tasks around one. total is how many there are, or 0 if not counted, and fetch makes the
// call that lists all of them.
func (d *Draft) briefs(part string, all []*task.Task, total int, fetch func(task.ID) hint.Call) []Brief {
	if len(all) > maxListed {
		d.Omit(part, max(0, total-maxListed), fetch(d.Task.ID))
		all = all[:maxListed]
	}
	out := make([]Brief, len(all))
	for i, t := range all {
		out[i] = BriefOf(t)
	}
	return out
}

// older records what is left out of a part that lists only its newest items, unless reading it failed. The log has the
// rest, beginning with its first event, a page at a time: the next page begins after the id of the last event.
func (d *Draft) older(tx store.View, failed error, part string, total, listed int, kind task.Kind) error {
	if failed != nil || total <= listed {
		return failed
	}
	start, err := tx.LogStart()
	if err == nil {
		d.Omit(part, total-listed, hint.AllOfKind(d.Task.ID, kind, start.First))
	}
	return err
}

// attached reads the annotations of a task, and returns the kinds of its evidence.
func (d *Draft) attached(tx store.View, t *task.Task) (kinds []string, err error) {
	if t.Notes > 0 {
		d.Notes, err = tx.Notes(t.ID, maxListed)
		err = d.older(tx, err, "notes", t.Notes, len(d.Notes), task.NoteAdded)
	}
	if err == nil && t.Evidences > 0 {
		d.Evidence, kinds, err = tx.NewestEvidence(t.ID, maxListed)
		err = d.older(tx, err, "evidence", t.Evidences, len(d.Evidence), task.EvidenceAdded)
	}
	if err == nil && t.Approvals > 0 {
		d.Approvals.Given, err = tx.Approvals(t.ID)
	}
	if err == nil && t.QuestionCount > 0 {
		var total int
		d.Questions, total, err = tx.Questions(t.ID, maxListed)
		err = d.older(tx, err, "questions", total, len(d.Questions), task.QuestionAsked)
	}
	if err == nil && t.Decisions > 0 {
		d.Decisions, err = tx.Decisions(t.ID, maxListed)
		err = d.older(tx, err, "decisions", t.Decisions, len(d.Decisions), task.DecisionRecorded)
	}
	if err == nil && t.BindingCount > 0 {
		d.Bindings, err = tx.Bindings(t.ID)
	}
	return kinds, err
}

// standing adds what the task's gate and approvals still require.
func (d *Draft) standing(tx store.View, reader *task.Actor, pol task.Policy, t *task.Task, kinds []string) error {
	required := pol.RequiredOfAgents(t)
	d.Approvals.Required = needs(required)
	d.Approvals.Missing = needs(task.MissingApprovals(required, d.Approvals.Given))
	given := len(d.Approvals.Given)
	if err := d.older(tx, nil, "approvals.given", given, min(given, maxListed), task.ApprovalGiven); err != nil {
		return err
	}
	d.Approvals.Given = d.Approvals.Given[max(0, given-maxListed):]
	if t.Gate == "" {
		return nil
	}
	return d.gate(tx, reader, pol, t, kinds)
}

// gate adds what the task's gate asks for: what is missing if the reader closes the task, and, for every reader, which runs
// do not count if an agent does.
func (d *Draft) gate(tx store.View, reader *task.Actor, pol task.Policy, t *task.Task, kinds []string) error {
	var own, agents proven.Terms
	var err error
	if reader != nil && t.Evidences > 0 && !t.Status.Closed() {
		if own, err = policy.TermsFor(tx, t, *reader, pol); err != nil {
			return err
		}
		if agents = own; reader.Person() {
			if agents, err = policy.AgentTerms(tx, t, pol); err != nil {
				return err
			}
		}
	}
	requires, defined := pol.GateFor(t.Gate)
	d.Gate = &GateState{Name: string(t.Gate), Defined: defined, Requires: requires}
	weigh := func(p task.Policy) {
		missing, _ := p.MissingEvidence(t.Gate, proven.Counted(policy.AskedBy(t, p, own), kinds, d.Evidence).Kinds)
		counts := proven.Counted(policy.AskedBy(t, p, agents), kinds, d.Evidence)
		d.Gate.Missing, d.Gate.Why, d.Gate.Met = appendNew(d.Gate.Missing, missing), appendNew(d.Gate.Why, counts.Why), appendNew(d.Gate.Met, counts.Met)
	}
	weigh(pol)
	if pol.Record != nil {
		weigh(*pol.Record)
	}
	if proven.Asks(d.Gate.Missing) || len(d.Gate.Why) > 0 {
		d.Gate.Run = task.Opt(hint.ProveGate(t.ID).String())
	}
	return nil
}

// appendNew appends what the list does not have.
func appendNew[T comparable](list, more []T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

func needs(required []task.Requirement) []Need {
	out := make([]Need, len(required))
	for i, r := range required {
		out[i] = Need{Kind: cmp.Or(r.Kind, task.KindApproval), Role: task.Opt(r.Role), Actor: task.Opt(r.Actor), Reason: task.Opt(r.Reason)}
	}
	return out
}

// overlaps warns if a task that somebody else holds touches the same paths, and if not all held tasks could be compared.
// What the task waits for is finished before it, so it is in nobody's way.
func (d *Draft) overlaps(ctx context.Context, tx store.View, t *task.Task) error {
	if len(t.Touches) == 0 || t.Status.Closed() {
		return nil
	}
	held, err := core.TouchingAs(tx, t, glob.NewBudget(core.CompareSteps))
	if err != nil {
		return err
	}
	const limit = 10
	all := held.Overlapped(ctx, t, func(h *task.Task, why string) bool {
		if slices.Contains(t.Deps, h.ID) {
			return true
		}
		var own bool
		if own, err = heldByCaller(ctx, tx, h); own || err != nil {
			return err == nil
		}
		d.Warnings = append(d.Warnings, fmt.Sprintf("its touches overlap those of %s, %s: %s", h.ID, h.Claim, why))
		return len(d.Warnings) < limit
	})
	if err == nil && !all {
		d.Warnings = append(d.Warnings, "its touches were not compared with those of every held task: there are too many, or their globs are too complex")
	}
	return err
}

// heldByCaller reports whether the caller holds the task, or acts for the instance that does. Of an earlier moment nobody
// knows.
func heldByCaller(ctx context.Context, tx store.View, t *task.Task) (bool, error) {
	now := tx.Current()
	if now == nil {
		return false, nil
	}
	a, err := core.ActingFor(ctx, now, t, core.CallerOf(ctx).Actor, nil)
	return a.Holds(t.Claim), err
}

// Finish completes a bundle with the guidance that this process sees, and cuts it to the budget: the request's own, or
// else the configured one. It reads files and counts tokens, so it runs after the snapshot, which others may be waiting
// for.
func (d *Draft) Finish(s *core.Env, budget int) error {
	if d == nil {
		return nil
	}
	if len(d.settings.Context.Track) > 0 {
		d.guide(s)
	}
	limit := Limit(budget, d.settings.Config)
	if limit == 0 {
		return nil
	}
	return d.Cut(limit, d.keep...)
}

// Limit returns where a bundle is cut, in tokens: the request's own budget, else agentDefaults.budget, else
// context.bundleBudget, else 0 for no cut.
func Limit(request int, c *config.Config) int {
	return cmp.Or(max(request, 0), c.AgentDefaults.Budget, c.Context.BundleBudget)
}

// maxHosts limits how many workspaces of one task are read: it has one per machine.
const maxHosts = 100

// landed warns about a done task whose work was not on its base when somebody last looked.
func (d *Draft) landed(tx *store.Tx, t *task.Task) error {
	found, err := workspace.Landings(tx, []*task.Task{t})
	if l := found[t.ID]; err == nil && l != nil {
		if d.FoundOn = l.FoundOn(); l.Words() != "" {
			d.Warnings = append(d.Warnings, "not landed: "+l.Words())
		}
	}
	return err
}

// place adds the workspace of a task that was opened last, and tells the worker where earlier work is.
func (d *Draft) place(tx *store.Tx, t *task.Task) error {
	all, err := workspace.Find(tx, workspace.Query{Task: t.ID}, maxHosts)
	if err != nil || len(all) == 0 {
		return err
	}
	newest := slices.MaxFunc(all, func(a, b *workspace.Workspace) int { return cmp.Compare(a.OpenedAt, b.OpenedAt) })
	d.Workspace = workspaceOf(newest, t, tx.Now())
	for _, w := range all {
		if w.Fence != 0 && t.Claim != nil && t.Claim.Fence != w.Fence {
			d.Warnings = append(d.Warnings, fmt.Sprintf("earlier work on it is in %s on %s, opened by %s", w.Path, w.Host, w.OpenedBy))
		}
	}
	return nil
}

// maxWorkspaces limits how many workspaces of a project are read for a list of tasks.
const maxWorkspaces = 10_000

// workspaceOf returns a workspace as readers see it, next to its task.
func workspaceOf(w *workspace.Workspace, t *task.Task, now task.Time) *Workspace {
	out := &Workspace{
		Path: w.Path, Host: w.Host, Branch: task.Opt(w.Branch), Base: task.Opt(w.Base), Ports: append([]int{}, w.Ports...),
		State: string(w.StateWith(t, now)), OpenedAt: w.OpenedAt,
	}
	if s := w.Seen; s != nil {
		out.Dirty, out.Ahead, out.Behind, out.Landed, out.Pushed, out.CheckedAt = &s.Dirty, &s.Ahead, &s.Behind, &s.Landed, &s.Pushed, s.CheckedAt
	}
	return out
}

// Workspaces returns the workspaces of the tasks of a project, by task: the one that was opened last. held lists the
// tasks that somebody holds; the others are shown as if nobody held them.
func Workspaces(tx store.View, p *task.Project, held []*task.Task) (map[task.ID]*Workspace, error) {
	now := tx.Current()
	if now == nil || p.Workspaces == 0 || len(held) == 0 {
		return nil, nil
	}
	all, err := workspace.Find(now, workspace.Query{Project: p.Slug}, maxWorkspaces)
	if err != nil {
		return nil, err
	}
	newest := make(map[task.ID]*workspace.Workspace, len(all))
	for _, w := range all {
		if n := newest[w.Task]; n == nil || w.OpenedAt > n.OpenedAt {
			newest[w.Task] = w
		}
	}
	out := make(map[task.ID]*Workspace, len(held))
	for _, t := range held {
		if w := newest[t.ID]; w != nil {
			out[t.ID] = workspaceOf(w, t, tx.Now())
		}
	}
	return out, nil
}

// RecentWindow is how many of a task's events are searched for what happened since its claim.
const RecentWindow = 200

// ChangedSince returns a warning if the events, oldest first, include a change of the record by anybody except the holder
// since the newest claim.
func ChangedSince(id task.ID, holder string, events []task.Event) []string {
	var who, what []string
	for _, e := range slices.Backward(events) {
		if e.Kind == task.TaskClaimed {
			break
		}
		how := changesRecord[e.Kind]
		if how == "" || oneActor(e.Actor, holder) {
			continue
		}
		if !slices.Contains(who, e.Actor) {
			who = append(who, e.Actor)
		}
		if !slices.Contains(what, how) {
			what = append(what, how)
		}
	}
	if who == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s changed since it was claimed by %s: by %s (%s)", id, holder, strings.Join(who, ", "), strings.Join(what, ", "))}
}

// oneActor reports whether two names belong to the same actor: a name without an instance may act for any of its
// instances.
func oneActor(a, b string) bool {
	name, instance, _ := strings.Cut(a, "/")
	other, also, _ := strings.Cut(b, "/")
	return name == other && (instance == also || instance == "" || also == "")
}

// changesRecord has one word for how an event of a kind changes the record of its task; other kinds do not change it.
var changesRecord = map[task.Kind]string{
	task.TaskUpdated: "edited", task.TaskMoved: "moved", task.CriterionChecked: "ticked", task.CriterionUnchecked: "unticked",
}

// depWarnings returns warnings about dependencies in a state that a worker would not expect.
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
		out = append(out, fmt.Sprintf("cancelled, not done, and counted as closed: %s", words.Some(cancelled, len(cancelled))))
	}
	if len(open) > 0 && t.Claim != nil {
		out = append(out, fmt.Sprintf("%s waits again for %s, reopened while %s holds it", t.ID, words.Some(open, len(open)), t.Claim.Actor))
	}
	return out
}

// partWarnings warns the holder of a task that it has open parts: a child was reopened or added, or the task was claimed
// in spite of them.
func partWarnings(t *task.Task, children []*task.Task) []string {
	if t.Claim == nil || t.Parts == 0 {
		return nil
	}
	var open []task.ID
	for _, c := range children {
		if !c.Status.Closed() && !c.InCircle {
			open = append(open, c.ID)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s waits for parts that are open while %s holds it: %s", t.ID, t.Claim.Actor, words.Some(open, t.Parts))}
}

// failWarnings warns the worker that a task keeps failing.
func failWarnings(t *task.Task) []string {
	if t.Failing == 0 {
		return nil
	}
	return []string{waiting.FailedTimes(t.Failures) + "; find out why before you try the same again"}
}
