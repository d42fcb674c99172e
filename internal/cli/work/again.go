package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// againOut is the answer of `tasker prove --again`.
type againOut struct {
	Holds    int         `json:"holds"`
	Fails    int         `json:"fails"`
	Cannot   int         `json:"cannot"`
	Base     task.Opt    `json:"base"`   // whose file says what is run, such as origin/main; null outside git
	Commit   task.Opt    `json:"commit"` // of the base
	Items    []againItem `json:"items"`
	Warnings []string    `json:"warnings"`

	ran   []printed
	unrun int // lines of the gates themselves that were not run, and so do not hold
}

// againItem is one command that was run again, or that was not.
type againItem struct {
	Task     string   `json:"task"`
	Evidence *int64   `json:"evidence"` // what was recorded; null if it was not run
	Command  string   `json:"command"`
	Outcome  string   `json:"outcome"` // holds, fails, cannot
	Why      task.Opt `json:"why"`
}

// The outcomes of a command that should run again.
const (
	holds  = "holds"
	fails  = "fails"
	cannot = "cannot"
)

func (o *againOut) add(item againItem) {
	count := map[string]*int{holds: &o.Holds, fails: &o.Fails, cannot: &o.Cannot}[item.Outcome]
	*count++
	o.Items = append(o.Items, item)
}

// again reruns the commands of the tasks' gates on the files as they are now, whatever the status of the tasks, and changes
// no status. It records what it finds, including that a command now fails. A recorded command is data, and so is one that
// only the file of this checkout has, because the worker can edit that file: such a command is run only if the file on the
// base declares it, or if a human at a terminal confirms exactly this line.
func (o *proveOptions) again(ctx context.Context, f *frame.Factory, names []string) error {
	if o.kind != "" || len(o.check) > 0 {
		return fault.Bad("--again runs what the gate asks for, and ticks nothing").WithHint("leave --kind and --check out")
	}
	if len(names) == 0 {
		names = []string{frame.OrCurrent(nil)}
	}
	var all []*bundle.Bundle
	for _, name := range names { // a wrong id must fail before anything runs
		a := f.Args(ctx)
		b, err := frame.CallWith(a, op.Show, reading.ShowIn{Task: a.Task(name)})
		if err != nil {
			return err
		}
		all = append(all, b)
	}
	base, err := workspace.OnBase(ctx, f)
	if err != nil {
		return err
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	out := againOut{Base: task.Opt(base.Name), Commit: task.Opt(base.Commit), Items: []againItem{}, Warnings: []string{}}
	for _, b := range all {
		if err := o.againOne(ctx, f, b, base, &out); err != nil {
			return err
		}
	}
	if base.Why != "" && out.Cannot > 0 {
		out.Warnings = append(out.Warnings, "no command counts as declared: "+base.Why)
	}
	err = f.AnsweredOr(nil, out, out.Fails+out.unrun == 0, frame.ErrExit(fault.ExitDeclined), func() {
		for _, i := range out.Items {
			f.Say("%s %s: %s%s\n", i.Task, i.Outcome, i.Command, words.When(i.Why != "", " ("+string(i.Why)+")"))
		}
		f.Say("%d hold, %d fail, %d cannot be run\n", out.Holds, out.Fails, out.Cannot)
		f.Warn(out.Warnings)
	})
	for _, output := range out.ran {
		output.show(f, beside(f))
	}
	return err
}

// candidate is a command that a task rests on. One that the base's file does not declare is run only if a human confirms it.
type candidate struct {
	proving
	declared bool
	why      task.Opt // why it is not run at all
	warning  string   // given with the command the first time that it occurs
}

// candidates returns what a task rests on: the lines of its gate on the base, what else its gate asks for here, what else was
// run for it, and what only the database knows. A command may occur more than once. own are the lines of the gate itself.
func candidates(ctx context.Context, f *frame.Factory, b *bundle.Bundle, base *workspace.Based) (all []candidate, own []string, err error) {
	var asked []string
	if b.Gate != nil {
		asked = task.CommandLines(b.Gate.Requires)
		declared := base.Lines(b.Task.Project, b.Gate.Name)
		here, err := base.Here(b.Task.Project, b.Gate.Name)
		if err != nil {
			return nil, nil, err
		}
		own = slices.Concat(asked, declared, here)
		for i, line := range slices.Concat(declared, here) {
			c := candidate{proving: proving{kind: task.CommandKind(line), line: line, dir: base.Dir}, declared: i < len(declared)}
			if !c.declared && base.Why == "" {
				c.warning = "the file here asks for a command that it does not ask for on " + base.Words() + ": " + line
			}
			all = append(all, c)
		}
	}
	here, err := placeOf(ctx, f, f.Process.Dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range slices.Backward(b.Evidence) {
		r, ok := proven.Parse(e.Value)
		if !ok || r.ExitCode != 0 {
			continue
		}
		c := candidate{proving: proving{kind: e.Kind, args: r.Command, line: r.Line, dir: f.Process.Dir}}
		if r.Dir != "" && here != string(r.Dir) {
			c.why = notInFile + "; it ran in " + r.Dir
		}
		all = append(all, c)
	}
	for _, line := range asked {
		all = append(all, candidate{proving: proving{line: line}, why: notInFile})
	}
	return all, own, nil
}

// againOne runs what one task rests on, each command once.
func (o *proveOptions) againOne(ctx context.Context, f *frame.Factory, b *bundle.Bundle, base *workspace.Based, out *againOut) error {
	all, own, err := candidates(ctx, f, b, base)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, c := range all {
		text := c.run().Text()
		if done[text] {
			continue
		}
		done[text] = true
		if c.warning != "" {
			out.Warnings = append(out.Warnings, c.warning)
		}
		if c.why != "" || !c.declared && !confirmed(ctx, f, b.Task.Project, c.run()) {
			out.add(againItem{Task: string(b.Task.ID), Command: text, Outcome: cannot, Why: cmp.Or(c.why, notInFile)})
			if slices.Contains(own, c.line) { // what was not run does not hold
				out.unrun++
			}
		} else if err := o.rerun(ctx, f, b, c.proving, out); err != nil {
			return err
		}
	}
	return nil
}

// notInFile is why a command is not run.
const notInFile = "not in the file"

// confirmed reports whether a human at a terminal agrees to run a recorded command. It shows exactly what would be run,
// quoted so that a shell would read the same words. Nobody is asked in an agent's shell, in an agent's name, or about
// a command with characters that a terminal does not show.
func confirmed(ctx context.Context, f *frame.Factory, project string, r proven.Run) bool {
	shown := r.Text()
	if f.Named().Agent != "" || term.Inert(shown, false) != shown || !person(ctx, f, project) {
		return false
	}
	return frame.Agrees(f, "No file on the base declares this command. Run it? "+shown)
}

// person reports whether the caller is a human of the project. Where no file here declares one, everybody at a terminal
// counts.
func person(ctx context.Context, f *frame.Factory, project string) bool {
	who, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil || who.Kind == "human" {
		return err == nil
	}
	eff, err := f.FileSettings(project)
	return err == nil && !eff.DeclaresHuman()
}

// rerun runs one command, and records how it ended: as evidence of its kind, or that it now fails. A command that fails is
// run once more before that counts.
func (o *proveOptions) rerun(ctx context.Context, f *frame.Factory, b *bundle.Bundle, do proving, out *againOut) error {
	id := string(b.Task.ID)
	do.criteria = b.Criteria
	beside(f).Printf("$ %s\n", do.run().Text())
	r, output, err := do.prove(ctx, f)
	if errors.Is(err, errRed) {
		beside(f).Printf("It failed. Once more:\n")
		r, output, err = do.prove(ctx, f)
	}
	out.ran = append(out.ran, output)
	item := againItem{Task: id, Command: r.Text(), Outcome: holds, Why: task.Opt(r.Idle)}
	switch {
	case errors.Is(err, errNoShell):
		item.Outcome, item.Why = cannot, task.Opt(fault.Of(err).Message)
		out.add(item)
		return nil
	case errors.Is(err, errRed):
		item.Outcome, item.Why = fails, task.Opt("exit code "+strconv.Itoa(r.ExitCode))
		do.kind = proven.KindFails
	case err != nil:
		return err
	}
	kept, err := o.record(ctx, f, work.EvidenceIn{Task: id}, do.kind, r, output.kept)
	if err != nil {
		return err
	}
	item.Evidence = &kept.IDs[0]
	out.add(item)
	return nil
}
