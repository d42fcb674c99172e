package planning

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/task"
)

func NewAdd(f *frame.Factory) *cobra.Command {
	var d fieldFlags
	var key, status string
	var deps, criteria *frame.ListFlag
	var evidence frame.EvidenceFlag
	cmd := f.Command(frame.Spec{
		Use: "add TITLE", Short: op.Create.Summary, Args: frame.Exactly("a TITLE"),
		Example: []string{
			`tasker add "Write the parser"`,
			`tasker add "Test the parser" --key parser-tests --dep parser --criterion "every error has a case" --priority 1`,
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		def := &plan.TaskDef{Key: key}
		if err := fill(f, &d, &def.Fields); err != nil {
			return err
		}
		def.Title = plan.Give(args[0])
		many(&def.Deps, deps.All)
		many(&def.Criteria, criteria.All)
		if status != "" {
			def.Status = plan.Give(task.Status(status))
		}
		if evidence != nil {
			def.Evidence = plan.Give([]task.EvidenceItem(evidence))
		}
		project, err := f.OneProject(ctx)
		if err != nil {
			return err
		}
		return frame.Do(ctx, f, op.Create, core.CreateIn{Project: project, Def: def}, func(f *frame.Factory, t *task.Task) {
			f.Say("Added %s: %s\n", t.ID, t.Title)
		})
	})
	fs := cmd.Flags()
	fs.StringVar(&key, "key", "", "the name by which plans know it (the id, where none is given)")
	deps = frame.Lists(fs, "dep", "task", "a task that must be closed before this one is ready (can be given again)")
	criteria = frame.Lists(fs, "criterion", "text", "an acceptance criterion (can be given again)")
	d.flags(fs)
	fs.StringVar(&status, "status", "", "the status that it starts with (default open)")
	fs.Var(&evidence, "evidence", "evidence that there is already (can be given again)")
	return cmd
}
