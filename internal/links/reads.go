package links

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// SyncOut is the state of a project's links to other systems.
type SyncOut struct {
	Project string     `json:"project"`
	Links   []SyncLink `json:"links"`
	Loop    *SyncLoop  `json:"loop"` // null if none runs
}

// SyncLink is one link: an issue tracker or a code host.
type SyncLink struct {
	System        string    `json:"system"`
	Declared      bool      `json:"declared"`
	URL           task.Opt  `json:"url"`
	Auth          string    `json:"auth"`
	LastPull      task.Time `json:"lastPull"`
	StaleMs       *int64    `json:"staleMs"`
	PendingWrites int       `json:"pendingWrites"`
	FailedWrites  int       `json:"failedWrites"`
	Conflicts     int       `json:"conflicts"`
	Error         task.Opt  `json:"error"`
}

// SyncLoop is the background reconciliation.
type SyncLoop struct {
	EveryMs int64     `json:"everyMs"`
	LastRun task.Time `json:"lastRun"`
	Error   task.Opt  `json:"error"`
}

// Sync returns the state of a project's links: the declared ones, and the ones that tasks are bound
// to.
func (s *Service) Sync(ctx context.Context, in core.ProjectIn) (SyncOut, error) {
	return core.Within(ctx, s.Env, in.Slug, nil, func(sc core.Scene) (SyncOut, error) {
		out := SyncOut{Project: sc.Project.Slug}
		eff, err := s.Settings.Effective(sc.Project)
		if err != nil {
			return out, err
		}
		declared := map[string]string{merge.IssueTracker: eff.Integrations.IssueTracker.BaseURL}
		named := map[string]string{merge.IssueTracker: s.TrackerURL, merge.CodeHost: s.hostURL()}
		if len(eff.Integrations.CodeHost.Repos) > 0 {
			declared[merge.CodeHost] = s.hostURL()
		}
		for _, system := range merge.Systems {
			link, err := link(sc, system, declared[system], named[system])
			if err != nil {
				return out, err
			}
			if link != nil {
				out.Links = append(out.Links, *link)
			}
		}
		loop, err := linkdb.Loop(sc.Tx, sc.Project.Slug)
		if err != nil || loop == nil || loop.Until <= sc.Tx.Now() {
			return out, err
		}
		out.Loop = &SyncLoop{EveryMs: loop.EveryMs, LastRun: loop.LastRun, Error: task.Opt(loop.Error)}
		return out, nil
	})
}

// FaresOut is the state of all links, the number of undelivered inbox items, and the age of the
// oldest.
type FaresOut struct {
	Fares    []merge.Fare
	Pending  int
	OldestMs int64
}

// Fares returns the state of the links of every project that the caller may see, for metrics.
func (s *Service) Fares(ctx context.Context, _ core.None) (FaresOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out FaresOut, err error) {
		if out.Fares, err = linkdb.Fares(tx); err != nil {
			return out, err
		}
		if out.Pending, _, err = notifydb.PendingDeliveries(tx); err != nil || out.Pending == 0 {
			return out, err
		}
		oldest, err := notifydb.OldestPending(tx)
		if err != nil || oldest == nil {
			return out, err
		}
		out.OldestMs = oldest.WaitedMs(tx.Now())
		return out, nil
	})
}

// Linked reports whether a project is linked to another system: one is declared, or a task is bound
// to one.
func (s *Service) Linked(ctx context.Context, in core.ProjectIn) (bool, error) {
	return core.Within(ctx, s.Env, in.Slug, nil, func(sc core.Scene) (bool, error) {
		eff, err := s.Settings.Effective(sc.Project)
		if err != nil || eff.Integrations.IssueTracker.BaseURL != "" || len(eff.Integrations.CodeHost.Repos) > 0 {
			return err == nil, err
		}
		for _, system := range merge.Systems {
			bound, err := linkdb.BindingsIn(sc.Tx, sc.Project.Slug, system, 0, 1)
			if err != nil || len(bound) > 0 {
				return len(bound) > 0, err
			}
		}
		return false, nil
	})
}

// link returns the state of the link to one system, or nil if there is none. It ignores what is
// known about a site other than the one now declared or named by the environment.
func link(sc core.Scene, system, site, named string) (*SyncLink, error) {
	slug := sc.Project.Slug
	bound, err := linkdb.BindingsIn(sc.Tx, slug, system, 0, 1)
	if err != nil || site == "" && len(bound) == 0 {
		return nil, err
	}
	h, err := linkdb.Health(sc.Tx, slug, system)
	if err != nil {
		return nil, err
	}
	now := cmp.Or(site, named, h.URL)
	if h.URL != "" && !merge.SameSite(h.URL, now) {
		h = merge.Health{}
	}
	out := &SyncLink{System: system, Declared: site != "", URL: task.Opt(words.Redacted(now)), Auth: cmp.Or(h.Auth, merge.AuthUnknown), LastPull: h.LastPull, Error: task.Opt(h.Error)}
	if other := merge.Mismatch(slug, named, site); other != nil && system == merge.IssueTracker { // everything is refused here
		out.Auth, out.Error = merge.AuthUnknown, task.Opt(fault.Of(other).Message)
	}
	if h.LastPull != 0 {
		out.StaleMs = new(max(0, int64(sc.Tx.Now()-h.LastPull)/1000))
	}
	if system != merge.IssueTracker { // only a tracker's fields are merged
		return out, nil
	}
	if _, out.PendingWrites, err = linkdb.Writes(sc.Tx, slug, merge.Pending, 0, 1); err != nil {
		return nil, err
	}
	if _, out.FailedWrites, err = linkdb.Writes(sc.Tx, slug, merge.Failed, 0, 1); err != nil {
		return nil, err
	}
	_, out.Conflicts, err = linkdb.Conflicts(sc.Tx, slug, merge.Open, 1)
	return out, err
}

// ConflictsOut lists where two systems disagree.
type ConflictsOut struct {
	Project string     `json:"project"`
	Total   int        `json:"total"`
	Items   []Conflict `json:"items"`
}

// Conflict is one field on which two systems disagree, and what can be done about it.
type Conflict struct {
	ID          int64              `json:"id"`
	Task        task.ID            `json:"task"`
	Title       string             `json:"title"` // of the task
	Field       string             `json:"field"`
	Ours        any                `json:"ours"`
	Theirs      any                `json:"theirs"`
	Base        any                `json:"base"`
	Since       task.Time          `json:"since"`
	Deferred    bool               `json:"deferred"` // until either side changes
	Resolutions []merge.Resolution `json:"resolutions"`
}

// maxConflicts is how many disagreements an answer lists.
const maxConflicts = 1000

// Conflicts returns where systems disagree, oldest first and deferred ones last.
func (s *Service) Conflicts(ctx context.Context, in core.ProjectIn) (ConflictsOut, error) {
	return core.Within(ctx, s.Env, in.Slug, nil, func(sc core.Scene) (ConflictsOut, error) {
		out := ConflictsOut{Project: sc.Project.Slug}
		open, n, err := linkdb.Conflicts(sc.Tx, out.Project, merge.Open, maxConflicts)
		if err != nil {
			return out, err
		}
		deferred, more, err := linkdb.Conflicts(sc.Tx, out.Project, merge.Deferred, maxConflicts)
		if err != nil {
			return out, err
		}
		out.Total = n + more
		list := slices.Concat(open, deferred)
		list = list[:min(len(list), maxConflicts)]
		owners, err := s.Owners(sc.Tx, sc.Project)
		if err != nil {
			return out, err
		}
		titles, now, err := valuesOf(sc.Tx, list)
		if err != nil {
			return out, err
		}
		for _, d := range list {
			owner, _ := owners.Owner(d.Field)
			c := Conflict{
				ID: d.ID, Task: d.Task, Title: titles[d.Task], Field: d.Field, Ours: merge.Shown(d.Field, d.Ours), Theirs: merge.Shown(d.Field, d.Theirs),
				Since: d.Since, Deferred: d.State == merge.Deferred, Resolutions: merge.Resolutions(owner),
			}
			if v, ok := now[d.Task]; ok {
				c.Ours = merge.Shown(d.Field, v[d.Field])
			}
			if d.Base != nil {
				c.Base = merge.Shown(d.Field, d.Base.Ours)
			}
			out.Items = append(out.Items, c)
		}
		return out, nil
	})
}

// valuesOf returns the titles and the current values of the tasks that disagreements are about.
func valuesOf(tx *store.Tx, list []merge.Disagreement) (titles map[task.ID]string, values map[task.ID]merge.Values, err error) {
	var ids []task.ID
	for _, d := range list {
		if !slices.Contains(ids, d.Task) {
			ids = append(ids, d.Task)
		}
	}
	tasks, err := tx.TasksByID(ids)
	if err != nil {
		return nil, nil, err
	}
	titles, values = map[task.ID]string{}, map[task.ID]merge.Values{}
	for _, t := range tasks {
		titles[t.ID] = t.Title
	}
	fit, err := tx.FillWithin(core.PageBytes, tasks...)
	for _, t := range tasks[:fit] {
		values[t.ID] = merge.Of(t)
	}
	return titles, values, err
}
