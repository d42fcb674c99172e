package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/child/purpose"
	"tasker/internal/child/tail"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/landing"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/workspace/machine"
)

// maxTries is how often a task is put on top of the base anew because somebody else moved it meanwhile, and maxSaid how much
// of a failed command's output the answer has.
const (
	maxTries = 3
	maxSaid  = 2 << 10
)

// land lands what the plan says, one task after the other. tip is where the plan ends.
func (l *lander) land(ctx context.Context, tip string) (err error) {
	var order []task.ID
	for _, item := range l.list.Items {
		if l.by[item.Task] != nil {
			order = append(order, item.Task)
		}
	}
	planned := l.out.Landed
	l.out.Landed, l.out.Failed, l.out.Cannot = []landedItem{}, []failedItem{}, []cannotItem{}
	l.out.Skipped = slices.DeleteFunc(l.out.Skipped, func(s landing.Skip) bool { return slices.Contains(order, s.Task) })
	l.f.Wrote()
	if err := l.target.Movable(ctx, tip); err != nil {
		return err
	}
	scratch, err := l.target.Stage(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close(ctx)) }()
	if red, err := l.alone(ctx, scratch, planned); err != nil || red {
		return err
	}
	for len(order) > 0 {
		failed, err := l.one(ctx, scratch, l.by[order[0]])
		switch {
		case err != nil:
			return err
		case failed == nil:
			order = order[1:]
			continue
		}
		if err := l.fail(ctx, *failed); err != nil {
			return err
		}
		if failed.Why == landing.Push { // it would refuse the others too
			return nil
		}
		order = l.without(order, order[0])
	}
	return nil
}

// alone runs the lines of all that is planned on the base alone, and reports whether one fails there.
func (l *lander) alone(ctx context.Context, s *machine.Stage, planned []landedItem) (red bool, err error) {
	if err := s.Hold(ctx, l.target.Base.Commit); err != nil {
		return false, err
	}
	var done []string
	for _, item := range planned {
		for _, r := range item.Runs {
			if slices.Contains(done, r.Command) {
				continue
			}
			done = append(done, r.Command)
			run, output, err := l.runLine(ctx, s, r.Command)
			if err != nil {
				return false, err
			}
			if *run.ExitCode != 0 {
				return true, l.fail(ctx, failedItem{Why: landing.Base, With: []task.ID{}, Command: task.Opt(r.Command), Output: output})
			}
		}
	}
	return false, nil
}

// one lands one task. It returns how it failed, or nil.
func (l *lander) one(ctx context.Context, s *machine.Stage, b *machine.Branch) (*failedItem, error) {
	var refusal error
	for range maxTries {
		base := l.target.Base
		commit, tree, conflict, err := l.target.Onto(ctx, base.Commit, b)
		if err != nil {
			return nil, err
		}
		if conflict != nil {
			with, err := l.against(ctx, b, l.by)
			return &failedItem{Task: task.Opt(b.Task), Why: landing.Conflict, With: with, Output: strings.Join(conflict, "\n")}, err
		}
		if err := s.Hold(ctx, commit); err != nil {
			return nil, err
		}
		item := landedItem{b.Task, b.Name, commit, []landing.Run{}}
		l.out.Cannot = slices.DeleteFunc(l.out.Cannot, func(c cannotItem) bool { return c.Task == b.Task })
		lines, err := l.lines(ctx, base.Commit, b.Task)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			run, output, err := l.runLine(ctx, s, line)
			if err != nil {
				return nil, err
			}
			if item.Runs = append(item.Runs, run); *run.ExitCode != 0 {
				return &failedItem{Task: task.Opt(b.Task), Why: landing.Red, With: []task.ID{}, Command: task.Opt(line), Output: output}, nil
			}
		}
		moved, err := l.target.Advance(ctx, commit, tree)
		switch {
		case err == nil:
			l.out.Landed = append(l.out.Landed, item)
			return nil, l.settle(ctx, item)
		case !errors.Is(err, machine.ErrRefused):
			return nil, err
		}
		if refusal = err; !moved {
			break
		}
	}
	return &failedItem{Task: task.Opt(b.Task), Why: landing.Push, With: []task.ID{}, Output: words.Cut(fault.Of(refusal).Message, maxSaid)}, nil
}

// fail records that something did not land. Where the task may not be moved, its landing has failed all the same.
func (l *lander) fail(ctx context.Context, item failedItem) error {
	l.out.Failed = append(l.out.Failed, item)
	in := landing.FailedIn{Project: l.list.Project, Task: task.ID(item.Task), Why: item.Why, With: item.With, Base: l.out.Base, Command: string(item.Command)}
	if item.Why == landing.Conflict {
		in.Files = strings.Split(item.Output, "\n")
	}
	_, err := l.s.Failed(core.Doing(ctx, "land-failed"), in)
	if fault.Is(err, fault.Declined) {
		l.out.Warnings = append(l.out.Warnings, string(item.Task)+" stays as it is: "+fault.Of(err).Message)
		return nil
	}
	return err
}

// settle records that the work on a task is on the base. A task in review is closed by that.
func (l *lander) settle(ctx context.Context, done landedItem) error {
	_, err := l.s.Landed(core.Doing(ctx, "land-save"), landing.LandedIn{Landing: l.target.Landed(done.Task, done.Commit), Branch: done.Branch, Runs: done.Runs})
	if err != nil {
		return fault.Of(err).AndHint(fault.Parts("its work is on %s, and that is not recorded", l.target.Base.Name))
	}
	return nil
}

// runLine runs a line in the scratch work tree, and once more where it fails. It returns how it ended, and the end of what it
// printed.
func (l *lander) runLine(ctx context.Context, s *machine.Stage, line string) (run landing.Run, output string, err error) {
	within, err := l.target.Within(l.file)
	if err != nil {
		return run, "", err
	}
	run.Command = line
	for again := range 2 {
		l.m.Tell("$ %s%s", line, words.When(again > 0, "   once more: it failed"))
		end := tail.New(maxSaid)
		done, err := l.f.Wiring.Exec(ctx, frame.Execution{
			For: purpose.Proof, Args: []string{"/bin/sh", "-c", line}, Dir: filepath.Join(s.Path, within), Env: l.f.ChildEnv(), Output: end, Secret: l.f.Secrets(),
		})
		if ctx.Err() != nil {
			return run, "", fault.Unready("stopped before %s ended: what was not on the base yet has not landed", line)
		}
		if err != nil {
			return run, "", err
		}
		took := done.Took.Milliseconds()
		run.ExitCode, run.DurationMs, output = &done.ExitCode, &took, strings.TrimRight(end.String(), "\n")
		if done.ExitCode == 0 {
			if again > 0 {
				l.out.Warnings = append(l.out.Warnings, "flaky: it failed, and passed when it was run once more: "+line)
			}
			break
		}
	}
	return run, output, nil
}

// say prints how a task failed.
func (i failedItem) say(f *frame.Factory, out *landOut) {
	first := words.Either(out.DryRun, "would conflict", "conflicts")
	switch i.Why {
	case landing.Conflict:
		f.Out.Printf("%s %s with %s, in %s\n", i.Task, first, i.among(out.Base), strings.ReplaceAll(i.Output, "\n", ", "))
	case landing.Base:
		f.Out.Printf("%s is red by itself, so nothing landed: $ %s\n", out.Base, i.Command)
		f.Out.Block("  ", i.Output)
	case landing.Red:
		f.Out.Printf("%s is red on top of %s: $ %s\n", i.Task, out.Base, i.Command)
		f.Out.Block("  ", i.Output)
	default:
		f.Out.Printf("%s did not land: %s\n", i.Task, i.Output)
	}
}
