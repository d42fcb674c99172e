package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/task"
)

// fieldFlags are the fields of a task as flags. What is not given stays as it is; given and empty, it is cleared.
type fieldFlags struct {
	body, parent, due, gate, autonomy, prefer, severity textFlag

	priority            intFlag[int]
	mayExecute, touches *listFlag
	links               linkFlag
}

func (d *fieldFlags) flags(fs *pflag.FlagSet) {
	fs.Var(&d.body, "body", "what is to be done, at length (- reads standard input)")
	fs.Var(&d.parent, "parent", "the task that this one is a part of")
	fs.Var(&d.priority, "priority", "0 (most urgent) to 3")
	fs.Var(&d.severity, "severity", "1 (worst) to 4, or none")
	fs.Var(&d.due, "due", "when it is due: 2026-03-31, or a full RFC 3339 time")
	fs.Var(&d.gate, "gate", "the gate whose evidence it needs to be done")
	fs.Var(&d.autonomy, "autonomy", "autonomous, supervised or human_only")
	fs.Var(&d.prefer, "prefer", "the actor who should do it; a bias, never a lock")
	d.mayExecute = lists(fs, "may-execute", "role", "a role or capability that may claim it (can be given again)")
	d.touches = lists(fs, "touches", "glob", "paths that it touches (can be given again)")
	fs.Var(&d.links, "link", "doc=…, url=… or file=… that belongs to it (can be given again)")
}

// fill puts the given flags into the fields of a definition or an edit.
func (f *factory) fill(d *fieldFlags, to *plan.Fields) error {
	body, err := f.given(d.body)
	if err != nil {
		return err
	}
	opt(&to.Body, body)
	opt(&to.Parent, d.parent.s)
	opt(&to.Due, d.due.s)
	opt(&to.Gate, d.gate.s)
	opt(&to.Autonomy, d.autonomy.s)
	opt(&to.PreferredActor, d.prefer.s)
	if d.priority.n != nil {
		to.Priority = plan.Give(*d.priority.n)
	}
	if s := d.severity.s; s != nil {
		var n intFlag[int]
		switch {
		case *s == "" || *s == "none":
			to.Severity = plan.Give(task.Severity(0))
		case n.Set(*s) != nil || *n.n == 0:
			return fault.Bad("--severity %q is no severity", *s).WithHint("1 (worst) to 4, or none")
		default:
			to.Severity = plan.Give(task.Severity(*n.n))
		}
	}
	many(&to.MayExecute, d.mayExecute.all)
	many(&to.Touches, d.touches.all)
	if d.links != nil {
		to.Links = plan.Give([]task.Link(d.links))
	}
	return nil
}

func opt(to *plan.Field[task.Opt], given *string) {
	if given != nil {
		*to = plan.Give(task.Opt(*given))
	}
}

func many(to *plan.Field[[]string], given []string) {
	if given != nil {
		*to = plan.Give(given)
	}
}

func (f *factory) newAdd() *cobra.Command {
	var d fieldFlags
	var key, status string
	var deps, criteria *listFlag
	var evidence evidenceFlag
	cmd := f.command(spec{
		use: "add TITLE", short: op.Create.Summary, args: exactly("a TITLE"),
		example: []string{
			`tasker add "Write the parser"`,
			`tasker add "Test the parser" --key parser-tests --dep parser --criterion "every error has a case" --priority 1`,
		},
	}, func(ctx context.Context, f *factory, args []string) error {
		def := &plan.TaskDef{Key: key}
		if err := f.fill(&d, &def.Fields); err != nil {
			return err
		}
		def.Title = plan.Give(args[0])
		many(&def.Deps, deps.all)
		many(&def.Criteria, criteria.all)
		if status != "" {
			def.Status = plan.Give(task.Status(status))
		}
		if evidence != nil {
			def.Evidence = plan.Give([]task.EvidenceItem(evidence))
		}
		project, err := f.oneProject(ctx)
		if err != nil {
			return err
		}
		return do(ctx, f, op.Create, core.CreateIn{Project: project, Def: def}, func(f *factory, t *task.Task) {
			f.say("Added %s: %s\n", t.ID, t.Title)
		})
	})
	fs := cmd.Flags()
	fs.StringVar(&key, "key", "", "the name by which plans know it (the id, where none is given)")
	deps = lists(fs, "dep", "task", "a task that must be closed before this one is ready (can be given again)")
	criteria = lists(fs, "criterion", "text", "an acceptance criterion (can be given again)")
	d.flags(fs)
	fs.StringVar(&status, "status", "", "the status that it starts with (default open)")
	fs.Var(&evidence, "evidence", "evidence that there is already (can be given again)")
	return cmd
}

func (f *factory) newEdit() *cobra.Command {
	var d fieldFlags
	var title textFlag
	var expected intFlag[int64]
	var fence *intFlag[int64]
	var addDeps, rmDeps, addCriteria, rmCriteria, deps, criteria *listFlag
	cmd := f.command(spec{
		use: "edit ID", short: op.Edit.Summary, ids: true, args: exactly("the ID of a task"),
		example: []string{
			"tasker edit demo-4 --priority 0 --due 2026-03-31",
			`tasker edit demo-4 --add-dep demo-2 --rm-criterion "the old wording" --add-criterion "the new one"`,
			`tasker edit demo-4 --gate ""   # clears it`,
		},
		long: "What is not given stays as it is; a flag given as \"\" clears its field.",
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		e := &plan.Edit{AddDeps: addDeps.all, RemoveDeps: rmDeps.all, AddCriteria: addCriteria.all, RemoveCriteria: rmCriteria.all}
		if err := f.fill(&d, &e.Fields); err != nil {
			return err
		}
		if title.s != nil {
			e.Title = plan.Give(*title.s)
		}
		many(&e.Deps, deps.all)
		many(&e.Criteria, criteria.all)
		e.ExpectedVersion = expected.n
		if e.Fence, err = f.fence(ctx, fence, id); err != nil {
			return err
		}
		return do(ctx, f, op.Edit, core.EditIn{Task: id, Edit: e}, func(f *factory, t *task.Task) {
			f.say("%s is at version %d: %s\n", t.ID, t.Version, t.Title)
		})
	})
	fs := cmd.Flags()
	fs.Var(&title, "title", "the title")
	addDeps = lists(fs, "add-dep", "task", "a task to wait for as well (can be given again)")
	rmDeps = lists(fs, "rm-dep", "task", "a task not to wait for any more (can be given again)")
	addCriteria = lists(fs, "add-criterion", "text", "a criterion more (can be given again)")
	rmCriteria = lists(fs, "rm-criterion", "text", "a criterion less, by its text (can be given again)")
	deps = lists(fs, "dep", "task", "all tasks to wait for, in place of those it has (can be given again)")
	criteria = lists(fs, "criterion", "text", "all criteria, in place of those it has; ticks stay with their text (can be given again)")
	d.flags(fs)
	fs.Var(&expected, "expected-version", "refuse where the task has another version")
	fence = fenceFlag(fs)
	return cmd
}
