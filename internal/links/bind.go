package links

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// BindIn names a task and a record of another system.
type BindIn struct {
	Task, Ref string
	DryRun    bool
}

// BindOut is a binding that was made or removed. For a dry run it says so, and counts the pending
// items that would end with it.
type BindOut struct {
	ID       int64     `json:"id"`
	Task     task.ID   `json:"task"`
	System   string    `json:"system"`
	Kind     string    `json:"kind"`
	Ref      string    `json:"ref"`
	URL      task.Opt  `json:"url"`
	State    task.Opt  `json:"state"`
	SyncedAt task.Time `json:"syncedAt"`

	DryRun    bool     `json:"dryRun,omitzero"`
	Writes    int      `json:"writes,omitzero"`
	Conflicts int      `json:"conflicts,omitzero"`
	Warnings  []string `json:"warnings,omitzero"`
}

func bindOut(b task.Binding, dry bool) BindOut {
	return BindOut{
		ID: b.ID, Task: b.Task, System: b.System, Kind: b.Kind, Ref: b.Ref, URL: b.URL, State: b.State, SyncedAt: b.SyncedAt, DryRun: dry,
	}
}

// Bind binds a task to a record of another system. It does not contact that system: the next pull
// does.
func (s *Service) Bind(ctx context.Context, in BindIn) (BindOut, error) {
	return core.WriteUnless(ctx, s.Env, in.DryRun, func(tx *store.Tx) (BindOut, error) {
		b, err := s.bind(ctx, tx, in)
		if in.DryRun {
			b.ID = 0 // it was only temporary
		}
		out := bindOut(b, in.DryRun)
		if err == nil && b.System == merge.IssueTracker && b.URL == "" {
			out.Warnings = append(out.Warnings, "no tracker is declared here, so "+b.Ref+" has no address, and nothing is pulled or written: declare "+
				"integrations.issue_tracker.baseUrl, or set TASKER_TRACKER_URL")
		}
		return out, err
	})
}

func (s *Service) bind(ctx context.Context, tx *store.Tx, in BindIn) (task.Binding, error) {
	t, p, err := s.FindToWrite(ctx, tx, in.Task)
	if err != nil {
		return task.Binding{}, err
	}
	if err := s.mismatch(p); err != nil {
		return task.Binding{}, err
	}
	b, err := s.parse(p, in.Ref)
	if err != nil {
		return b, err
	}
	have, err := tx.Bindings(t.ID)
	if err != nil {
		return b, err
	}
	for _, h := range have {
		switch {
		case h.System == b.System && h.Kind == b.Kind && h.Ref == b.Ref:
			return h, nil
		case h.System == merge.IssueTracker && b.System == merge.IssueTracker:
			return b, fault.Decline("%s is already bound to the issue %s", t.ID, h.Ref).
				WithHint("a task has one issue; unbind that one first: %s", hint.Command("unbind "+string(t.ID)+" "+h.Ref))
		}
	}
	if b.System == merge.IssueTracker {
		others, err := linkdb.BindingsTo(tx, p.Slug, b.System, b.Ref)
		if err != nil {
			return b, err
		}
		if len(others) > 0 {
			return b, fault.Decline("%s is already bound to %s", b.Ref, others[0].Task).
				WithHint("an issue has one task; unbind that one first: %s", hint.Command("unbind "+string(others[0].Task)+" "+b.Ref))
		}
	}
	if b, err = linkdb.AddBinding(tx, t, b); err != nil {
		return b, err
	}
	return b, linkdb.SaveNotice(tx, t.ID, merge.ProposedName(b.Ref), "") // somebody has decided
}

// Unbind removes a binding, with everything agreed, planned or in conflict about it, and returns
// it.
func (s *Service) Unbind(ctx context.Context, in BindIn) (BindOut, error) {
	return core.WriteUnless(ctx, s.Env, in.DryRun, func(tx *store.Tx) (BindOut, error) {
		t, p, err := s.FindToWrite(ctx, tx, in.Task)
		if err != nil {
			return BindOut{}, err
		}
		have, err := tx.Bindings(t.ID)
		if err != nil {
			return BindOut{}, err
		}
		want, _ := s.parse(p, in.Ref) // the configuration may no longer allow it: then match the text of the reference
		at := slices.IndexFunc(have, func(b task.Binding) bool {
			return b.Ref == in.Ref || b.Ref == want.Ref && b.System == want.System || string(b.URL) == in.Ref
		})
		if at < 0 {
			e := fault.Missing("%s is not bound to %q", t.ID, in.Ref)
			for _, b := range have {
				e.WithMissing(b.Ref)
			}
			return BindOut{}, e.WithHint("see what it is bound to: %s", hint.Show(t.ID))
		}
		b := have[at]
		out, err := ending(tx, b, in.DryRun)
		if err == nil && b.System == merge.CodeHost {
			err = linkdb.SaveNotice(tx, t.ID, merge.NoticeMerged, "")
		}
		if err != nil {
			return out, err
		}
		return out, linkdb.RemoveBinding(tx, b)
	})
}

// ending returns a removed binding. For a dry run it also counts what ends with it.
func ending(tx *store.Tx, b task.Binding, dry bool) (BindOut, error) {
	out := bindOut(b, dry)
	if !dry {
		return out, nil
	}
	writes, err := linkdb.WritesOf(tx, b.ID)
	if err != nil {
		return out, err
	}
	open, err := linkdb.Unresolved(tx, b.ID)
	out.Writes, out.Conflicts = len(writes), len(open)
	return out, err
}

// mismatch refuses a project whose declared site differs from the one in the environment.
func (s *Service) mismatch(p *task.Project) error {
	eff, err := s.Settings.Effective(p)
	if err != nil {
		return err
	}
	return merge.Mismatch(p.Slug, s.TrackerURL, eff.Integrations.IssueTracker.BaseURL)
}

// parse returns the binding that a reference names in a project.
func (s *Service) parse(p *task.Project, ref string) (task.Binding, error) {
	eff, err := s.Settings.Effective(p)
	if err != nil {
		return task.Binding{}, err
	}
	tracker, host := eff.Integrations.IssueTracker, eff.Integrations.CodeHost
	return merge.Sites{
		Names: s.Names, TrackerURL: cmp.Or(tracker.BaseURL, s.TrackerURL), Projects: tracker.Projects, HostURL: s.hostURL(), Repos: host.Repos,
	}.Parse(ref)
}

// defaultHost is the site of the code host if none is declared.
const defaultHost = "https://github.com"

func (s *Service) hostURL() string { return cmp.Or(s.HostURL, defaultHost) }
