package work

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// NewCheck returns the command `tasker check`.
func NewCheck(f *frame.Factory) *cobra.Command {
	return ticking(f, true, frame.Spec{
		Use: "check [ID] N…", Short: "Tick acceptance criteria of a task", IDs: true,
		Args: frame.Between(1, -1, "the number of a criterion"),
		Example: []string{"tasker check 1 2   # of the task that you hold", "tasker check demo-4 1 2",
			`tasker check demo-4 1 --text "the tests pass"   # refused if criterion 1 reads differently`,
			"tasker check demo-4 1 --by 57   # show and evidence number what is recorded",
			`tasker check demo-4 1 --seen "the page says 12 %"   # looked at, where no command can show it`},
	})
}

// checkOptions holds the options of `tasker check`.
type checkOptions struct {
	checked bool
	text    string
	by      *int64
	seen    *string
	fence   *int64
}

func ticking(f *frame.Factory, checked bool, s frame.Spec) *cobra.Command {
	o := &checkOptions{checked: checked}
	s.Flags = append(s.Flags, frame.String(&o.text, "text", "what the criterion must read"), frame.Fence(&o.fence))
	if checked {
		s.Flags = append(s.Flags, frame.MaybeInt(&o.by, "by", "the evidence that it rests on, by its id"),
			frame.MaybeText(&o.seen, "seen", "what you saw, where no command can show it: a tick by eye (- reads standard input)"))
	}
	return f.Command(s, o.run)
}

func (o *checkOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.seen != nil && o.by != nil {
		return fault.Bad("--by names evidence and --seen says what you saw: a tick rests on one of them").WithHint("leave one of them out")
	}
	a := f.Args(ctx)
	in := work.TickIn{Checked: &o.checked, By: o.by, Seen: a.Given(o.seen)}
	name, numbers := frame.OrCurrent(nil), args
	if _, err := strconv.Atoi(args[0]); err != nil { // bare numbers are criteria, never task numbers
		name, numbers = args[0], args[1:]
	}
	if len(numbers) == 0 {
		return fault.Bad("say which criteria of %s, by their numbers", name).WithHint("%s numbers them", hint.Here("show "+words.Shell(name)))
	}
	for _, text := range numbers {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fault.Bad("%q is not the number of a criterion", text).WithHint("%s numbers them", hint.Here("show "+words.Shell(name)))
		}
		in.Indexes = append(in.Indexes, n)
	}
	if o.text != "" {
		if len(in.Indexes) != 1 {
			return fault.Bad("--text is for one criterion, and %d are named", len(in.Indexes))
		}
		in.Index, in.Indexes, in.Text = in.Indexes[0], nil, &o.text
	}
	in.Task, in.Fence = a.Task(name), a.Fence(o.fence)
	return frame.DoWith(a, op.Tick, in, func(f *frame.Factory, t *task.Task) {
		f.Say("%s has %d of %s ticked\n", t.ID, task.ProgressOf(t.Criteria).Checked, words.Count(len(t.Criteria), "criterion", "criteria"))
		if !f.Flags.Quiet {
			render.Criteria(f, t)
		}
		inverse := words.Either(o.checked, "uncheck ", "check ") + string(t.ID) + " " + strings.Join(numbers, " ")
		f.Echo(ctx, t.ID, t.Title, hint.Command(inverse))
	})
}

// NewUncheck returns the command `tasker uncheck`.
func NewUncheck(f *frame.Factory) *cobra.Command {
	return ticking(f, false, frame.Spec{
		Use: "uncheck [ID] N…", Short: "Untick acceptance criteria of a task", IDs: true, Args: frame.Between(1, -1, "the number of a criterion"),
		Example: []string{"tasker uncheck demo-4 2"},
	})
}
