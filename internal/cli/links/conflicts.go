package links

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// NewConflicts returns the command `tasker conflicts`.
func NewConflicts(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{
		Use:     "conflicts",
		Example: []string{"tasker conflicts", "tasker conflicts --json"},
	}, op.Conflicts, func(f *frame.Factory, out links.ConflictsOut) {
		if out.Total == 0 {
			f.Say("No two systems disagree on %s\n", out.Project)
		}
		for _, c := range out.Items {
			f.Out.Line(term.Bold.Of(fmt.Sprintf("%d", c.ID)), term.Textf("  %s  %s", c.Task, c.Title))
			f.Out.Printf("    %s: %s here, %s there, %s before%s\n", c.Field, shown(c.Ours), shown(c.Theirs), shown(c.Base),
				words.When(c.Deferred, "; deferred until either changes"))
			for _, r := range c.Resolutions {
				f.Out.Printf("    %s: %s\n", f.AsCommand(hint.Here(fmt.Sprintf("resolve %d %s", c.ID, r.Name))), r.Effect)
			}
		}
	})
}

// shown returns the value of a field on one line.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return words.Quoted(words.Cut(v, 80))
	}
	return fmt.Sprint(v)
}

// resolveOptions holds the options of `tasker resolve`.
type resolveOptions struct {
	value  string
	given  func() bool
	dryRun bool
}

// NewResolve returns the command `tasker resolve`.
func NewResolve(f *frame.Factory) *cobra.Command {
	o := &resolveOptions{}
	cmd := f.Command(frame.Spec{
		Use: "resolve CONFLICT RESOLUTION", Here: "resolve", Short: op.Resolve.Op.Summary, Args: frame.Exactly("the number of a CONFLICT", "a RESOLUTION"),
		Example: []string{
			"tasker resolve 120 keep_local",
			"tasker resolve 120 take_remote   # a different one: the first resolution is undone",
			"tasker resolve 120 set_value --value 'A title that suits both'",
		},
		Long: resolutions(),
		Flags: []frame.Flag{
			frame.String(&o.value, "value", "the value of set_value"),
			dryRun(&o.dryRun),
		},
		Complete: frame.InTurn(cobra.NoFileCompletions,
			frame.Offering(words.Each(merge.Resolutions(merge.Local), func(r merge.Resolution) string { return r.Name }))),
	}, o.run)
	o.given = func() bool { return cmd.Flags().Changed("value") }
	return cmd
}

func resolutions() string {
	text := "The resolutions:"
	for _, r := range merge.Resolutions(merge.Local) {
		if r.Name == merge.HandOver {
			r.Effect = "the other system owns the field from now on, and its value counts"
		}
		text += "\n  " + r.Name + ": " + r.Effect
	}
	return text
}

func (o *resolveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	a := f.Args(ctx)
	in := links.ResolveIn{Conflict: number(a, args[0], "a conflict", "conflicts"), Resolution: args[1], DryRun: o.dryRun}
	if o.given() {
		in.Value = &o.value
	}
	return frame.DoWith(a, op.Resolve, in, func(f *frame.Factory, out links.ResolveOut) {
		switch {
		case out.Resolution == merge.Defer:
			is := words.Either(out.DryRun, "would be", "is")
			f.Say("The conflict %s deferred until either side changes; %s of %s %s %s here meanwhile\n", is, out.Field, out.Task, is, shown(out.Value))
		case !out.DryRun:
			f.Say("%s of %s is %s\n", out.Field, out.Task, shown(out.Value))
		default:
			f.Say("%s of %s is %s, and would be %s\n", out.Field, out.Task, shown(out.From), shown(out.Value))
			if w := out.Plan; w != nil {
				f.Say("At %s it is %s, and would be planned to become %s\n", w.Ref, shown(w.From), shown(w.To))
			}
		}
	})
}

// number returns the id of a record that a command lists.
func number(a *frame.Args, text, what, command string) int64 {
	return a.Number(text, fault.Bad("%s is not the number of %s", words.Quoted(text), what).WithHint("%s lists them", hint.Here(command)))
}
