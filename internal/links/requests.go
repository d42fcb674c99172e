package links

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/proven"
)

// RequestsIn is a portion of what was read from a code host. If it is empty, Requests looks again
// at the merged requests after After whose tasks are still open.
type RequestsIn struct {
	Project  string
	Requests []merge.Request
	Branches []Branch
	After    int64
	DryRun   bool
}

// Branch is a branch that tasks are bound to and that has no pull request.
type Branch struct {
	Ref   string // owner/name@branch
	State string // of the binding
}

// statusPair marks that a merge has closed its task or found it closed: if the task is opened
// again, the same merge does not close it again.
const statusPair = "status"

// Requests applies what a code host says to the tasks concerned: bindings, evidence of merges, and
// closing the task if the project asks for that, each task in a turn of its own. A task without
// changes takes no turn.
func (s *Service) Requests(ctx context.Context, in RequestsIn) (MergeOut, error) {
	var out MergeOut
	list, err := core.Read(ctx, s.Env, func(tx *store.Tx) (list []*landing, err error) {
		sc, err := s.writing(ctx, tx, in.Project)
		if err != nil {
			return nil, err
		}
		h, err := s.hosting(sc)
		if err != nil {
			return nil, err
		}
		if list, out.Next, err = h.landings(in); err != nil {
			return nil, err
		}
		for _, l := range list {
			if err := h.compare(l); err != nil {
				return nil, err
			}
		}
		return list, nil
	})
	if err != nil {
		return MergeOut{}, err
	}
	for _, l := range list {
		if !l.differs {
			if l.r != nil {
				out.Unchanged++
			}
			continue
		}
		if !in.DryRun {
			l, err = s.land(ctx, in.Project, l)
			if fault.Is(err, fault.NotFound) { // deleted in the meantime
				continue
			}
			if err != nil {
				return out, err
			}
		}
		if len(l.fields) > 0 {
			out.Updated = append(out.Updated, Updated{l.id, l.fields})
		}
		if l.why != "" {
			out.Warnings = append(out.Warnings, string(l.id)+": "+l.why)
		}
	}
	return out, nil
}

// hosting is the context for deciding what a code host's news change.
type hosting struct {
	*scene
	s      *Service
	prefix string // of branches
	repos  []string
	auto   bool // a merge closes its task
}

func (s *Service) hosting(sc *scene) (*hosting, error) {
	eff, err := s.Settings.Effective(sc.p)
	if err != nil {
		return nil, err
	}
	host := eff.Integrations.CodeHost
	return &hosting{scene: sc, s: s, prefix: eff.BranchPrefix(), repos: host.Repos, auto: host.AutoCloseOnMerge}, nil
}

// landing is what a code host changes about one task.
type landing struct {
	id      task.ID
	r       *merge.Request // nil: nothing new was read
	ref     string         // of the pull request or branch
	state   string         // of the binding
	propose bool           // only the title names the task

	t        *task.Task
	b        *task.Binding // nil: to be made
	basis    merge.Basis
	evidence []task.EvidenceItem
	close    *task.Moved
	landed   bool   // the merge has closed the task or found it closed
	name     string // of the notice
	why      string // of the notice; empty: no notice
	noticed  bool   // the notice changes
	fields   []string
	differs  bool
}

// landings returns the tasks that a portion is about. Requests of a repository that is not listed are
// about no task.
func (h *hosting) landings(in RequestsIn) (out []*landing, next int64, err error) {
	for _, b := range in.Branches {
		bound, err := linkdb.BindingsTo(h.tx, h.p.Slug, merge.CodeHost, b.Ref)
		if err != nil {
			return nil, 0, err
		}
		for _, to := range bound {
			out = append(out, &landing{id: to.Task, ref: b.Ref, state: b.State})
		}
	}
	for i := range in.Requests {
		r := &in.Requests[i]
		if !slices.Contains(h.repos, r.Repo) {
			continue
		}
		some, err := h.of(r)
		if err != nil {
			return nil, 0, err
		}
		out = append(out, some...)
	}
	if len(in.Branches)+len(in.Requests) > 0 {
		return out, 0, nil
	}
	page, err := linkdb.BindingsIn(h.tx, h.p.Slug, merge.CodeHost, in.After, portion)
	if err != nil {
		return nil, 0, err
	}
	for _, b := range page {
		if b.Kind == "pull_request" && b.State == merge.RequestMerged {
			out = append(out, &landing{id: b.Task, ref: b.Ref, state: merge.RequestMerged})
		}
	}
	if len(page) == portion {
		next = page[portion-1].ID
	}
	return out, next, nil
}

// of returns the tasks that a request is about: bound to it or to its branch, named by it, or only
// mentioned.
func (h *hosting) of(r *merge.Request) (out []*landing, err error) {
	ids := []task.ID{}
	add := func(id task.ID, ref string, propose bool) {
		if ref == r.Ref() {
			if slices.Contains(ids, id) {
				return
			}
			ids = append(ids, id)
		}
		out = append(out, &landing{id: id, r: r, ref: ref, state: r.State, propose: propose})
	}
	for _, ref := range []string{r.Ref(), r.BranchRef()} {
		bound, err := linkdb.BindingsTo(h.tx, h.p.Slug, merge.CodeHost, ref)
		if err != nil {
			return nil, err
		}
		for _, b := range bound {
			if add(b.Task, r.Ref(), false); ref != r.Ref() {
				add(b.Task, ref, false)
			}
		}
	}
	there := func(list []task.ID, propose bool) error {
		for _, id := range list {
			_, err := h.tx.Task(id)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			add(id, r.Ref(), propose)
		}
		return nil
	}
	if err := there(r.Named(h.p.Slug, h.prefix), false); err != nil {
		return nil, err
	}
	if r.State == merge.RequestClosed { // nobody has to decide about it any more
		return out, nil
	}
	return out, there(r.Mentioned(h.p.Slug), true)
}

// compare computes what a landing changes.
func (h *hosting) compare(l *landing) (err error) {
	*l = landing{id: l.id, r: l.r, ref: l.ref, state: l.state, propose: l.propose}
	if l.t, err = h.tx.Task(l.id); err != nil {
		return err
	}
	if l.propose {
		return h.propose(l)
	}
	bound, err := h.tx.Bindings(l.id)
	if err != nil {
		return err
	}
	l.basis.Pairs = map[string]merge.Pair{}
	if i := slices.IndexFunc(bound, func(b task.Binding) bool { return b.System == merge.CodeHost && b.Ref == l.ref }); i >= 0 {
		l.b = &bound[i]
		if l.basis, err = linkdb.Basis(h.tx, l.b.ID); err != nil {
			return err
		}
	}
	request := l.r != nil && l.ref == l.r.Ref()
	switch {
	case l.b == nil && !request:
		return nil // removed in the meantime
	case request && l.r.Updated < l.basis.Seen:
		return nil // an older copy is not news
	case l.b == nil || string(l.b.State) != l.state:
		l.fields, l.differs = []string{"binding"}, true
	case l.b.SyncedAt == 0:
		l.differs = true
	}
	if request {
		l.differs = l.differs || l.basis.Seen != l.r.Updated
		if l.evidence, err = h.unknown(l); err != nil {
			return err
		}
	}
	if len(l.evidence) > 0 {
		l.fields, l.differs = append(l.fields, "evidence"), true
	}
	if l.state == merge.RequestMerged && (request || l.r == nil) {
		return h.settle(l, bound)
	}
	return nil
}

// propose decides whether to notify people that a request names a task.
func (h *hosting) propose(l *landing) error {
	l.name = merge.ProposedName(l.ref)
	had, err := linkdb.Notice(h.tx, l.id, l.name)
	if err != nil || had != "" || l.t.Status.Closed() {
		return err
	}
	l.why, l.noticed, l.differs = l.r.ProposedWhy(l.id), true, true
	return nil
}

// unknown returns the evidence of a request that the task does not have yet.
func (h *hosting) unknown(l *landing) ([]task.EvidenceItem, error) {
	items := l.r.Evidence()
	if len(items) == 0 || l.t.Evidences == 0 {
		return items, nil
	}
	have, err := h.tx.Evidence(l.id)
	return slices.DeleteFunc(items, func(e task.EvidenceItem) bool {
		return slices.ContainsFunc(have, func(h task.Evidence) bool { return h.Kind == e.Kind && h.Value == e.Value })
	}), err
}

// settle decides whether a merge closes its task, and what the notice says if it does not.
func (h *hosting) settle(l *landing, bound []task.Binding) error {
	if _, settled := l.basis.Pairs[statusPair]; settled {
		return nil
	}
	l.name = merge.NoticeMerged
	had, err := linkdb.Notice(h.tx, l.id, l.name)
	if err != nil {
		return err
	}
	var missing []string
	if !l.t.Status.Closed() {
		if missing, err = h.missing(l, bound); err != nil {
			return err
		}
	}
	if l.close != nil {
		l.fields = append(l.fields, "status")
	}
	if l.close != nil || l.t.Status.Closed() {
		l.landed, l.differs, l.noticed = true, true, had != ""
		return nil
	}
	l.why = merge.MergedWhy(mergedRefs(bound, l.ref), missing)
	l.noticed = had != l.why
	l.differs = l.differs || l.noticed
	return nil
}

// mergedRefs returns every merged request of a task: one notice covers all of them.
func mergedRefs(bound []task.Binding, now string) []string {
	refs := []string{now}
	for _, b := range bound {
		if b.System == merge.CodeHost && b.Kind == "pull_request" && b.State == merge.RequestMerged && b.Ref != now {
			refs = append(refs, b.Ref)
		}
	}
	slices.Sort(refs)
	return refs
}

// missing returns what keeps a task from being done by a merge. If nothing does and the project
// asks for it, it puts the move into the landing.
func (h *hosting) missing(l *landing, bound []task.Binding) (out []string, err error) {
	for _, b := range bound {
		if b.System == merge.CodeHost && b.Kind == "pull_request" && b.Ref != l.ref && b.State != merge.RequestMerged && b.State != merge.RequestClosed {
			out = append(out, b.Ref+" is not merged yet")
		}
	}
	if err := h.tx.Fill(l.t); err != nil {
		return nil, err
	}
	have, err := policy.Standing(h.tx, l.t, h.actor, h.policy, task.Done, l.evidence, false, proven.Terms{})
	if err != nil {
		return nil, err
	}
	out = append(out, l.t.Obstacles(h.policy, have).Missing()...)
	if !h.auto || len(out) > 0 {
		return out, nil
	}
	m, err := policy.Move(h.tx, h.actor, h.policy, policy.Asked{
		Task: l.t, Move: task.Move{To: task.Done, Elsewhere: true}, Evidence: l.evidence,
	})
	switch e := fault.Of(err); {
	case err == nil:
		l.close = &m
		return nil, nil
	case e.Kind != fault.Declined:
		return nil, err
	case len(e.Missing) > 0:
		return e.Missing, nil
	default:
		return []string{e.Message}, nil
	}
}

// land carries out what a code host changes about one task.
func (s *Service) land(ctx context.Context, project string, of *landing) (*landing, error) {
	return write(ctx, s, project, func(tx *store.Tx, sc *scene) (*landing, error) {
		h, err := s.hosting(sc)
		if err != nil {
			return nil, err
		}
		l := *of
		if err := h.compare(&l); err != nil || !l.differs {
			return &l, err
		}
		return &l, l.save(tx)
	})
}

// save writes what a landing changes.
func (l *landing) save(tx *store.Tx) error {
	if !l.propose {
		if err := l.saveBinding(tx); err != nil {
			return err
		}
	}
	if len(l.evidence) > 0 {
		if _, err := tx.AddEvidence(l.t, l.evidence); err != nil {
			return err
		}
	}
	if l.close != nil {
		after := l.close.After
		after.Version = l.t.Version + 1
		if err := tx.Save(task.Change{Before: l.t, After: after, Events: core.MoveEvents(l.t, *l.close)}); err != nil {
			return err
		}
	}
	if !l.noticed {
		return nil
	}
	return linkdb.SaveNotice(tx, l.id, l.name, l.why, task.Draft{Kind: task.SyncPulled, Payload: task.Payload{
		"system": merge.CodeHost, "ref": l.ref, "fields": task.Payload{}, "declined": l.why,
	}})
}

// saveBinding makes the binding if it is missing, and stores its last seen state.
func (l *landing) saveBinding(tx *store.Tx) error {
	if l.b == nil {
		b, err := linkdb.AddBinding(tx, l.t, task.Binding{System: merge.CodeHost, Kind: "pull_request", Ref: l.ref, URL: task.Opt(l.r.URL)})
		if err != nil {
			return err
		}
		l.b = &b
		if err := linkdb.SaveNotice(tx, l.id, merge.ProposedName(l.ref), ""); err != nil {
			return err
		}
	}
	var events []task.Draft
	if string(l.b.State) != l.state {
		events = append(events, task.Draft{Kind: task.SyncPulled, Payload: task.Payload{
			"system": merge.CodeHost, "ref": l.ref, "fields": task.Payload{"state": task.Delta{From: l.b.State, To: l.state}},
		}})
	}
	l.b.State = task.Opt(l.state)
	if l.r != nil && l.ref == l.r.Ref() {
		l.basis.Seen = l.r.Updated
	}
	if l.landed {
		l.basis.Pairs[statusPair] = merge.Pair{Ours: string(task.Done), Theirs: merge.RequestMerged}
	}
	return linkdb.SaveBasis(tx, *l.b, l.basis, events...)
}
