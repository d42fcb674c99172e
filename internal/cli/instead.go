package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// The commands of this file do nothing but say what to use in place of what other tools have.

// newBlock returns a command that says how a task is blocked.
func newBlock(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "block ID…", Short: "A task is blocked by what it depends on, or by a question", IDs: true, Many: true, Hidden: true,
		Example: []string{"tasker edit demo-4 --add-dep demo-2"},
	}, func(_ context.Context, _ *frame.Factory, args []string) error {
		id := firstOr(args, "ID")
		return fault.Bad("a task is blocked by what it depends on, or by a question").WithHint("let it wait for a task: %s; or for an answer: %s",
			hint.Here("edit "+id+" --add-dep ID"), hint.Here("ask "+id+" TEXT --blocking"))
	})
}

// newLabel returns a command that says what to use in place of labels.
func newLabel(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "label ID…", Short: "Tasks have no labels", IDs: true, Many: true, Hidden: true,
		Example: []string{"tasker edit demo-4 --parent demo-1"},
	}, func(_ context.Context, _ *frame.Factory, args []string) error {
		return fault.Bad("tasks have no labels").WithHint("put it below a task that stands for the group: %s; words of a title are found by %s",
			hint.Here("edit "+firstOr(args, "ID")+" --parent ID"), hint.Here("list WORDS"))
	})
}

// firstOr returns the first argument, as a shell reads it, or none if there is no argument.
func firstOr(args []string, none string) string {
	if len(args) == 0 {
		return none
	}
	return words.Shell(args[0])
}

// newRm returns a command that explains why there is no `rm`.
func newRm(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "rm ID…", Short: "Tasks are cancelled, not deleted", IDs: true, Many: true, Hidden: true,
		Example: []string{"tasker cancel demo-4"},
	}, func(_ context.Context, _ *frame.Factory, args []string) error {
		line := "cancel " + cmp.Or(strings.Join(words.Each(args, words.Shell), " "), "ID")
		return fault.Bad("tasks are cancelled, not deleted: what happened stays in the log").WithHint("cancel instead: %s", hint.Here(line))
	})
}
