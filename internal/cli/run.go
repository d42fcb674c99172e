package cli

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
)

// spec is how a command is declared: what it is called, what it does, and examples, which its help shows first.
type spec struct {
	use     string
	short   string
	long    string   // more to say, below the examples
	example []string // whole command lines
	args    cobra.PositionalArgs
	ids     bool // the first argument is a task (every one where the command takes several)
	many    bool
}

// command makes a command of its declaration. run gets the command's own context.
func (f *factory) command(s spec, run func(ctx context.Context, f *factory, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: s.use, Short: s.short, Long: s.long,
		Example: strings.Join(s.example, "\n"),
		Args:    s.args,
		RunE:    func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), f, args) },
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	if s.ids {
		cmd.ValidArgsFunction = f.completeTasks(s.many)
	}
	return cmd
}

// do carries out an operation and prints its answer: the route's body with --json, and what render says otherwise.
func do[In, Out any](ctx context.Context, f *factory, o op.Of[In, Out], in In, render func(*factory, Out)) error {
	out, err := call(ctx, f, o, in)
	if err != nil {
		return err
	}
	return f.answer(out, func() { render(f, out) })
}

// call carries out an operation.
func call[In, Out any](ctx context.Context, f *factory, o op.Of[In, Out], in In) (Out, error) {
	var none Out
	ctx, c, err := f.caller(ctx)
	if err != nil {
		return none, err
	}
	return o.Do(ctx, c, in)
}

// each carries out the same thing for several tasks in order, and answers an array where there are several. It ends
// at the first that is refused; the hint then says what was done before it.
func each[Out any](ctx context.Context, f *factory, ids []string, one func(ctx context.Context, id string) (Out, error), render func(*factory, Out)) error {
	outs := make([]Out, 0, len(ids))
	for i, arg := range ids {
		id, err := f.task(ctx, arg)
		if err != nil {
			return before(err, ids[:i])
		}
		out, err := one(ctx, id)
		if err != nil {
			return before(err, ids[:i])
		}
		outs = append(outs, out)
	}
	if len(ids) == 1 {
		return f.answer(outs[0], func() { render(f, outs[0]) })
	}
	return f.answer(outs, func() {
		for _, out := range outs {
			render(f, out)
		}
	})
}

// before adds to a refusal which tasks were dealt with before it.
func before(err error, ids []string) error {
	if len(ids) == 0 {
		return err
	}
	return fault.Of(err).AndHint("done before this one: " + strings.Join(ids, ", "))
}

// answer prints one JSON document with --json, and lets words be printed otherwise.
func (f *factory) answer(body any, words func()) error {
	if !f.flags.json {
		words()
		return nil
	}
	doc, err := f.json(body)
	if err != nil {
		return err
	}
	f.out.Document(doc)
	return nil
}

// json writes a value the way that routes do.
func (f *factory) json(v any) ([]byte, error) {
	var b bytes.Buffer
	err := wire.WriteJSON(&b, v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// say prints what a command did; with --quiet it says nothing.
func (f *factory) say(format string, args ...any) {
	if !f.flags.quiet {
		f.out.Printf(format, args...)
	}
}

// warn prints warnings beside the answer. With --json they are in the answer.
func (f *factory) warn(warnings []string) {
	if f.flags.json || f.flags.quiet {
		return
	}
	for _, w := range warnings {
		f.err.Spans(span{"warning: ", yellow})
		f.err.Printf("%s\n", w)
	}
}

// exactly refuses any other number of arguments, and names those that are wanted.
func exactly(names ...string) cobra.PositionalArgs {
	return between(len(names), len(names), names...)
}

// between refuses fewer than least and more than most arguments; most < 0 is no bound.
func between(least, most int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		usage := "usage: " + cmd.UseLine()
		switch {
		case len(args) < least:
			return fault.Bad("%s needs %s", cmd.CommandPath(), names[len(args)]).WithHint("%s", usage)
		case most == 0 && len(args) > 0:
			return fault.Bad("%s takes no arguments, and was given %q", cmd.CommandPath(), args[0]).WithHint("%s", usage)
		case most >= 0 && len(args) > most:
			return fault.Bad("%s takes %d arguments at most, and %q is one more; a text of several words needs quotes",
				cmd.CommandPath(), most, args[most]).WithHint("%s", usage)
		}
		return nil
	}
}

// text gives an argument or flag as it is, or all of standard input for "-".
func (f *factory) text(given string) (string, error) {
	if given != "-" {
		return given, nil
	}
	src, err := f.stdin()
	return strings.TrimRight(string(src), "\r\n"), err
}
