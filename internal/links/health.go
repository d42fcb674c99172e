package links

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/query"
)

// LookedIn says how contacting another system ended. An empty Problem means success.
type LookedIn struct {
	Project string
	System  string
	URL     string
	Auth    string
	Started task.Time // start of a pull that succeeded completely; else 0
	Marks   map[string]string
	Problem string
}

// Looked records the state of a link. Only the first of several failures has an event, so readers
// see since when it fails.
func (s *Service) Looked(ctx context.Context, in LookedIn) (struct{}, error) {
	return write(ctx, s, in.Project, func(tx *store.Tx, _ *scene) (struct{}, error) {
		h, err := linkdb.Health(tx, in.Project, in.System)
		if err != nil {
			return struct{}{}, err
		}
		var events []task.Draft
		if in.URL != "" && h.URL != "" && !merge.SameSite(h.URL, in.URL) { // nothing is known about another site
			h.LastPull, h.Started, h.Marks = 0, 0, nil
		}
		h.URL, h.Auth = cmp.Or(in.URL, h.URL), in.Auth
		if in.Problem == "" {
			if h.Failures > 0 {
				if err := linkdb.ClearNotices(tx, in.Project, merge.PullName(in.System)); err != nil {
					return struct{}{}, err
				}
			}
			h.Failures, h.FailedAt, h.Error, h.Event = 0, 0, "", 0
			if in.Started != 0 {
				h.LastPull, h.Started, h.Marks = tx.Now(), in.Started, in.Marks
			}
		} else {
			if h.Failures++; h.Failures == 1 {
				h.FailedAt = tx.Now()
				failed := task.Draft{Kind: task.SyncFailed, Payload: task.Payload{
					"system": in.System, "direction": "in", "outcome": "failed", "error": in.Problem,
				}}
				id, err := concerned(tx, in.Project, in.System)
				if err == nil && id != "" { // people find it in their inbox
					err = linkdb.SaveNotice(tx, id, merge.PullName(in.System), merge.PullWhy(in.System, in.Problem), failed)
				} else {
					events = append(events, failed)
				}
				if err != nil {
					return struct{}{}, err
				}
			}
			h.Error = in.Problem
		}
		return struct{}{}, linkdb.SaveHealth(tx, in.Project, in.System, h, events...)
	})
}

// concerned returns the task that inbox items about a link are attached to: the first open task
// bound to the system. If none is, the link still matters (a task of somebody else, an import), so
// it is the first open task of the project, else the first bound one, or "".
func concerned(tx *store.Tx, project, system string) (task.ID, error) {
	bound := task.ID("")
	for after := int64(0); ; {
		page, err := linkdb.BindingsIn(tx, project, system, after, portion)
		if err != nil {
			return "", err
		}
		for _, b := range page {
			after, bound = b.ID, cmp.Or(bound, b.Task)
			t, err := tx.Task(b.Task)
			if err != nil || !t.Status.Closed() {
				return b.Task, err
			}
		}
		if len(page) < portion {
			break
		}
	}
	open, err := tx.RefsAfter(project, "", true, 1)
	if err != nil || len(open) == 0 {
		return bound, err
	}
	return open[0].ID, nil
}

// StandingIn names a link.
type StandingIn struct{ Project, System string }

// StandingOut is what a pull starts from: the state of the link, and the bindings that no pull has
// seen yet.
type StandingOut struct {
	Health merge.Health
	Now    task.Time
	Groups []string // projects or repositories of the bound records
	New    []string // records that no pull has seen yet
	Bound  []Bound
	// BranchPrefix starts the names of the branches of tasks.
	BranchPrefix string
}

// Bound is a record that a task is bound to.
type Bound struct {
	Ref, Kind, State string
	Group            string // its project or repository
	New              bool   // no pull has seen it yet
}

// maxNew is how many records a pull requests one by one; with more it requests all records.
const maxNew = 100

// maxBound is how many bindings a pull is given; it finds the records of further ones in lists.
const maxBound = 50_000

// maxGroups is how many projects of a tracker a pull covers if the configuration lists none.
const maxGroups = 100

// Standing returns what a pull starts from.
func (s *Service) Standing(ctx context.Context, in StandingIn) (StandingOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out StandingOut, err error) {
		out.Now = tx.Now()
		if out.Health, err = linkdb.Health(tx, in.Project, in.System); err != nil {
			return out, err
		}
		for after := int64(0); ; {
			page, err := linkdb.BindingsIn(tx, in.Project, in.System, after, maxWrites)
			if err != nil {
				return out, err
			}
			for _, b := range page {
				after = b.ID
				group := s.Names.Group(b.Ref)
				if len(out.Bound) < maxBound {
					out.Bound = append(out.Bound, Bound{Ref: b.Ref, Group: group, Kind: b.Kind, State: string(b.State), New: b.SyncedAt == 0})
				}
				if b.SyncedAt == 0 {
					out.New = append(out.New, b.Ref)
				}
				if !slices.Contains(out.Groups, group) && len(out.Groups) < maxGroups {
					out.Groups = append(out.Groups, group)
				}
			}
			if len(page) < maxWrites {
				break
			}
		}
		p, err := tx.Project(in.Project)
		if err != nil {
			return out, err
		}
		eff, err := s.Settings.Effective(p)
		if err != nil {
			return out, err
		}
		out.BranchPrefix = eff.BranchPrefix()
		if len(out.New) > maxNew {
			out.New, out.Health.Started = nil, 0
		}
		return out, nil
	})
}

// Pulled is the result of a pull.
type Pulled struct {
	Project   string    `json:"project"`
	System    string    `json:"system"`
	Read      int       `json:"read"`
	Updated   []Updated `json:"updated"`
	Created   int       `json:"created"`
	Conflicts int       `json:"conflicts"`
	Planned   int       `json:"planned"`
	Unchanged int       `json:"unchanged"`
	Warnings  []string  `json:"warnings"`
	Error     string    `json:"error,omitzero"` // why nothing was pulled
}

// Pushed is the result of a push: writes that succeeded, were refused for good, or wait for another
// try.
type Pushed struct {
	Sent    int `json:"sent"`
	Failed  int `json:"failed"`
	Pending int `json:"pending"`
}

// LeaseIn asks for the background loop of a project, or reports how its last run ended.
type LeaseIn struct {
	Project string
	Holder  string
	EveryMs int64
	ForMs   int64
	Ran     bool
	Problem string
	Ended   bool // the holder has stopped: the lease ends now
}

// Lease takes or renews the lease of a project's loop, and reports whether the holder has it.
func (s *Service) Lease(ctx context.Context, in LeaseIn) (bool, error) {
	return write(ctx, s, in.Project, func(tx *store.Tx, _ *scene) (bool, error) {
		l, err := linkdb.Loop(tx, in.Project)
		if err != nil {
			return false, err
		}
		if !l.FreeFor(in.Holder, tx.Now()) {
			return false, nil
		}
		next := merge.Loop{Holder: in.Holder, Until: tx.Now().Add(in.ForMs), EveryMs: in.EveryMs}
		if l != nil {
			next.LastRun, next.Error = l.LastRun, l.Error
		}
		if in.Ran {
			next.LastRun, next.Error = tx.Now(), in.Problem
		}
		if in.Ended {
			if l == nil || l.Holder != in.Holder {
				return false, nil
			}
			next.Until, next.EveryMs = tx.Now(), l.EveryMs
		}
		return true, linkdb.SaveLoop(tx, in.Project, next)
	})
}

// LogIn asks for the newest entries of the sync log.
type LogIn struct {
	Slug  string
	Limit *int
}

// Entry is one value that was read or written, or failed to be.
type Entry struct {
	ID        int64     `json:"id"`
	At        task.Time `json:"at"`
	Direction string    `json:"direction"` // in or out
	System    task.Opt  `json:"system"`
	Ref       task.Opt  `json:"ref"`
	Task      task.Opt  `json:"task"`
	Field     task.Opt  `json:"field"`
	From      any       `json:"from"`
	To        any       `json:"to"`
	Outcome   string    `json:"outcome"`
	Error     task.Opt  `json:"error"`

	event int64
}

// logged is what the payload of an event says about a sync.
type logged struct {
	System    task.Opt              `json:"system"`
	Ref       task.Opt              `json:"ref"`
	Field     task.Opt              `json:"field"`
	From      any                   `json:"from"`
	To        any                   `json:"to"`
	Outcome   string                `json:"outcome"`
	Error     task.Opt              `json:"error"`
	Write     int64                 `json:"write"`
	Direction string                `json:"direction"`
	Declined  string                `json:"declined"`
	Fields    map[string]task.Delta `json:"fields"`
}

// Log returns the values read and written, newest last. It reads them from the events of the
// project.
func (s *Service) Log(ctx context.Context, in LogIn) ([]Entry, error) {
	limit, err := core.Limit(in.Limit)
	if err != nil {
		return nil, err
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]Entry, error) {
		p, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return nil, err
		}
		out := []Entry{}
		for _, kind := range []task.Kind{task.SyncPulled, task.SyncPlanned, task.SyncPushed, task.SyncFailed} {
			events, err := tx.Events(query.Events{Project: p.Slug, Kind: string(kind), Limit: limit})
			if err != nil {
				return nil, err
			}
			for _, e := range events {
				entries, err := entriesOf(e)
				if err != nil {
					return nil, err
				}
				out = append(out, entries...)
			}
		}
		sort.SliceStable(out, func(i, j int) bool { return out[i].event < out[j].event })
		return out[max(0, len(out)-limit):], nil
	})
}

func entriesOf(e task.Event) ([]Entry, error) {
	var l logged
	if err := json.Unmarshal(e.Payload, &l); err != nil {
		return nil, err
	}
	one := Entry{
		event: e.ID, ID: cmp.Or(l.Write, e.ID), At: e.At, Direction: cmp.Or(l.Direction, "out"), System: l.System, Ref: l.Ref, Task: e.Task, Field: l.Field, From: l.From, To: l.To,
		Outcome: l.Outcome, Error: l.Error,
	}
	if e.Kind == task.SyncPlanned && one.Outcome == "" {
		one.Outcome = "planned"
	}
	if e.Kind == task.SyncPulled {
		var out []Entry
		one.Direction, one.Outcome = "in", "taken"
		for _, field := range append([]string{"state"}, merge.Travelling...) {
			if d, ok := l.Fields[field]; ok {
				taken := one
				taken.Field, taken.From, taken.To = task.Opt(field), d.From, d.To
				out = append(out, taken)
			}
		}
		if l.Declined != "" {
			one.Outcome, one.Field, one.Error = "declined", "status", task.Opt(l.Declined)
			out = append(out, one)
		}
		return out, nil
	}
	return []Entry{one}, nil
}
