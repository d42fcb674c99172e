package admin

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/text/words"
)

func newProjectSettings(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "settings [SLUG]", Args: frame.Between(0, 1),
		Example:  []string{"tasker project settings demo"},
		Complete: frame.InTurn(f.CompleteProjects),
	}, op.ProjectSettings, func(a *frame.Args, args []string) core.ProjectIn {
		in := core.ProjectIn{Slug: slugOr(a, args)}
		a.Refuse(f.OnlyHere(administration))
		return in
	}, showSettings)
}

func showSettings(f *frame.Factory, out admin.SettingsOut) {
	if len(out.LeftOut) > 0 {
		f.Warn([]string{"left out, because it counts only from a file on the machine that runs it, and never from the database: " + words.List(out.LeftOut)})
	}
	if r := out.Record; r != nil {
		policy, _ := f.JSON(r.Policy)
		f.Out.Printf("policy of record, from %s, %s: %s\n", r.File, render.Ago(f, r.At), string(policy))
	}
	if len(out.Settings) == 0 {
		f.Say("The database keeps no settings for %s\n", out.Project)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(out.Settings)) {
		value, _ := f.JSON(out.Settings[k]) // a value read from JSON can be written as JSON
		f.Out.Printf("%s = %s\n", k, string(value))
	}
}

// projectSetOptions holds the options of `tasker project set`.
type projectSetOptions struct {
	from     string
	takeOver bool
}

func newProjectSet(f *frame.Factory) *cobra.Command {
	o := &projectSetOptions{}
	return f.Command(frame.Spec{
		Use: "set SLUG KEY VALUE", Short: op.ProjectSet.Op.Summary,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.from != "" {
				return frame.Exactly("a SLUG")(cmd, args)
			}
			return frame.Exactly("a SLUG", "a KEY", "a VALUE")(cmd, args)
		},
		Example: []string{
			"tasker project set demo agentDefaults.lease 30m",
			`tasker project set demo gates.ship '["test", "review"]'`,
			"tasker project set demo --from .tasker.json   # all policy of a file",
		},
		Long: "A human of the project's record can carry a file over. If the record has no human left, --take-over does it: at a\n" +
			"terminal, for a person whom the file declares as a human. It is logged as an override.",
		Flags: []frame.Flag{
			frame.String(&o.from, "from", "carry the policy of a configuration file over"),
			frame.Bool(&o.takeOver, "take-over", "with --from: even if no human of the record is left"),
		},
		Complete: frame.InTurn(f.CompleteProjects, keys()),
	}, o.run)
}

func (o *projectSetOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	in := admin.ProjectSetIn{Slug: args[0], TakeOver: o.takeOver}
	if err := o.confirm(f, args[0]); err != nil {
		return err
	}
	if o.from != "" {
		src, err := f.ReadFile(o.from, frame.MaxText)
		if err != nil {
			return err
		}
		in.From = src
	} else {
		in.Key, in.Value = args[1], &args[2]
	}
	return setting(ctx, f, in)
}

// confirm asks a person at a terminal to confirm that a project is taken over.
func (o *projectSetOptions) confirm(f *frame.Factory, slug string) error {
	switch {
	case !o.takeOver:
		return nil
	case o.from == "":
		return fault.Bad("--take-over needs a file").WithHint("name it: %s", hint.Command("project set "+words.Shell(slug)+" --from FILE --take-over"))
	case f.Named().Agent != "":
		return fault.Decline("this is the shell of %s, an agent, which may not take over %s", f.Named().Agent, slug).WithHint("ask a person to do it at a terminal")
	}
	typed, asked := frame.Prompt(f, "This replaces the policy of "+slug+", and is logged as an override. Type its slug to go on:")
	switch {
	case !asked:
		return fault.Decline("taking over %s is confirmed at a terminal, and this is not one", slug).WithHint("ask a person to do it at a terminal")
	case typed != slug:
		return fault.Decline("%s stays as it is: what was typed is not its slug", slug)
	}
	return nil
}

// setting changes settings of a project, and prints the command that undoes the change.
func setting(ctx context.Context, f *frame.Factory, in admin.ProjectSetIn) error {
	if err := f.OnlyHere(administration); err != nil {
		return err
	}
	return frame.Do(ctx, f, op.ProjectSet, in, func(f *frame.Factory, out admin.SettingsOut) {
		showSettings(f, out)
		frame.EchoTaken(ctx, f, in.Slug, "")
	})
}

func newProjectUnset(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "unset SLUG KEY", Short: "Remove a setting that the database keeps for a project", Args: frame.Exactly("a SLUG", "a KEY"),
		Example:  []string{"tasker project unset demo agentDefaults.lease"},
		Complete: frame.InTurn(f.CompleteProjects, keys()),
	}, runProjectUnset)
}

func runProjectUnset(ctx context.Context, f *frame.Factory, args []string) error {
	return setting(ctx, f, admin.ProjectSetIn{Slug: args[0], Key: args[1]})
}
