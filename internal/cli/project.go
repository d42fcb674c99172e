package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newProject() *cobra.Command {
	cmd := f.group("project", "List projects, and administer them", "tasker project list", "tasker project create demo --name Demo", "tasker project set demo agentDefaults.lease 30m")
	cmd.AddCommand(
		f.newProjectList(), f.newProjectCreate(), f.newProjectShow(), f.newProjectSet(), f.newProjectUnset(), f.newProjectSettings(),
		f.newProjectRename(), f.newProjectArchive(), f.newProjectDelete(),
	)
	return cmd
}

// onlyHere refuses what has no route: it works on a database, and not through a server.
func (f *factory) onlyHere(what string) error {
	if url := f.serverURL(); url != "" {
		return fault.Decline("%s works on the database itself, and this command goes through the server at %s", what, url).
			WithHint("run it where the database is, without TASKER_URL and --server")
	}
	return nil
}

// admin carries out an operation that has no route.
func admin[In, Out any](ctx context.Context, f *factory, o op.Of[In, Out], in In, render func(*factory, Out)) error {
	if err := f.onlyHere("project administration"); err != nil {
		return err
	}
	return do(ctx, f, o, in, render)
}

func (f *factory) newProjectList() *cobra.Command {
	return f.command(spec{use: "list", short: op.Projects.Summary, args: between(0, 0), example: []string{"tasker project list"}},
		func(ctx context.Context, f *factory, _ []string) error {
			return do(ctx, f, op.Projects, core.None{}, (*factory).showProjects)
		})
}

func (f *factory) showProjects(all []*task.Project) {
	if len(all) == 0 {
		f.say("There is no project yet; a plan makes one: tasker apply --example > plan.json && tasker apply -f plan.json\n")
		return
	}
	cols := []column{{head: "PROJECT"}, {head: "NAME", flex: true}, {head: "OPEN"}, {head: "IN PROGRESS"}, {head: "IN REVIEW", drop: 1}, {head: "DONE"}, {head: "CANCELLED", drop: 2}, {head: "CHANGED", drop: 3}}
	var rows [][]span
	for _, p := range all {
		name := string(p.Name)
		if p.Archived {
			name += " (archived)"
		}
		c := p.Tasks
		rows = append(rows, []span{{p.Slug, bold}, {text: name}, txt("%d", c.Open), txt("%d", c.InProgress), txt("%d", c.InReview), txt("%d", c.Done), txt("%d", c.Cancelled), {ago(p.UpdatedAt, f.now()), faint}})
	}
	f.out.table(cols, rows)
}

func (f *factory) newProjectShow() *cobra.Command {
	cmd := f.command(spec{use: "show [SLUG]", short: op.Project.Summary, args: between(0, 1), example: []string{"tasker project show demo"}},
		func(ctx context.Context, f *factory, args []string) error {
			slug, err := f.slugOr(ctx, args)
			if err != nil {
				return err
			}
			return do(ctx, f, op.Project, core.ProjectIn{Slug: slug}, (*factory).showProject)
		})
	cmd.ValidArgsFunction = f.completeProjects
	return cmd
}

// slugOr is the project that is named as an argument, else the one that is meant.
func (f *factory) slugOr(ctx context.Context, args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	return f.oneProject(ctx)
}

func (f *factory) showProject(p *task.Project) {
	f.out.Spans(span{p.Slug, bold})
	if p.Name != "" {
		f.out.Printf("  %s", p.Name)
	}
	if p.Archived {
		f.out.Printf("  (archived)")
	}
	f.out.Printf("\n")
	if p.Vision != "" {
		f.out.Block("  ", string(p.Vision))
	}
	for _, s := range task.Statuses {
		f.out.Printf("  ")
		f.out.Spans(statusSpan(s))
		f.out.Printf(": %d\n", *p.Tasks.Of(s))
	}
	for _, g := range slices.Sorted(maps.Keys(p.Gates)) {
		f.out.Printf("  gate %s asks for %s\n", g, list(p.Gates[g]))
	}
}

func (f *factory) newProjectCreate() *cobra.Command {
	var in core.ProjectCreateIn
	cmd := f.command(spec{
		use: "create SLUG", short: op.ProjectCreate.Summary, args: exactly("a SLUG"),
		example: []string{"tasker project create demo", `tasker project create demo --name "The demo" --vision "Show it in a minute"`},
	}, func(ctx context.Context, f *factory, args []string) error {
		in.Slug = args[0]
		return admin(ctx, f, op.ProjectCreate, in, func(f *factory, p *task.Project) { f.say("Created the project %s\n", p.Slug) })
	})
	cmd.Flags().StringVar(&in.Name, "name", "", "what people call it")
	cmd.Flags().StringVar(&in.Vision, "vision", "", "what it is for")
	return cmd
}

func (f *factory) newProjectSet() *cobra.Command {
	var from string
	cmd := f.command(spec{
		use: "set SLUG KEY VALUE", short: op.ProjectSet.Summary,
		args: func(cmd *cobra.Command, args []string) error {
			if from != "" {
				return exactly("a SLUG")(cmd, args)
			}
			return exactly("a SLUG", "a KEY", "a VALUE")(cmd, args)
		},
		example: []string{"tasker project set demo agentDefaults.lease 30m", `tasker project set demo gates.ship '["test", "review"]'`, "tasker project set demo --from .tasker.json   # all policy of a file"},
	}, func(ctx context.Context, f *factory, args []string) error {
		in := core.ProjectSetIn{Slug: args[0]}
		if from != "" {
			src, err := f.readFile(from)
			if err != nil {
				return err
			}
			in.From = src
		} else {
			in.Key, in.Value = args[1], &args[2]
		}
		return admin(ctx, f, op.ProjectSet, in, (*factory).showSettings)
	})
	cmd.Flags().StringVar(&from, "from", "", "carry the policy of a configuration file over")
	cmd.ValidArgsFunction = f.completeSetting()
	return cmd
}

func (f *factory) newProjectUnset() *cobra.Command {
	cmd := f.command(spec{
		use: "unset SLUG KEY", short: "Take a setting out of those that the database keeps for a project", args: exactly("a SLUG", "a KEY"),
		example: []string{"tasker project unset demo agentDefaults.lease"},
	}, func(ctx context.Context, f *factory, args []string) error {
		return admin(ctx, f, op.ProjectSet, core.ProjectSetIn{Slug: args[0], Key: args[1]}, (*factory).showSettings)
	})
	cmd.ValidArgsFunction = f.completeSetting()
	return cmd
}

func (f *factory) newProjectSettings() *cobra.Command {
	cmd := f.command(spec{use: "settings [SLUG]", short: op.ProjectSettings.Summary, args: between(0, 1), example: []string{"tasker project settings demo"}},
		func(ctx context.Context, f *factory, args []string) error {
			slug, err := f.slugOr(ctx, args)
			if err != nil {
				return err
			}
			return admin(ctx, f, op.ProjectSettings, core.ProjectIn{Slug: slug}, (*factory).showSettings)
		})
	cmd.ValidArgsFunction = f.completeProjects
	return cmd
}

func (f *factory) showSettings(out core.SettingsOut) {
	if len(out.Settings) == 0 {
		f.say("The database keeps no settings for %s\n", out.Project)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(out.Settings)) {
		value, _ := f.json(out.Settings[k]) // what was read as JSON can be written as it
		f.out.Printf("%s = %s\n", k, string(value))
	}
}

func (f *factory) newProjectRename() *cobra.Command {
	cmd := f.command(spec{
		use: "rename SLUG NEW", short: op.ProjectRename.Summary, args: exactly("a SLUG", "the NEW slug"), example: []string{"tasker project rename demo show"},
	}, func(ctx context.Context, f *factory, args []string) error {
		return admin(ctx, f, op.ProjectRename, core.ProjectRenameIn{Slug: args[0], To: args[1]}, func(f *factory, p *task.Project) {
			f.say("%s is now %s, and its tasks are %s-1 and so on\n", args[0], p.Slug, p.Slug)
		})
	})
	cmd.ValidArgsFunction = f.completeProjects
	return cmd
}

func (f *factory) newProjectArchive() *cobra.Command {
	var restore bool
	cmd := f.command(spec{
		use: "archive SLUG", short: op.ProjectArchive.Summary, args: exactly("a SLUG"), example: []string{"tasker project archive demo", "tasker project archive demo --restore"},
	}, func(ctx context.Context, f *factory, args []string) error {
		return admin(ctx, f, op.ProjectArchive, core.ProjectArchiveIn{Slug: args[0], Restore: restore}, func(f *factory, p *task.Project) {
			if p.Archived {
				f.say("%s is archived: it can be read, and not written\n", p.Slug)
				return
			}
			f.say("%s is back\n", p.Slug)
		})
	})
	cmd.Flags().BoolVar(&restore, "restore", false, "bring it back")
	cmd.ValidArgsFunction = f.completeProjects
	return cmd
}

func (f *factory) newProjectDelete() *cobra.Command {
	var yes bool
	cmd := f.command(spec{
		use: "delete SLUG", short: op.ProjectDelete.Summary, args: exactly("a SLUG"), example: []string{"tasker project delete demo --yes"},
	}, func(ctx context.Context, f *factory, args []string) error {
		if !yes {
			return fault.Bad("this deletes %s with all its tasks, notes and events, for good", args[0]).
				WithHint("say that you mean it: tasker project delete %s --yes; to only put it away: tasker project archive %s", args[0], args[0])
		}
		return admin(ctx, f, op.ProjectDelete, core.ProjectIn{Slug: args[0]}, func(f *factory, p *task.Project) { f.say("Deleted the project %s\n", p.Slug) })
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "really delete it")
	cmd.ValidArgsFunction = f.completeProjects
	return cmd
}

// completeSetting offers a project, then a key of the configuration.
func (f *factory) completeSetting() cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return f.completeProjects(cmd, args, typed)
		case 1:
			return config.Keys(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
