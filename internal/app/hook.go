package app

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/server/httpapi"
	"tasker/internal/task/merge"
	"tasker/internal/telemetry"
)

// hook returns the webhook for the code host; nil if no secret is set.
func (x *Site) hook() *httpapi.Hook {
	secret := os.Getenv("TASKER_CODE_HOST_SECRET")
	if secret == "" {
		return nil
	}
	return &httpapi.Hook{Secret: secret, Pull: x.prompts.Ask}
}

// pullRepo pulls every project that lists a repository.
func (x *Site) pullRepo(ctx context.Context, repo string) {
	ctx, end := telemetry.Job(ctx, "sync pull")
	failed := false
	defer func() { end(failed) }()
	s := x.app.syncer()
	all, err := x.app.Services.Reading.Projects(core.Doing(ctx, "projects"), core.None{})
	if err != nil {
		x.log.Warn("the projects cannot be listed for a pull", slog.String("problem", fault.Of(err).Message))
		return
	}
	lists := func(repos []string) bool {
		return slices.ContainsFunc(repos, func(name string) bool { return strings.EqualFold(name, repo) })
	}
	for _, p := range all {
		if p.Archived || ctx.Err() != nil {
			continue
		}
		d, err := x.app.declared(ctx, p.Slug)
		if err != nil {
			continue // the loop and the commands report what is wrong with it
		}
		report := func(system string, err error) {
			failed = failed || err != nil
			if err != nil && ctx.Err() == nil {
				x.log.Warn("a pull failed", slog.String("project", p.Slug), slog.String("system", system), slog.String("problem", fault.Of(err).Message))
			}
		}
		if lists(d.repos) {
			_, err := s.PullHost(ctx, p.Slug, false, nil)
			report(merge.CodeHost, err)
		}
		if lists(d.projects) && merge.SameSite(d.site, hostURL()) {
			_, err := s.Pull(ctx, p.Slug, false, nil)
			report(merge.IssueTracker, err)
		}
	}
}
