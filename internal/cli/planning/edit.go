package planning

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/text/words"
)

// editOptions holds the options of `tasker edit`.
type editOptions struct {
	fields         fieldFlags
	title          *string
	deps, criteria []string
	edit           plan.Edit
	fence          *int64

	given func() bool     // reports whether a flag names a field or a version
	takes func() []string // the flags that do
}

// NewEdit returns the command `tasker edit`.
func NewEdit(f *frame.Factory) *cobra.Command {
	o := &editOptions{}
	cmd := f.Command(frame.Spec{
		Use: "edit ID", Short: op.Edit.Op.Summary, IDs: true, Args: frame.Exactly("the ID of a task"),
		Example: []string{
			"tasker edit demo-4   # in VISUAL or EDITOR",
			"tasker edit demo-4 --add-dep demo-2",
			`tasker edit demo-4 --gate ""   # clears the gate`,
		},
		Long: "A flag given as \"\" clears its field.",
		Flags: append(o.fields.flags(", replacing all"),
			frame.MaybeText(&o.title, "title", "the title"),
			frame.List(&o.edit.AddDeps, "add-dep", "task", "a task to wait for as well (can be given again)"),
			frame.List(&o.edit.RemoveDeps, "rm-dep", "task", "a task to stop waiting for (can be given again)"),
			frame.List(&o.edit.AddCriteria, "add-criterion", "text", "a criterion to add (can be given again)"),
			frame.List(&o.edit.RemoveCriteria, "rm-criterion", "text", "a criterion to remove, by its text (can be given again)"),
			frame.List(&o.deps, "dep", "task", "replaces what it waits for (can be given again)"),
			frame.List(&o.criteria, "criterion", "text", "replaces all; ticks stay (can be given again)"),
			frame.MaybeInt(&o.edit.ExpectedVersion, "expected-version", "refuse if the task has another version"),
			frame.Fence(&o.fence),
		),
	}, o.run)
	own := func(fl *pflag.Flag) bool {
		return fl.Name != "fence" && fl.Name != "help" && cmd.LocalNonPersistentFlags().Lookup(fl.Name) != nil
	}
	o.given = func() (some bool) {
		cmd.Flags().Visit(func(fl *pflag.Flag) { some = some || own(fl) })
		return some
	}
	o.takes = func() (names []string) {
		cmd.Flags().VisitAll(func(fl *pflag.Flag) {
			if own(fl) && fl.Name != "expected-version" && !fl.Hidden {
				names = append(names, "--"+fl.Name)
			}
		})
		return names
	}
	return cmd
}

// nothing is the refusal of an edit that changes nothing, where no editor can be opened.
func (o *editOptions) nothing() error {
	return fault.Bad("no field to change is given, and there is no editor to open").WithHint("name the fields to change: %s", words.List(o.takes()))
}

func (o *editOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	a := f.Args(ctx)
	id := a.Task(args[0])
	if a.Err != nil {
		return a.Err
	}
	if !o.given() {
		if frame.Editor(f) == "" {
			return o.nothing()
		}
		return o.inEditor(ctx, f, a, id)
	}
	for _, list := range [][]string{o.deps, o.edit.AddDeps, o.edit.RemoveDeps} {
		references(a, list)
	}
	e := &o.edit
	o.fields.fill(a, f.Now(), &e.Fields)
	if o.title != nil {
		e.Title = plan.Give(*o.title)
	}
	many(&e.Deps, o.deps)
	many(&e.Criteria, o.criteria)
	e.Fence = a.Fence(o.fence)
	return frame.DoWith(a, op.Edit, planning.EditIn{Task: id, Edit: e}, func(f *frame.Factory, t *planning.Edited) { showEdited(ctx, f, t) })
}

func showEdited(ctx context.Context, f *frame.Factory, t *planning.Edited) {
	same := t.Changes != nil && len(t.Changes) == 0 // an older server does not say
	f.Say("%s is %sat version %d: %s\n", t.ID, words.When(same, "as it was, "), t.Version, t.Title)
	render.Changes(f, t.Changes)
	frame.EchoTaken(ctx, f, t.Project, t.ID)
	f.Warn(t.Warnings)
}
