package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/op"
)

func (f *factory) newWhoami() *cobra.Command {
	return f.command(spec{
		use: "whoami", short: op.Whoami.Summary, args: between(0, 0),
		example: []string{"tasker whoami", "TASKER_ACTOR=claude/3 tasker whoami --json"},
		long:    "Who acts is decided by, in this order: --actor, TASKER_ACTOR, the actor flagged default in the configuration,\nagentDefaults.actor, the operating system's user. Through a server it is the server's identity.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		project, err := f.project()
		if err != nil {
			return err
		}
		return do(ctx, f, op.Whoami, core.WhoamiIn{Project: project}, (*factory).showWhoami)
	})
}

func (f *factory) showWhoami(me core.WhoamiOut) {
	name := me.Actor
	if me.Instance != "" {
		name += "/" + string(me.Instance)
	}
	f.out.Printf("%s, %s, by %s\n", name, me.Kind, me.How)
	if len(me.Roles) > 0 {
		f.out.Printf("roles: %s\n", list(me.Roles))
	}
	if len(me.Capabilities) > 0 {
		f.out.Printf("capabilities: %s\n", list(me.Capabilities))
	}
	if me.Project != "" {
		f.out.Printf("project: %s\n", me.Project)
	}
	f.holding(me.Holding)
}

// holding prints what is held, how far it is, and for how long.
func (f *factory) holding(all []core.Holding) {
	for _, h := range all {
		left := "until released"
		if h.LeftMs != nil {
			left = "for " + span1(time.Duration(*h.LeftMs)*time.Millisecond)
		}
		f.out.Printf("holds ")
		f.out.Spans(span{string(h.Task), bold})
		f.out.Printf(" %s (fence %d, %d of %d criteria): %s\n", left, h.Fence, h.Progress.Checked, h.Progress.Total, h.Title)
	}
}
