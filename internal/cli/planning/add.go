package planning

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// addOptions holds the options of `tasker add`.
type addOptions struct {
	fields         fieldFlags
	key, status    string
	deps, criteria []string
	evidence       []task.EvidenceItem
}

// NewAdd returns the command `tasker add`.
func NewAdd(f *frame.Factory) *cobra.Command {
	o := &addOptions{}
	return f.Command(frame.Spec{
		Use: "add TITLE|-", Short: op.Create.Op.Summary, Args: frame.Exactly("a TITLE"),
		Example: []string{
			`tasker add "Write the parser"`,
			`tasker add "Test the parser" --key parser-tests --dep parser --criterion "every error has a case" --priority 1`,
			"tasker add - < task.md",
		},
		Long: "- reads standard input: the first line is the title, \"- [ ] TEXT\" a criterion, \"deps: a, b\" what it waits for, the rest the body.",
		Flags: append(o.fields.flags(""),
			frame.String(&o.key, "key", "the name by which plans know it (the id if none is given)"),
			frame.List(&o.deps, "dep", "task", "a task that must be closed before this one is ready (can be given again)"),
			frame.List(&o.criteria, "criterion", "text", "an acceptance criterion (can be given again)"),
			frame.String(&o.status, "status", "the status that it starts with (default open)"),
			frame.Evidence(&o.evidence, "evidence that already exists (can be given again)"),
		),
	}, o.run)
}

func (o *addOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	def := &plan.TaskDef{Key: o.key}
	var text written
	if args[0] == "-" {
		if b := o.fields.body; b != nil {
			return fault.Bad("the body is given twice: on standard input below the title, and by --body").WithHint("leave --body out")
		}
		src, err := f.Stdin(frame.MaxText)
		if err == nil {
			text, err = readWritten(string(src))
		}
		if err != nil {
			return err
		}
		if text.body != "" {
			o.fields.body = &text.body
		}
		args = []string{text.title}
		o.deps, o.criteria = append(text.deps, o.deps...), append(text.criteria, o.criteria...)
	}
	a := f.Args(ctx)
	o.fields.fill(a, f.Now(), &def.Fields)
	def.Title = plan.Give(args[0])
	many(&def.Deps, references(a, o.deps))
	many(&def.Criteria, o.criteria)
	if o.status != "" {
		def.Status = plan.Give(task.Status(o.status))
	}
	many(&def.Evidence, o.evidence)
	err := frame.DoWith(a, op.Create, planning.CreateIn{Project: a.ProjectToWrite(), Def: def}, func(f *frame.Factory, t *planning.Written) {
		f.Say("Added %s: %s\n", t.ID, t.Title)
		if len(text.ticked) > 0 {
			f.Warn([]string{"a new task has no ticks yet: " + words.And(text.ticked)})
		}
		f.EchoUndo(hint.Command("cancel " + string(t.ID)))
		f.Warn(t.Warnings)
	})
	if given := f.Flags.Project; fault.Is(err, fault.NotFound) && len(given) <= 2 && slices.Contains(priorities, strings.TrimPrefix(strings.ToUpper(given), "P")) {
		return fault.Missing("%s: -p names a project", fault.Of(err).Message).WithHint("for the priority write --priority %s", given)
	}
	return err
}

// priorities are the texts that name a priority, after a P or not. Somebody who writes -p 1 means one.
var priorities = []string{"0", "1", "2", "3"}
