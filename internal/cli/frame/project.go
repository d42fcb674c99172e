package frame

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// Project returns the project that -p, TASKER_PROJECT or the configuration names, or "" if none does.
func (f *Factory) Project() (string, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return "", err
	}
	return loaded.Project(), nil
}

// OneProject returns Project, or else the only project there is. If there are several, the refusal lists them. If the only
// one belongs to another repository, it says so; a command that writes to the project asks for ProjectToWrite.
func (f *Factory) OneProject(ctx context.Context) (string, error) { return f.oneProject(ctx, false) }

// ProjectToWrite is OneProject for a write: it declines to assume the project of another repository.
func (f *Factory) ProjectToWrite(ctx context.Context) (string, error) { return f.oneProject(ctx, true) }

func (f *Factory) oneProject(ctx context.Context, write bool) (string, error) {
	slug, err := f.Project()
	if err != nil || slug != "" {
		return slug, err
	}
	all, err := Call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return "", err
	}
	if len(all) == 0 { // let the operation say what is missing: a project, or the whole database
		page, err := Call(ctx, f, op.List, reading.ListIn{})
		return page.Project, err
	}
	if len(all) == 1 {
		return all[0].Slug, f.assume(all[0], write)
	}
	names := words.Each(all[:min(len(all), 50)], func(p *task.Project) string { return p.Slug })
	return "", fault.Bad("say which project: there are %d", len(all)).WithHint("name it with %s", hint.NamingProject()).WithMissing(names...)
}
