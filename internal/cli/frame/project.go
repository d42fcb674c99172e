package frame

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Project returns the project that -p, TASKER_PROJECT or the configuration names, or "" if none does.
func (f *Factory) Project() (string, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return "", err
	}
	return loaded.Project(), nil
}

// OneProject returns Project, or else the only project there is. If there are several, the refusal lists them.
func (f *Factory) OneProject(ctx context.Context) (string, error) {
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
	return onlyProject(all)
}

func onlyProject(all []*task.Project) (string, error) {
	if len(all) == 1 {
		return all[0].Slug, nil
	}
	names := words.Each(all[:min(len(all), 50)], func(p *task.Project) string { return p.Slug })
	return "", fault.Bad("say which project: there are %d", len(all)).WithHint("name it with %s", hint.NamingProject()).WithMissing(names...)
}
