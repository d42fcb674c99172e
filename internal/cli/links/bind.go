package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/hint"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/text/words"
)

// NewBind returns the command `tasker bind`.
func NewBind(f *frame.Factory) *cobra.Command {
	var dry bool
	return f.Command(frame.Spec{
		Use: "bind ID REF", Here: "bind", Short: op.Bind.Op.Summary, Args: frame.Exactly("the ID of a task", "a REF"), IDs: true,
		Example: []string{
			"tasker bind demo-4 DEMO-12",
			"tasker bind demo-4 https://example.atlassian.net/browse/DEMO-12",
			"tasker bind demo-4 owner/name#12",
		},
		Long: "REF is the key of an issue, owner/name#12 for a pull request, owner/name@branch for a branch, or a URL of a site that\n" +
			"the configuration declares. The other system is not asked: the next pull is the first look.",
		Flags: []frame.Flag{dryRun(&dry)},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		a := f.Args(ctx)
		return frame.DoWith(a, op.Bind, links.BindIn{Task: a.Task(args[0]), Ref: args[1], DryRun: dry}, func(f *frame.Factory, b links.BindOut) {
			f.Warn(b.Warnings)
			if b.DryRun {
				f.Say("%s would be bound to %s\n", b.Task, b.Ref)
				return
			}
			f.Say("%s is bound to %s\n", b.Task, b.Ref)
			f.Echo(ctx, b.Task, "", hint.Command("unbind "+string(b.Task)+" "+words.Shell(b.Ref)))
		})
	})
}

// NewUnbind returns the command `tasker unbind`.
func NewUnbind(f *frame.Factory) *cobra.Command {
	var dry bool
	return f.Command(frame.Spec{
		Use: "unbind ID REF", Here: "unbind", Short: op.Unbind.Op.Summary, Args: frame.Exactly("the ID of a task", "a REF"), IDs: true,
		Example: []string{"tasker unbind demo-4 DEMO-12"},
		Flags:   []frame.Flag{dryRun(&dry)},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		a := f.Args(ctx)
		return frame.DoWith(a, op.Unbind, links.BindIn{Task: a.Task(args[0]), Ref: args[1], DryRun: dry}, func(f *frame.Factory, b links.BindOut) {
			if b.DryRun {
				f.Say("%s would no longer be bound to %s; %s and %s would end with it\n", b.Task, b.Ref,
					words.Count(b.Writes, "planned write", "planned writes"), words.Count(b.Conflicts, "conflict", "conflicts"))
				return
			}
			f.Say("%s is no longer bound to %s\n", b.Task, b.Ref)
			f.Echo(ctx, b.Task, "", hint.Command("bind "+string(b.Task)+" "+words.Shell(b.Ref)))
		})
	})
}
