package planning

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/core/planning"
	"tasker/internal/op"
	"tasker/internal/plan"
)

// editOptions are what the command line gives `tasker edit`.
type editOptions struct {
	fields   fieldFlags
	title    frame.TextFlag
	expected frame.IntFlag[int64]
	fence    *frame.IntFlag[int64]

	given func() bool // a flag names a field, or a version

	deps, addDeps, rmDeps             *frame.ListFlag
	criteria, addCriteria, rmCriteria *frame.ListFlag
}

// NewEdit returns the command `tasker edit`.
func NewEdit(f *frame.Factory) *cobra.Command {
	o := &editOptions{}
	cmd := f.Command(frame.Spec{
		Use: "edit ID", Short: op.Edit.Summary, IDs: true, Args: frame.Exactly("the ID of a task"),
		Example: []string{
			"tasker edit demo-4   # in VISUAL or EDITOR",
			"tasker edit demo-4 --add-dep demo-2",
			`tasker edit demo-4 --gate ""   # clears the gate`,
		},
		Long: "A flag given as \"\" clears its field.",
	}, o.run)
	fs := cmd.Flags()
	fs.Var(&o.title, "title", "the title")
	o.addDeps = frame.AddList(fs, "add-dep", "task", "one more to wait for (can be given again)")
	o.rmDeps = frame.AddList(fs, "rm-dep", "task", "one to wait for no more (can be given again)")
	o.addCriteria = frame.AddList(fs, "add-criterion", "text", "one more (can be given again)")
	o.rmCriteria = frame.AddList(fs, "rm-criterion", "text", "one less, by its text (can be given again)")
	o.deps = frame.AddList(fs, "dep", "task", "replaces what it waits for (can be given again)")
	o.criteria = frame.AddList(fs, "criterion", "text", "replaces all; ticks stay (can be given again)")
	o.fields.flags(fs, ", replacing all")
	fs.Var(&o.expected, "expected-version", "refuse where the task has another version")
	o.given = func() (some bool) {
		fs.Visit(func(fl *pflag.Flag) {
			some = some || fl.Name != "fence" && cmd.LocalNonPersistentFlags().Lookup(fl.Name) != nil
		})
		return some
	}
	o.fence = frame.AddFence(fs)
	return cmd
}

func (o *editOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := f.TaskArg(ctx, args[0])
	if err != nil {
		return err
	}
	if !o.given() && frame.Editor(f) != "" {
		return o.inEditor(ctx, f, id)
	}
	for _, list := range []*frame.ListFlag{o.deps, o.addDeps, o.rmDeps} {
		if list.All, err = references(ctx, f, list.All); err != nil {
			return err
		}
	}
	e := &plan.Edit{AddDeps: o.addDeps.All, RemoveDeps: o.rmDeps.All, AddCriteria: o.addCriteria.All, RemoveCriteria: o.rmCriteria.All}
	if err := o.fields.fill(ctx, f, &e.Fields); err != nil {
		return err
	}
	if o.title.Text != nil {
		e.Title = plan.Give(*o.title.Text)
	}
	many(&e.Deps, o.deps.All)
	many(&e.Criteria, o.criteria.All)
	e.ExpectedVersion = o.expected.N
	if e.Fence, err = f.Fence(ctx, o.fence, id); err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Edit, planning.EditIn{Task: id, Edit: e}, func(f *frame.Factory, t *planning.Written) { showEdited(ctx, f, t) })
}

func showEdited(ctx context.Context, f *frame.Factory, t *planning.Written) {
	f.Say("%s is at version %d: %s\n", t.ID, t.Version, t.Title)
	frame.EchoTaken(ctx, f, t.Project, t.ID)
	f.Warn(t.Warnings)
}
