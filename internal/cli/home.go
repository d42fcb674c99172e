package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"tasker/internal/core"
	"tasker/internal/op"
)

// advice is what tasker alone answers: how things stand here, and what to do next.
type advice struct {
	Situation string   `json:"situation"`
	Commands  []string `json:"commands"`
}

// home says what to do next here.
func (f *factory) home(ctx context.Context) error {
	a, err := f.advise(ctx)
	if err != nil {
		return err
	}
	return f.answer(a, func() {
		f.out.Printf("%s\n", a.Situation)
		for _, c := range a.Commands {
			f.out.Printf("  %s\n", c)
		}
		f.say("All commands: tasker --help\n")
	})
}

func (f *factory) advise(ctx context.Context) (advice, error) {
	begin := advice{"There are no tasks here yet. Begin with a plan:", []string{"tasker apply --example > plan.json", "tasker apply -f plan.json"}}
	if f.noDatabase() {
		return begin, nil
	}
	all, err := call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return advice{}, err
	}
	if len(all) == 0 {
		return begin, nil
	}
	me, err := call(ctx, f, op.Whoami, core.WhoamiIn{})
	if err != nil {
		return advice{}, err
	}
	if len(me.Holding) > 0 {
		return holdingAdvice(me), nil
	}
	slug, err := f.project()
	if err != nil {
		return advice{}, err
	}
	if slug == "" && len(all) > 1 {
		a := advice{Situation: fmt.Sprintf("There are %d projects; choose one with -p:", len(all))}
		for _, p := range all[:min(len(all), 20)] {
			a.Commands = append(a.Commands, "tasker next -p "+p.Slug)
		}
		return a, nil
	}
	if slug == "" {
		slug = all[0].Slug
	}
	out, err := call(ctx, f, op.Peek, core.PeekIn{Project: slug})
	if err != nil {
		return advice{}, err
	}
	if out.Task != nil {
		return advice{
			fmt.Sprintf("Next in %s: %s %s", slug, out.Task.ID, inert(out.Task.Title, false)),
			[]string{"tasker next --claim -p " + slug, "tasker show " + string(out.Task.ID), "tasker ready -p " + slug},
		}, nil
	}
	return advice{slug + ": " + idleWords(out.Idle, f.now()), []string{"tasker list -p " + slug, "tasker events -p " + slug}}, nil
}

// noDatabase tells whether the database would be a file that is not there yet.
func (f *factory) noDatabase() bool {
	db := f.database()
	if f.serverURL() != "" || strings.Contains(db, "://") {
		return false
	}
	_, err := os.Stat(db)
	return os.IsNotExist(err)
}

func holdingAdvice(me core.WhoamiOut) advice {
	var a advice
	for i, h := range me.Holding {
		left := "until you release it"
		if h.LeftMs != nil {
			left = "for " + span1(time.Duration(*h.LeftMs)*time.Millisecond)
		}
		if i == 0 {
			a.Situation = fmt.Sprintf("You hold %s %s (%d of %d criteria): %s", h.Task, left, h.Progress.Checked, h.Progress.Total, inert(h.Title, false))
			a.Commands = []string{"tasker show " + string(h.Task), "tasker done " + string(h.Task) + " --next", "tasker release " + string(h.Task)}
		}
	}
	if more := len(me.Holding) - 1; more > 0 {
		a.Situation += fmt.Sprintf(", and %d more", more)
		a.Commands = append(a.Commands, "tasker whoami")
	}
	return a
}

// idleWords says why there is nothing to choose.
func idleWords(i *core.Idle, now time.Time) string {
	if i == nil {
		return "Nothing is ready"
	}
	if i.Finished {
		return "Everything is closed"
	}
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	add(i.Held, "held")
	add(i.WaitingForHuman, "waiting for a human")
	add(i.Blocked, "blocked")
	add(i.NotForYou, "not for you")
	s := "Nothing is ready for you"
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	if i.NextExpiry != 0 {
		s += "; the next lease ends " + ago(i.NextExpiry, now)
	}
	return s
}
