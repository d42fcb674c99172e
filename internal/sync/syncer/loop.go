package syncer

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/links"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/telemetry"
)

func projectIn(slug string) core.ProjectIn { return core.ProjectIn{Slug: slug} }

// Loop is the background reconciliation of a server: it pulls, and only logs what it would write.
type Loop struct {
	*Syncer
	// Projects lists every project.
	Projects func(context.Context, core.None) ([]*task.Project, error)
	Every    time.Duration
	Holder   string // identifies this process
	Log      *slog.Logger

	logged map[string]map[string]bool // planned writes already logged, by project
	mine   map[string]bool            // the projects whose loop this process holds
}

// leaseFor is how long the lease of a loop lasts beyond its next run.
const leaseFor = 5 * time.Minute

// Background returns a context in which a server syncs by itself, with an agent's rights.
func Background(ctx context.Context) context.Context {
	return core.WithCaller(ctx, core.Caller{Actor: task.Actor{Name: "sync"}, How: "the background loop", Via: task.Via{Face: "server"}})
}

// Run pulls every linked project repeatedly until ctx ends. Several servers run at different times,
// and only one of them pulls a given project.
func (l *Loop) Run(ctx context.Context) {
	ctx = Background(ctx)
	l.look(ctx)
	defer l.end(ctx)
	for wait := l.part(10); ; wait = l.Every - l.part(10)/2 + l.part(10) {
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
		l.Once(ctx)
	}
}

// look warns if no project is linked, because then there is nothing to pull.
func (l *Loop) look(ctx context.Context) {
	all, err := l.Projects(core.Doing(ctx, "projects"), core.None{})
	if err != nil {
		return // the first run reports it
	}
	for _, p := range all {
		if linked, err := l.Links.Sync(core.Doing(ctx, "sync"), projectIn(p.Slug)); err != nil || len(linked.Links) > 0 && !p.Archived {
			return
		}
	}
	l.Log.Warn("no project is linked to another system, so nothing is pulled until one is")
}

// ending is how long giving up the loops may take.
const ending = 5 * time.Second

// end gives up this process's loops, so that no status says that it still pulls.
func (l *Loop) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	for _, slug := range slices.Sorted(maps.Keys(l.mine)) {
		if _, err := l.Links.Lease(core.Doing(ctx, "sync-lease"), links.LeaseIn{Project: slug, Holder: l.Holder, Ended: true}); err != nil {
			l.Log.Warn("the lease of the loop cannot be released", slog.String("project", slug), slog.String("problem", fault.Of(err).Message))
		}
	}
}

// part returns a random part of the time between two runs, up to one nth.
func (l *Loop) part(n int64) time.Duration {
	return time.Duration(rand.Int64N(max(1, int64(l.Every)/n))) //nolint:gosec // spreads load, protects no secret
}

// Once pulls every linked project that no other process pulls.
func (l *Loop) Once(ctx context.Context) {
	all, err := l.Projects(core.Doing(ctx, "projects"), core.None{})
	if err != nil {
		l.Log.Warn("the projects cannot be listed for a sync", slog.String("problem", fault.Of(err).Message))
		return
	}
	if l.mine == nil {
		l.mine, l.logged = map[string]bool{}, map[string]map[string]bool{}
	}
	for _, p := range all {
		if ctx.Err() != nil {
			return
		}
		if !p.Archived {
			l.project(ctx, p.Slug)
		}
	}
}

func (l *Loop) project(ctx context.Context, slug string) {
	log := l.Log.With(slog.String("project", slug))
	now, err := l.Links.Sync(core.Doing(ctx, "sync"), projectIn(slug))
	if err != nil {
		log.Warn("the links cannot be read", slog.String("problem", fault.Of(err).Message))
		return
	}
	if len(now.Links) == 0 {
		return
	}
	lease := links.LeaseIn{Project: slug, Holder: l.Holder, EveryMs: l.Every.Milliseconds(), ForMs: (l.Every + leaseFor).Milliseconds()}
	mine, err := l.Links.Lease(core.Doing(ctx, "sync-lease"), lease)
	if err != nil || !mine {
		if err != nil {
			log.Warn("the lease of the loop cannot be taken", slog.String("problem", fault.Of(err).Message))
		}
		return
	}
	l.mine[slug] = true
	lease.Ran = true
	ctx, end := telemetry.Job(ctx, "sync pull")
	defer func() { end(lease.Problem != "") }()
	for _, link := range now.Links {
		pull := l.Pull
		if link.System == merge.CodeHost {
			pull = l.PullHost
		}
		if _, err := pull(ctx, slug, false, nil); err != nil {
			lease.Problem = fault.Of(err).Message
			log.Warn("a pull failed", slog.String("system", link.System), slog.String("problem", lease.Problem))
		} else if link.System == merge.IssueTracker {
			l.logPlan(ctx, log, slug)
		}
	}
	if _, err := l.Links.Lease(core.Doing(ctx, "sync-lease"), lease); err != nil {
		log.Warn("the outcome of the pull cannot be recorded", slog.String("problem", fault.Of(err).Message))
	}
}

// logPlan logs each planned write once: sending it is up to a person.
func (l *Loop) logPlan(ctx context.Context, log *slog.Logger, slug string) {
	plan, err := l.Links.Plan(core.Doing(ctx, "sync-plan"), projectIn(slug))
	if err != nil {
		log.Warn("the writes cannot be planned", slog.String("problem", fault.Of(err).Message))
		return
	}
	now := make(map[string]bool, len(plan.Writes))
	for _, w := range plan.Writes {
		key := fmt.Sprint(w.ID, " ", w.To)
		if now[key] = true; l.logged[slug][key] {
			continue // already logged by an earlier run
		}
		log.Warn("planned, not sent", slog.Int64("write", w.ID), slog.String("ref", w.Ref), slog.String("field", w.Field), slog.String("why", w.Why))
	}
	l.logged[slug] = now
}
