package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/words"
)

// advice is the answer of tasker without a command: how things stand here, and what to do next.
type advice struct {
	Situation string   `json:"situation"`
	Commands  []string `json:"commands"`
}

// home prints what to do next here.
func home(ctx context.Context, f *frame.Factory) error {
	a, err := advise(ctx, f)
	if err != nil {
		return err
	}
	return f.Answer(a, func() {
		f.Out.Printf("%s\n", a.Situation)
		for _, c := range a.Commands {
			f.Out.Printf("  %s\n", c)
		}
		f.Say("All commands: tasker --help\n")
	})
}

func advise(ctx context.Context, f *frame.Factory) (advice, error) {
	begin := advice{"There are no tasks here yet. Begin with a plan:", []string{
		remedy.Command("apply --example").String() + " > plan.json", f.AsCommand(remedy.Command("apply -f plan.json")),
	}}
	if f.NoDatabase() {
		return begin, nil
	}
	all, err := frame.Call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return advice{}, err
	}
	if len(all) == 0 {
		return begin, nil
	}
	me, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{})
	if err != nil {
		return advice{}, err
	}
	if len(me.Holding) > 0 {
		return holdingAdvice(f, me), nil
	}
	slug, err := f.Project()
	if err != nil {
		return advice{}, err
	}
	if slug == "" && len(all) > 1 {
		a := advice{Situation: fmt.Sprintf("There are %d projects; choose one with -p:", len(all))}
		for _, p := range all[:min(len(all), 20)] {
			a.Commands = append(a.Commands, f.AsCommand(remedy.Command("next -p "+p.Slug)))
		}
		return a, nil
	}
	if slug == "" {
		slug = all[0].Slug
	}
	if f.Flags.Project == "" && !slices.ContainsFunc(all, func(p *task.Project) bool { return p.Slug == slug }) {
		return advice{slug + " is declared, and no plan was applied yet. Begin with one:", begin.Commands}, nil
	}
	out, err := frame.Call(ctx, f, op.Peek, work.PeekIn{Project: slug})
	if err != nil {
		return advice{}, err
	}
	if out.Task != nil {
		return advice{
			fmt.Sprintf("Next in %s: %s %s", slug, out.Task.ID, term.Inert(out.Task.Title, false)),
			asCommands(f, remedy.Next(slug), remedy.Show(out.Task.ID), remedy.Command("ready -p "+slug)),
		}, nil
	}
	return advice{slug + ": " + render.Idle(out.Idle, f.Now()), asCommands(f, remedy.ListOf(slug), remedy.Command("events -p "+slug))}, nil
}

func asCommands(f *frame.Factory, calls ...remedy.Call) []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = f.AsCommand(c)
	}
	return out
}

func holdingAdvice(f *frame.Factory, me reading.WhoamiOut) advice {
	var a advice
	for i, h := range me.Holding {
		left := "until you release it"
		if h.LeftMs != nil {
			left = "for " + words.Span(time.Duration(*h.LeftMs)*time.Millisecond)
		}
		if i == 0 {
			a.Situation = fmt.Sprintf("You hold %s %s (%d of %d criteria): %s", h.Task, left, h.Progress.Checked, h.Progress.Total, term.Inert(h.Title, false))
			a.Commands = asCommands(f, remedy.Show(h.Task), remedy.Command("done "+string(h.Task)+" --next"), remedy.Command("release "+string(h.Task)))
		}
	}
	if more := len(me.Holding) - 1; more > 0 {
		a.Situation += fmt.Sprintf(", and %d more", more)
		a.Commands = append(a.Commands, f.AsCommand(remedy.Command("whoami")))
	}
	return a
}
