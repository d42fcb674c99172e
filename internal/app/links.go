package app

import (
	"cmp"
	"context"
	"os"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/links"
	"tasker/internal/site"
	"tasker/internal/store"
	"tasker/internal/sync/forge"
	"tasker/internal/sync/syncer"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// hostURL returns the site of the code host: GitHub unless the environment names another.
func hostURL() string { return cmp.Or(os.Getenv("TASKER_CODE_HOST_URL"), forge.GitHub) }

// host returns the client for the code host. Its credentials come only from the environment.
func host() (*forge.Client, error) {
	token := os.Getenv("TASKER_CODE_HOST_TOKEN")
	if token == "" {
		return nil, fault.Decline("there are no credentials for the code host at %s", words.Redacted(hostURL())).
			WithHint("set TASKER_CODE_HOST_TOKEN, and TASKER_CODE_HOST_URL for a site other than GitHub")
	}
	return forge.New(forge.Options{URL: hostURL(), Token: token, Trust: site.Trusting(os.Getenv("TASKER_CODE_HOST_URL"))})
}

// codeHost returns the code host of a project, and the repositories that the project lists.
func (a *App) codeHost(ctx context.Context, project string) (syncer.HostLink, error) {
	p, err := a.declared(ctx, project)
	if err != nil {
		return syncer.HostLink{}, err
	}
	if len(p.repos) == 0 {
		return syncer.HostLink{}, fault.Decline("%s lists no repository of a code host", project).
			WithHint("list them in the configuration: integrations.code_host.repos")
	}
	client, err := host()
	if err != nil {
		return syncer.HostLink{Site: hostURL()}, err
	}
	return syncer.HostLink{Site: hostURL(), Host: client, Repos: p.repos}, nil
}

// declared is what a project declares about the systems that it is linked to.
type declared struct {
	site           string
	status, fields map[string]string
	projects       []string
	repos          []string
}

func (a *App) declared(ctx context.Context, project string) (*declared, error) {
	return core.Read(ctx, a.Services.Env, func(tx *store.Tx) (*declared, error) {
		p, err := tx.Project(project)
		if fault.Is(err, fault.NotFound) { // an import is about to create the project: only its file counts
			p, err = &task.Project{Slug: project}, nil
		}
		if err != nil {
			return nil, err
		}
		eff, err := a.Services.Settings.Effective(p)
		if err != nil {
			return nil, err
		}
		t := eff.Integrations.IssueTracker
		return &declared{site: t.BaseURL, status: t.StatusMap, fields: t.Fields, projects: t.Projects, repos: eff.Integrations.CodeHost.Repos}, nil
	})
}

// syncing is the syncer as commands use it.
type syncing struct {
	*syncer.Syncer
	app *App
}

// Pull pulls every system that a project is linked to, independently: if one fails, its error is in its answer. If none of
// them could be called at all, Pull returns the first refusal.
func (s syncing) Pull(ctx context.Context, project string, dryRun bool, progress func(read int)) (out []links.Pulled, err error) {
	d, err := s.app.declared(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := merge.Mismatch(project, os.Getenv("TASKER_TRACKER_URL"), d.site); err != nil {
		return nil, err
	}
	type pull func(ctx context.Context, project string, dryRun bool, progress func(read int)) (links.Pulled, error)
	var systems []pull
	if len(d.repos) == 0 || d.site != "" || os.Getenv("TASKER_TRACKER_URL") != "" { // the refusal says what to declare
		systems = append(systems, s.Syncer.Pull)
	}
	if len(d.repos) > 0 {
		systems = append(systems, s.PullHost)
	}
	var refused error
	asked := false
	for _, system := range systems {
		one, err := system(ctx, project, dryRun, progress)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			one = links.Pulled{Project: one.Project, System: one.System, Error: fault.Of(err).Message}
			refused = cmp.Or(refused, err)
		}
		asked = asked || err == nil || fault.Is(err, fault.Unavailable)
		out = append(out, one)
	}
	if !asked {
		return nil, refused
	}
	return out, nil
}
