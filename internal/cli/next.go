package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newNext() *cobra.Command {
	var in core.NextIn
	var claim, code bool
	var lease leaseFlag
	var wait durationFlag
	cmd := f.command(spec{
		use: "next", short: "Show the task to work on next; with --claim, select and claim it in one step", args: between(0, 0),
		example: []string{
			"tasker next            # a preview: the same answer every time",
			"tasker next --claim    # yours: no two callers get the same task",
			"tasker next --resume   # first what you hold already, renewed",
			"tasker next --claim --under demo-2 --apart --lease 30m",
			"tasker next --claim --wait 5m --exit-code   # waits until there is work, and ends with 7 where none came",
		},
	}, func(ctx context.Context, f *factory, _ []string) (err error) {
		if in.Project, err = f.oneProject(ctx); err != nil {
			return err
		}
		if in.Under != "" {
			if in.Under, err = f.task(ctx, in.Under); err != nil {
				return err
			}
		}
		out, err := f.nextWithin(ctx, in, claim || in.Resume, lease, wait.d)
		if err != nil {
			return err
		}
		if err := f.answer(out, func() { f.showNext(out) }); err != nil {
			return err
		}
		if code && out.Task == nil {
			return errNothing
		}
		return nil
	})
	fs := cmd.Flags()
	fs.BoolVar(&claim, "claim", false, "claim what is selected")
	fs.BoolVar(&in.Resume, "resume", false, "answer first the task you hold whose lease ends soonest, renewed (implies --claim)")
	fs.StringVar(&in.Under, "under", "", "only tasks below this one")
	fs.BoolVar(&in.Apart, "apart", false, "pass over tasks that touch what a held one touches")
	fs.Var(&lease, "lease", "how long you hold it, such as 30m, 2h, 1d (0: until you release it)")
	fs.Var(&wait, "wait", "wait for so long until there is something, such as 5m; nothing is polled meanwhile")
	fs.BoolVar(&code, "exit-code", false, "exit with 7 when there is nothing to do")
	return cmd
}

// nextWithin is next, tried again while there is nothing, for as long as wait says.
func (f *factory) nextWithin(ctx context.Context, in core.NextIn, claim bool, lease leaseFlag, wait time.Duration) (core.NextOut, error) {
	out, err := f.next(ctx, in, claim, lease)
	if err != nil || out.Task != nil || wait == 0 {
		return out, err
	}
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	err = f.await(ctx, in.Project, wait, func(ctx context.Context) (bool, task.Time, error) {
		// A look costs a read; only where it finds something is there a turn to take.
		if out, err = f.next(ctx, in, false, leaseFlag{}); err == nil && out.Task != nil && claim {
			out, err = f.next(ctx, in, true, lease)
		}
		if err != nil || out.Task != nil || out.Idle == nil {
			return out.Task != nil, 0, err
		}
		return false, out.Idle.NextExpiry, nil
	})
	return out, err
}

func (f *factory) next(ctx context.Context, in core.NextIn, claim bool, lease leaseFlag) (core.NextOut, error) {
	if claim {
		in.LeaseMs = lease.ms
		return call(ctx, f, op.Next, in)
	}
	if lease.ms != nil {
		return core.NextOut{}, fault.Bad("--lease is for a claim, and a preview claims nothing").WithHint("add --claim, or leave --lease out")
	}
	return call(ctx, f, op.Peek, core.PeekIn{Project: in.Project, Under: in.Under, Apart: in.Apart})
}

// showNext prints the chosen task and why it was chosen, or why there is none.
func (f *factory) showNext(out core.NextOut) {
	if out.Task == nil {
		f.out.Printf("%s\n", idleWords(out.Idle, f.now()))
		return
	}
	if out.Claimed != nil {
		f.showClaim(*out.Claimed)
	}
	if out.Bundle != nil {
		f.showBundle(out.Bundle)
	} else {
		f.taskLine(out.Task)
	}
	if f.flags.quiet {
		return
	}
	if out.SelectionReason != "" {
		f.out.Printf("\nChosen because: %s\n", out.SelectionReason)
	}
	for _, s := range out.Skipped {
		f.out.Printf("Passed over %s: %s\n", s.Task, s.Reason)
	}
	if out.SkippedMore {
		f.out.Printf("Passed over more of them\n")
	}
	if out.Claimed == nil {
		f.out.Printf("\nTake it: tasker next --claim\n")
	}
}

func (f *factory) newReady() *cobra.Command {
	var limit intFlag[int]
	cmd := f.command(spec{
		use: "ready", short: op.Ready.Summary, args: between(0, 0),
		example: []string{"tasker ready", "tasker ready --limit 5 --json"},
	}, func(ctx context.Context, f *factory, _ []string) error {
		project, err := f.oneProject(ctx)
		if err != nil {
			return err
		}
		return do(ctx, f, op.Ready, core.ReadyIn{Slug: project, Limit: limit.n}, func(f *factory, out core.ReadyOut) {
			f.showTasks(out.Tasks)
			if out.Total == 0 {
				f.say("Nothing is ready in %s\n", out.Project)
			} else if out.Total > len(out.Tasks) {
				f.say("%d of %d ready, by %s\n", len(out.Tasks), out.Total, list(out.SelectedBy))
			}
		})
	})
	cmd.Flags().Var(&limit, "limit", "how many to show, up to 1000 (default 50)")
	return cmd
}
