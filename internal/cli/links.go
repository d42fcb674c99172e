package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/view"
)

// linked declares a command that shows one read of a project's links.
func linked[Out any](f *factory, s spec, o op.Of[core.ProjectIn, Out], render func(*factory, Out)) *cobra.Command {
	s.short, s.args = o.Summary, between(0, 0)
	return f.command(s, func(ctx context.Context, f *factory, _ []string) error {
		slug, err := f.oneProject(ctx)
		if err != nil {
			return err
		}
		return do(ctx, f, o, core.ProjectIn{Slug: slug}, render)
	})
}

func (f *factory) newSync() *cobra.Command {
	cmd := f.group("sync", "Keep tasks and another system's records alike", "tasker sync status")
	cmd.AddCommand(linked(f, spec{use: "status", example: []string{"tasker sync status", "tasker sync status --json"}}, op.Sync, (*factory).showSync))
	return cmd
}

func (f *factory) showSync(out view.SyncOut) {
	if len(out.Links) == 0 {
		f.say("%s is linked to no other system\n", out.Project)
		return
	}
	for _, l := range out.Links {
		f.out.Spans(span{l.System, bold})
		f.out.Printf("  %s  %s: %d to write, %d refused, %s\n", l.URL, l.Auth, l.PendingWrites, l.FailedWrites, count(l.Conflicts, "conflict", "conflicts"))
	}
}

func (f *factory) newOwnership() *cobra.Command {
	cmd := f.group("ownership", "Decide which system owns which field of a task", "tasker ownership show")
	cmd.AddCommand(linked(f, spec{use: "show", example: []string{"tasker ownership show", "tasker ownership show --json"}}, op.Ownership, (*factory).showOwnership))
	return cmd
}

func (f *factory) showOwnership(out view.OwnershipOut) {
	f.out.Printf("%s: preset %s\n", out.Project, out.Preset)
	var rows [][]span
	for _, o := range out.Fields {
		rows = append(rows, []span{txt("%s", o.Field), txt("%s", o.Owner), {o.Why, faint}})
	}
	f.out.table([]column{{head: "FIELD"}, {head: "OWNER"}, {head: "WHY", flex: true}}, rows)
}

func (f *factory) newConflicts() *cobra.Command {
	return linked(f, spec{use: "conflicts", example: []string{"tasker conflicts", "tasker conflicts --json"}}, op.Conflicts, func(f *factory, out view.ConflictsOut) {
		if out.Total == 0 {
			f.say("No two systems disagree on %s\n", out.Project)
		}
		for _, c := range out.Items {
			f.out.Spans(span{txt("%d", c.ID).text, bold})
			f.out.Printf("  %s %s: %v here, %v there\n", c.Task, c.Field, c.Ours, c.Theirs)
			for _, r := range c.Resolutions {
				f.out.Printf("    tasker resolve %d %s: %s\n", c.ID, r.Name, r.Effect)
			}
		}
	})
}
