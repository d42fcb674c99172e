package planning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/plan"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// ApplyIn is a plan to apply.
type ApplyIn struct {
	Doc    *plan.Document
	DryRun bool `query:"dryRun" about:"say what would change, and change nothing"`
	Prune  bool `query:"prune" about:"cancel what an earlier document made and this one leaves out: open, not held, bound to nothing"`
	// Pin is the pin that a dry run with Prune returned: nothing is written if the tasks to be cancelled are not
	// the ones that it showed.
	Pin string `query:"pin" about:"with prune: the pin of a dry run; refused where it would cancel other tasks than that showed"`
}

// ApplyOut is what a plan changed, or would change.
type ApplyOut struct {
	Project        string `json:"project"`
	ProjectCreated bool   `json:"projectCreated"`
	// ProjectChanges lists what changed in the project itself: its name, vision and gates.
	ProjectChanges   map[string]task.Delta `json:"projectChanges"`
	DryRun           bool                  `json:"dryRun"`
	Created          []Ref                 `json:"created"`
	Updated          []Changed             `json:"updated"`
	Unchanged        []Ref                 `json:"unchanged"`
	Unmentioned      []Ref                 `json:"unmentioned"` // the first plan.MaxUnmentioned
	UnmentionedTotal int                   `json:"unmentionedTotal"`
	Pruned           []Ref                 `json:"pruned"` // cancelled, with prune
	Pin              task.Opt              `json:"pin"`    // identifies exactly these tasks
	Held             []Ref                 `json:"held"`
	Warnings         []string              `json:"warnings"`
}

// Differs reports whether the plan changed anything, or would.
func (out ApplyOut) Differs() bool {
	return out.ProjectCreated || len(out.ProjectChanges) > 0 || len(out.Created) > 0 || len(out.Updated) > 0 || len(out.Pruned) > 0
}

// Ref is a task's key and id; the id is null for a task that a dry run would create.
type Ref struct {
	Key string   `json:"key"`
	ID  task.Opt `json:"id"`
}

// Changed is a Ref with what changed.
type Changed struct {
	Key     string                `json:"key"`
	ID      task.Opt              `json:"id"`
	Changes map[string]task.Delta `json:"changes"`
}

// taskBytes is about how many bytes a task of a plan takes while it is compared and written, not counting its texts.
const taskBytes = 2700

// Bytes returns about how many bytes the plan takes while it is applied, not counting its texts.
func (in ApplyIn) Bytes() int64 {
	if in.Doc == nil {
		return 0
	}
	return int64(len(in.Doc.Tasks)) * taskBytes
}

// DecodeBody reads the plan document. Faults that leave it readable are reported by Apply, together with all others.
func (in *ApplyIn) DecodeBody(src []byte) (err error) {
	in.Doc, err = plan.Read(src)
	return err
}

// EncodeBody writes the plan document.
func (in ApplyIn) EncodeBody() ([]byte, error) { return in.Doc.Marshal() }

// BodySchema returns the schema of the body.
func (in ApplyIn) BodySchema() strict.Members { return plan.DocumentSchema() }

// Apply brings the project in line with the plan, all of it or nothing. It compares in a snapshot, and takes a turn only
// to write. If somebody wrote in between it compares again, in the end within the turn. A plan that changes nothing
// writes nothing.
func (s *Service) Apply(ctx context.Context, in ApplyIn) (ApplyOut, error) {
	if in.Doc == nil {
		return ApplyOut{}, fault.Bad("there is no plan").WithHint("%s prints one to start from", hint.Command("apply --example"))
	}
	out, err := compareAndWrite(ctx, s.Env,
		func(tx *store.Tx) (*prepared, error) { return s.prepare(ctx, tx, in, &prepared{}) },
		func(tx *store.Tx, prep *prepared) (ApplyOut, error) { return s.carryOut(tx, prep) },
		func(prep *prepared) (ApplyOut, bool) { return prep.out, prep.answered })
	if err == nil && !out.DryRun {
		s.HearOf(ctx, out.Project)
	}
	return out, err
}

// compareAndWrite prepares a plan in a snapshot and writes it in a turn. If somebody wrote in between, it prepares again,
// in the end within the turn.
func compareAndWrite[P, Out any](ctx context.Context, env *core.Env, prepare func(*store.Tx) (P, error),
	carryOut func(*store.Tx, P) (Out, error), answer func(P) (Out, bool),
) (Out, error) {
	const tries = 3
	var none Out
	for range tries {
		prep, err := core.Read(ctx, env, prepare)
		if err != nil {
			return none, err
		}
		if out, answered := answer(prep); answered {
			return out, nil
		}
		out, err := core.WriteAlone(ctx, env, func(tx *store.Tx) (Out, error) { return carryOut(tx, prep) })
		if !fault.Is(err, fault.Conflict) {
			return out, err
		}
	}
	return core.WriteAlone(ctx, env, func(tx *store.Tx) (Out, error) {
		prep, err := prepare(tx)
		if err != nil {
			return none, err
		}
		if out, answered := answer(prep); answered {
			return out, nil
		}
		return carryOut(tx, prep)
	})
}

// prepared is a plan that was compared and accepted.
type prepared struct {
	before   *task.Project // nil: a new project
	actor    task.Actor    // the caller, as the project knows it
	policy   task.Policy   // the policy once the plan's gates apply
	diff     *plan.Diff
	moved    map[task.ID]task.ID // see plan.State
	out      ApplyOut
	answered bool // there is nothing to write
	prune    []*task.Task
	lenient  bool // a declined move is left out
	declined []declined
}

// after returns the project as the plan leaves it.
func (p *prepared) after() *task.Project { return cmp.Or(p.diff.ProjectAfter, p.before) }

// declined is a move that a lenient plan leaves out, and why.
type declined struct {
	task *task.Task
	to   task.Status
	why  *fault.Error
}

// prepare compares the plan with what is stored, and reports everything that prevents it in one refusal.
func (s *Service) prepare(ctx context.Context, tx *store.Tx, in ApplyIn, prep *prepared) (*prepared, error) {
	idem := core.CallerOf(ctx).Idem
	if idem != nil && !in.DryRun {
		replayed, err := core.Replay(tx, *idem, &prep.out)
		if err != nil || replayed {
			prep.answered = replayed
			return prep, err
		}
	}
	st, a, err := s.state(ctx, tx, in.Doc)
	if err != nil {
		return nil, err
	}
	prep.before, prep.policy, prep.actor, prep.moved = st.Project, st.Policy, a, st.Moved
	if prep.diff, err = plan.Compare(in.Doc, st, a); err != nil {
		return nil, err
	}
	if err := encircled(tx, prep.diff.Circles, a, st.Policy); err != nil {
		return nil, err
	}
	if err := s.record(ctx, tx, prep); err != nil {
		return nil, err
	}
	if prep.diff.ProjectAfter != nil {
		if prep.policy, err = s.Policy(tx, prep.diff.ProjectAfter); err != nil {
			return nil, err
		}
	}
	overridden, err := s.overriddenGates(prep.after(), in.Doc.Gates.Value, prep.policy)
	if err != nil {
		return nil, err
	}
	prep.diff.Warnings = append(prep.diff.Warnings, overridden...)
	if !core.CallerOf(ctx).AtCommand() {
		unrun, err := policy.RunNowhere(s.Env, prep.after(), in.Doc.Gates.Value)
		if err != nil {
			return nil, err
		}
		prep.diff.Warnings = append(prep.diff.Warnings, unrun...)
	}
	if err := warnOfLeft(tx, prep.diff); err != nil {
		return nil, err
	}
	moves, err := s.transitions(tx, prep)
	if err != nil {
		return nil, err
	}
	prep.leaveOut(moves)
	prep.diff.Warnings = append(prep.diff.Warnings, unseen(moves)...)
	if in.Prune {
		if err := s.prunable(tx, in.Doc, prep); err != nil {
			return nil, err
		}
	}
	prep.out = applyOut(prep.diff, in.DryRun)
	for _, t := range prep.prune {
		prep.out.Pruned = append(prep.out.Pruned, Ref{Key: t.Key, ID: task.Opt(t.ID)})
	}
	if in.Prune {
		prep.out.Pin = pinOf(prep.out.Pruned)
	}
	if err := checkPin(in, prep.out); err != nil {
		return nil, err
	}
	prep.answered = in.DryRun || prep.diff.Empty() && len(prep.prune) == 0 && idem == nil
	return prep, nil
}

// unseen says which tasks an agent's plan closes although nobody knows whether their runs are stale: a plan comes without a
// tree of files.
func unseen(moves map[int]task.Moved) []string {
	var ids []string
	for _, i := range slices.Sorted(maps.Keys(moves)) {
		if moves[i].Unseen {
			ids = append(ids, string(moves[i].After.ID))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return []string{words.Some(ids, len(ids)) + ": " + task.UnknownWords}
}

// state returns what is stored about the plan's project, and the caller as the project knows it.
func (s *Service) state(ctx context.Context, tx *store.Tx, doc *plan.Document) (st plan.State, a task.Actor, err error) {
	st.Now = tx.Now()
	p, err := stored(tx, doc.Project)
	switch {
	case fault.Is(err, fault.NotFound) && !core.CallerOf(ctx).Scope.Covers(doc.Project):
		return st, a, err // this caller must not learn whether it exists
	case fault.Is(err, fault.NotFound):
		a, st.Policy, err = s.Rules(ctx, tx, &task.Project{Slug: doc.Project})
		return st, a, err
	case err != nil:
		return st, a, err
	}
	if err := core.Writable(p); err != nil {
		return st, a, err
	}
	st.Project = p
	if a, st.Policy, err = s.Rules(ctx, tx, p); err != nil {
		return st, a, err
	}
	st.Open, st.Rest = p.Tasks.Left(), restOf(tx, p)
	if doc.Gates.Set {
		if st.Gated, err = tx.GatesNamed(p.Slug); err != nil {
			return st, a, err
		}
	}
	if st.Tasks, st.Moved, err = mentioned(tx, doc); err != nil {
		return st, a, err
	}
	if st.Evidence, err = known(tx, doc, st.Tasks); err != nil {
		return st, a, err
	}
	st.Foreign, err = s.foreign(tx, p, st.Tasks)
	return st, a, err
}

// mentioned returns the stored tasks that a plan mentions, by number: the tasks it defines, with bodies and dependencies,
// and the tasks it only refers to, with just their names. It also returns what ids from before a rename or a merge are
// now.
func mentioned(tx *store.Tx, doc *plan.Document) ([]*task.Task, map[task.ID]task.ID, error) {
	keys, names, ids := doc.Mentions()
	tasks, err := wholeByKeys(tx, doc.Project, keys)
	if err != nil {
		return nil, nil, err
	}
	refs, err := tx.Refs(doc.Project, names, ids)
	if err != nil {
		return nil, nil, err
	}
	moved, err := tx.Moved(doc.Project, unknown(names, refs))
	if err != nil {
		return nil, nil, err
	}
	if len(moved) > 0 {
		late, err := tx.Refs(doc.Project, nil, slices.Sorted(maps.Values(moved)))
		if err != nil {
			return nil, nil, err
		}
		refs = append(refs, late...)
	}
	have := task.ByID(tasks)
	for _, r := range refs {
		if have[r.ID] == nil {
			have[r.ID] = &task.Task{ID: r.ID, Key: r.Key}
			tasks = append(tasks, have[r.ID])
		}
	}
	slices.SortFunc(tasks, func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
	return tasks, moved, nil
}

// wholeByKeys returns the tasks of a project with some keys, with their bodies and dependencies.
func wholeByKeys(tx *store.Tx, project string, keys []string) ([]*task.Task, error) {
	tasks, err := tx.TasksByKeys(project, keys)
	if err == nil {
		err = tx.Fill(tasks...)
	}
	return tasks, err
}

// unknown returns the names that read like ids and are not the key of any task found.
func unknown(names []string, found []plan.Ref) []task.ID {
	keys := make(map[string]bool, len(found))
	for _, r := range found {
		keys[r.Key] = true
	}
	var out []task.ID
	for _, name := range names {
		if _, _, ok := task.ParseID(name); ok && !keys[name] {
			out = append(out, task.ID(name))
		}
	}
	return out
}

// restOf reads what the plan does not mention in its project.
func restOf(tx *store.Tx, p *task.Project) plan.Rest {
	project := p.Slug
	return plan.Rest{
		Ties:         tiesOf(tx, p),
		Tasks:        tx.TasksByID,
		CircledUnder: func(parents []task.ID) ([]query.Tie, error) { return tx.CircledUnder(project, parents) },
		Refs:         func(ids []task.ID) ([]plan.Ref, error) { return tx.Refs(project, nil, ids) },
		After: func(after task.ID, open bool, limit int) ([]plan.Ref, error) {
			return tx.RefsAfter(project, after, open, limit)
		},
	}
}

// known returns the stored evidence of the tasks that the plan has evidence for.
func known(tx *store.Tx, doc *plan.Document, tasks []*task.Task) ([]task.Evidence, error) {
	gives := map[string]bool{}
	for i := range doc.Tasks {
		gives[doc.Tasks[i].Key] = len(doc.Tasks[i].Evidence.Value) > 0
	}
	var ids []task.ID
	for _, t := range tasks {
		if t.Evidences > 0 && gives[t.Key] {
			ids = append(ids, t.ID)
		}
	}
	return tx.EvidenceOf(ids)
}

// overriddenGates warns about gates that the plan and the configuration define differently.
func (s *Service) overriddenGates(p *task.Project, gates map[string][]string, pol task.Policy) ([]string, error) {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		if slices.Equal(gates[name], pol.Gates[name]) {
			continue
		}
		force, err := policy.Gate(s.Env, p, pol, name)
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("gate %s: the document's %s is stored but not in force; %s says %s",
			name, policy.KindsOf(gates[name]), force.Where(), policy.KindsOf(pol.Gates[name])))
	}
	return out, nil
}

// transitions decides the moves that the plan asks for, by the index of their update. It returns all refusals as one.
func (s *Service) transitions(tx *store.Tx, prep *prepared) (map[int]task.Moved, error) {
	out := map[int]task.Moved{}
	var refused *fault.Error
	for i := range prep.diff.Update {
		u := &prep.diff.Update[i]
		if u.MoveTo == "" {
			continue
		}
		m, err := s.moveOf(tx, prep, u)
		switch {
		case fault.Is(err, fault.Declined) && prep.lenient:
			prep.declined = append(prep.declined, declined{u.Before, u.MoveTo, fault.Of(err)})
		case fault.Is(err, fault.Declined):
			refused = refuse(refused, fmt.Sprintf("tasks[%d].status", u.Index), fault.Of(err))
		case err != nil:
			return nil, err
		default:
			out[i] = m
		}
	}
	if refused != nil {
		return nil, refused
	}
	return out, nil
}

// refuse adds a refused move to the refusal of a plan: a line with its path, then what is missing, in the words of the
// move itself.
func refuse(all *fault.Error, path string, e *fault.Error) *fault.Error {
	const limit = 200
	if all == nil {
		all = fault.Decline("the plan moves a task that cannot move: %s", e.Message).
			WithHintOf(e, "; nothing was written")
	}
	for _, line := range append([]string{path + ": " + e.Message}, e.Missing...) {
		if len(all.Missing) < limit {
			all.Missing = append(all.Missing, line)
		}
	}
	return all
}

// applyOut returns the answer, with null ids for tasks that are not created yet.
func applyOut(d *plan.Diff, dryRun bool) ApplyOut {
	out := ApplyOut{
		Project: d.Project, ProjectCreated: d.ProjectCreated, DryRun: dryRun, Warnings: d.Warnings,
		Unchanged: refs(d.Unchanged), Held: refs(d.Held), ProjectChanges: d.ProjectChanges,
		Unmentioned: refs(d.Unmentioned), UnmentionedTotal: d.LeftOut,
	}
	for _, c := range d.Create {
		out.Created = append(out.Created, Ref{Key: c.Task.Key})
	}
	for i := range d.Update {
		u := &d.Update[i]
		out.Updated = append(out.Updated, Changed{Key: u.Before.Key, ID: task.Opt(u.Before.ID), Changes: u.Answer()})
	}
	return out
}

func refs(in []plan.Ref) []Ref {
	out := make([]Ref, len(in))
	for i, r := range in {
		out[i] = Ref{Key: r.Key, ID: task.Opt(r.ID)}
	}
	return out
}

// stored returns the project that a plan names, or nil. It does not query a name that no project can have, because it
// might not even be valid text for the database; the comparison reports it.
func stored(tx *store.Tx, slug string) (*task.Project, error) {
	if err := task.CheckSlug(slug); err != nil {
		return nil, fault.Missing("there is no project %q", slug).WithCause(err)
	}
	p, err := tx.Project(slug)
	if fault.Is(err, fault.NotFound) {
		if taken := tx.CheckSlugFree(slug, slug); taken != nil {
			return nil, taken
		}
	}
	return p, err
}
