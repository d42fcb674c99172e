package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"tasker/internal/fault"
	"tasker/internal/sync/forge"
	"tasker/internal/sync/jira"
	"tasker/internal/sync/syncer"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// names says how the systems that tasks are bound to name their records.
var names = merge.Names{Tracker: jira.Names, Issues: forge.IssueNames, Requests: forge.RequestNames, Branches: forge.BranchNames}

// syncer returns the syncer for projects and other systems.
func (a *App) syncer() *syncer.Syncer {
	return &syncer.Syncer{Links: a.Services.Links, Plans: a.Services.Planning, Open: a.tracker, OpenHost: a.codeHost}
}

// tracker returns the tracker that a project is linked to. The configuration or the environment declares the site; the
// credentials come only from the environment. If the site is the code host's, its issues are the tracker's.
func (a *App) tracker(ctx context.Context, project string) (syncer.Link, error) {
	p, err := a.declared(ctx, project)
	if err != nil {
		return syncer.Link{}, err
	}
	if err := merge.Mismatch(project, os.Getenv("TASKER_TRACKER_URL"), p.site); err != nil {
		return syncer.Link{}, err
	}
	if p.site != "" && merge.SameSite(p.site, hostURL()) {
		client, err := host()
		if err != nil {
			return syncer.Link{Site: p.site}, err
		}
		return syncer.Link{Site: p.site, Tracker: forge.Issues{Client: client, Status: p.status}, Projects: p.projects}, nil
	}
	site, user, token := cmp.Or(os.Getenv("TASKER_TRACKER_URL"), p.site), os.Getenv("TASKER_TRACKER_USER"), os.Getenv("TASKER_TRACKER_TOKEN")
	if site == "" {
		return syncer.Link{}, fault.Decline("no tracker is declared for %s", project).
			WithHint("set TASKER_TRACKER_URL, or integrations.issue_tracker.baseUrl in the configuration")
	}
	link := syncer.Link{Site: site, Projects: p.projects}
	if token == "" {
		return link, fault.Decline("there are no credentials for the tracker at %s", words.Redacted(site)).
			WithHint("set TASKER_TRACKER_TOKEN, and TASKER_TRACKER_USER for a site in the Cloud")
	}
	trust, err := trusted(os.Getenv("TASKER_TRACKER_URL"))
	if err != nil {
		return link, err
	}
	client, err := jira.New(jira.Options{URL: site, User: user, Token: token, Trust: trust, Status: p.status, Fields: p.fields})
	if err != nil {
		return link, err
	}
	link.Tracker = client
	return link, nil
}

// loop runs the background reconciliation of a server until ctx ends.
func (x *Site) loop(ctx context.Context, every time.Duration) {
	l := syncer.Loop{
		Syncer: x.app.syncer(), Projects: x.app.Services.Reading.Projects, Every: every, Holder: rand.Text(), Log: x.log.With(slog.String("part", "sync")),
	}
	l.Run(ctx)
}
