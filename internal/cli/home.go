package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// advice is the answer of tasker without a command: the state of things here, and what to do next.
type advice struct {
	Situation string         `json:"situation"`
	Commands  []string       `json:"commands"`
	Home      *inbox.HomeOut `json:"home"` // null if no project is selected

	begins bool // there is no plan yet
}

// home prints the state of things here and what to do next, on one screen.
func home(ctx context.Context, f *frame.Factory) error {
	a, err := advise(ctx, f)
	return f.Answered(err, a, func() {
		if a.Home != nil {
			cockpit(f, *a.Home, below(f, a.Commands))
		} else {
			f.Out.Printf("%s\n", a.Situation)
		}
		for _, c := range a.Commands {
			f.Out.Printf("  %s\n", c)
		}
		if a.begins && !f.Flags.Quiet {
			helpDay(f)
			return
		}
		f.Say("All commands: tasker --help\n")
	})
}

func advise(ctx context.Context, f *frame.Factory) (advice, error) {
	slug, err := f.Project()
	if err != nil {
		return advice{}, err
	}
	begin := advice{begins: true, Situation: "There is no project here yet. Begin with:", Commands: []string{f.AsCommand(hint.Command("init"))}}
	if slug != "" {
		begin = advice{begins: true, Situation: slug + " is declared, and has no tasks yet. Begin with one, or with a plan:", Commands: firstTasks(f)}
	}
	if f.NoDatabase() {
		return begin, nil
	}
	declared := slug != "" && f.Flags.Project == ""
	if slug == "" {
		all, err := frame.Call(ctx, f, op.Projects, core.None{})
		switch {
		case err != nil:
			return advice{}, err
		case len(all) == 0:
			return begin, nil
		case len(all) > 1:
			return choose(ctx, f, all)
		}
		if slug, err = f.OneProject(ctx); err != nil {
			return advice{}, err
		}
	}
	out, err := frame.Call(ctx, f, op.Home, reading.ProjectIn{Slug: slug})
	if declared && fault.Is(err, fault.NotFound) {
		return begin, nil
	}
	if err != nil {
		return advice{}, err
	}
	return advice{Situation: situation(out), Commands: whatNext(f, out), Home: &out, begins: out.Situation.ByStatus.Total() == 0}, nil
}

// firstTasks returns the commands that begin a project: with a task, and with the plan that is here or one to start from.
func firstTasks(f *frame.Factory) []string {
	dir := f.Process.Dir
	if loaded, err := f.Configuration(); err == nil && loaded.File != "" {
		dir = filepath.Dir(loaded.File)
	}
	add := f.AsCommand(hint.Here(`add 'The first thing to do'`))
	if plan := f.PlanFile(dir); plan != "" {
		return []string{add, f.AsCommand(hint.Command("apply " + plan))}
	}
	return []string{add, f.AsCommand(hint.Command("apply --example --yaml")) + " > " + frame.PlanNames[0]}
}

// choose gives advice to a caller who has several projects.
func choose(ctx context.Context, f *frame.Factory, all []*task.Project) (advice, error) {
	me, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{})
	if err != nil {
		return advice{}, err
	}
	a := advice{Situation: fmt.Sprintf("There are %d projects; choose one with -p:", len(all))}
	if len(me.Holding) > 0 {
		a.Situation = holdingWords(me.Holding) + ". " + a.Situation
		a.Commands = append(a.Commands, f.AsCommand(hint.Show(me.Holding[0].Task)))
	}
	const most = 15
	limit := screenLines - below(f, append(a.Commands, "estate")) - drawn(f, a.Situation)
	for _, p := range all[:min(len(all), most, max(limit, 1))] {
		a.Commands = append(a.Commands, f.AsCommand(hint.Command("status -p "+p.Slug)))
	}
	a.Commands = append(a.Commands, f.AsCommand(hint.Command("estate")))
	return a, nil
}

// situation says in one sentence what matters most.
func situation(h inbox.HomeOut) string {
	switch {
	case len(h.Holding) > 0:
		return holdingWords(h.Holding)
	case len(h.Next) > 0:
		return fmt.Sprintf("Next in %s: %s %s", h.Project, h.Next[0].ID, term.Inert(h.Next[0].Title, false))
	}
	return h.Project + ": " + h.Situation.Sentence
}

func holdingWords(all []reading.Holding) string {
	h := all[0]
	more := len(all) - 1
	return fmt.Sprintf("You hold %s %s (%d of %d criteria): %s%s", h.Task, leaseWords(h.LeftMs), h.Progress.Checked, h.Progress.Total,
		term.Inert(h.Title, false), words.When(more > 0, fmt.Sprintf(", and %d more", more)))
}

func leaseWords(leftMs *int64) string {
	if leftMs == nil {
		return "until you release it"
	}
	return "for " + words.Span(time.Duration(*leftMs)*time.Millisecond)
}

// whatNext returns the commands that the caller most likely wants: at most three.
func whatNext(f *frame.Factory, h inbox.HomeOut) []string {
	if h.Situation.ByStatus.Total() == 0 {
		return firstTasks(f)
	}
	var calls []hint.Call
	switch {
	case len(h.Holding) > 0:
		id := string(h.Holding[0].Task)
		calls = append(calls, hint.Show(id), hint.Command("done "+id+" --next"), hint.Command("release "+id))
	case len(h.Next) > 0:
		calls = append(calls, hint.Next(h.Project), hint.Show(h.Next[0].ID), hint.Command("ready -p "+h.Project))
	case h.Situation.ByStatus.Left() == 0: // everything is closed
		calls = append(calls, hint.Command("proof -p "+h.Project), hint.Command("add 'The next thing to do' -p "+h.Project))
	default:
		calls = append(calls, hint.ListOf(h.Project), hint.Command("events -p "+h.Project))
	}
	return words.Each(calls, f.AsCommand)
}

// newStatus returns `tasker` without a command, under the name that people try first.
func newStatus(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "status", Short: "Show how things stand here, and what to do next", Args: frame.Between(0, 0),
		Example: []string{"tasker", "tasker status"},
		Long:    "tasker without a command does the same.",
	}, func(ctx context.Context, f *frame.Factory, _ []string) error { return home(ctx, f) })
}
