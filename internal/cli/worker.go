package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/run"
	"tasker/internal/task"
)

// Execution is a command that somebody gave us to run.
type Execution struct {
	Args   []string
	Dir    string
	Env    []string // in addition to our own
	Stdin  io.Reader
	Output io.Writer // both streams
}

// Executed is how it ended.
type Executed struct {
	ExitCode int
	Took     time.Duration
}

// tailBytes is how much of a command's output is kept for a note or a question.
const tailBytes = 4 << 10

func (f *factory) newRun() *cobra.Command {
	var w workers
	cmd := f.command(spec{
		use: "run -- COMMAND…", short: "Claim the next task and run a command for it; its exit code closes the task or gives it back", args: between(1, -1, "a COMMAND after --"),
		example: []string{
			`tasker run -- claude -p "Do the task on standard input"`,
			"tasker run --until-empty --parallel 3 -- ./agent.sh",
			"tasker run --under demo-2 --lease 30m --wait 1h --until-empty -- ./agent.sh",
		},
		long: "The command gets the task's bundle as JSON on standard input, and TASKER_TASK, TASKER_FENCE, TASKER_ACTOR and\n" +
			"TASKER_PROJECT in its environment, so that every tasker command it runs acts for the task. The lease is kept while\n" +
			"it runs. Exit code 0 moves the task to done, or to review with a note where something is missing; any other gives\n" +
			"it back as a failed attempt. The third failure in a row leaves it with a blocking question and the end of the\n" +
			"output. A command that moved or released the task itself is believed. Its output goes to standard error, and a\n" +
			"line for each task to standard output. Stopped, it ends the command and gives the task back.",
	}, func(ctx context.Context, f *factory, args []string) error { return f.run(ctx, &w, args) })
	fs := cmd.Flags()
	fs.IntVar(&w.parallel, "parallel", 1, "how many workers side by side, each an instance of its own")
	fs.BoolVar(&w.untilEmpty, "until-empty", false, "go on until there is nothing to do (else each worker takes one task)")
	fs.Var(&w.wait, "wait", "with --until-empty: wait for so long until there is something more, such as 5m")
	fs.StringVar(&w.next.Under, "under", "", "only tasks below this one")
	fs.BoolVar(&w.next.Apart, "apart", false, "pass over tasks that touch what a held one touches")
	fs.Var(&w.lease, "lease", "how long a claim lasts between renewals, such as 30m (0: until the command ends)")
	fs.BoolVar(&w.code, "exit-code", false, "exit with 7 when there was nothing to do")
	return cmd
}

// workers is what the flags of run say.
type workers struct {
	next       core.NextIn
	lease      leaseFlag
	wait       durationFlag
	parallel   int
	untilEmpty bool
	code       bool
}

func (f *factory) run(ctx context.Context, w *workers, args []string) (err error) {
	f.worksAs = "tasker run"
	switch {
	case w.parallel < 1 || w.parallel > 100:
		return fault.Bad("--parallel is %d", w.parallel).WithHint("a whole number from 1 to 100")
	case w.wait.d != 0 && !w.untilEmpty:
		return fault.Bad("--wait is for --until-empty").WithHint("add --until-empty")
	}
	if w.next.Project, err = f.oneProject(ctx); err != nil {
		return err
	}
	if w.next.Under != "" {
		if w.next.Under, err = f.task(ctx, w.next.Under); err != nil {
			return err
		}
	}
	// A worker of its own name takes up what it holds already: what the command claimed by --next.
	w.next.LeaseMs, w.next.Resume = w.lease.ms, true
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	pool, failed := &run.Pool{UntilEmpty: w.untilEmpty}, false
	base := f.w.NewKey()
	for i := range w.parallel {
		one, err := f.worker(ctx, w, base, i, args)
		if err != nil {
			return err
		}
		pool.Workers = append(pool.Workers, one)
	}
	var mu sync.Mutex
	pool.Report = func(r run.Report) {
		mu.Lock()
		defer mu.Unlock()
		failed = failed || !r.Well()
		f.showRun(r)
	}
	if w.wait.d > 0 {
		pool.Wait = func(ctx context.Context) (bool, error) { return f.awaitWork(ctx, w) }
	}
	ran, err := pool.Run(ctx)
	switch {
	case err != nil:
		return err
	case failed:
		return errFound
	case ran == 0:
		f.sayNothingToRun()
		if w.code {
			return errNothing
		}
	}
	return nil
}

func (f *factory) sayNothingToRun() {
	if !f.flags.json {
		f.say("Nothing to run; tasker next says why\n")
	}
}

// awaitWork waits until there is something to claim, and tells whether there is.
func (f *factory) awaitWork(ctx context.Context, w *workers) (found bool, err error) {
	err = f.await(ctx, w.next.Project, w.wait.d, func(ctx context.Context) (bool, task.Time, error) {
		out, err := call(ctx, f, op.Peek, core.PeekIn{Project: w.next.Project, Under: w.next.Under, Apart: w.next.Apart})
		if found = err == nil && out.Task != nil; found || err != nil || out.Idle == nil {
			return found, 0, err
		}
		return false, out.Idle.NextExpiry, nil
	})
	if ctx.Err() != nil {
		return false, nil //nolint:nilerr // told to stop: there is no more work for it
	}
	return found, err
}

// worker makes one worker, with an identity and a client of its own.
func (f *factory) worker(ctx context.Context, w *workers, base string, i int, args []string) (*run.Worker, error) {
	caller, actor, err := f.instanceOf(ctx, base, i, w.parallel)
	if err != nil {
		return nil, err
	}
	prefix := w.parallel > 1
	return &run.Worker{
		Ops: caller, Actor: actor, Next: w.next, After: time.After,
		Started: func(r run.Report) {
			if !f.flags.json {
				f.say("%s  started  %s\n", r.Task, r.Title)
			}
		},
		Exec: func(ctx context.Context, j run.Job) (run.Ended, error) {
			tail := run.NewTail(tailBytes)
			out := io.MultiWriter(tail, f.err)
			if prefix {
				out = io.MultiWriter(tail, &lines{to: f.err, before: string(j.Task) + "  "})
			}
			res, err := f.w.Exec(ctx, Execution{Args: args, Dir: f.p.Dir, Env: append(f.whereabouts(), j.Env...), Stdin: j.Stdin, Output: out})
			return run.Ended{ExitCode: res.ExitCode, Took: res.Took, Tail: tail.String()}, err
		},
	}, nil
}

// whereabouts lead a command that we run to the same database or server as ours.
func (f *factory) whereabouts() []string {
	var env []string
	if url := f.serverURL(); url != "" {
		env = append(env, "TASKER_URL="+url)
	} else {
		env = append(env, "TASKER_DB="+f.database())
	}
	if f.flags.config != "" {
		env = append(env, "TASKER_CONFIG="+f.flags.config)
	}
	return env
}

// instanceOf gives what carries out operations as one of several workers, and its full name.
func (f *factory) instanceOf(ctx context.Context, base string, i, of int) (op.Caller, string, error) {
	own := "run-" + base
	if named, _ := f.namedActor(); named != "" {
		if _, instance, err := task.ParseActor(named); err != nil {
			return nil, "", err
		} else if instance != "" {
			own = instance
		}
	}
	if of > 1 {
		own += "-" + strconv.Itoa(i+1)
	}
	if f.serverURL() == "" {
		s, err := f.open(ctx)
		if err != nil {
			return nil, "", err
		}
		who, err := f.identity(s.Actors)
		if err != nil {
			return nil, "", err
		}
		who.Actor.Instance = own
		return acting{s.Caller, who}, who.Actor.Full(), nil
	}
	if _, err := f.dial(ctx); err != nil { // the name must be the server's
		return nil, "", err
	}
	c, err := f.w.Dial(Dialling{URL: f.serverURL(), Token: f.env("TASKER_TOKEN"), Session: f.env("TASKER_SESSION"), Instance: own})
	if err != nil {
		return nil, "", err
	}
	me, err := op.Whoami.Do(ctx, c, core.WhoamiIn{})
	return c, me.Actor + "/" + own, err
}

// acting carries out operations on somebody's behalf.
type acting struct {
	op.Caller
	who core.Caller
}

func (a acting) Call(ctx context.Context, o *op.Op, in any) (any, error) {
	return a.Caller.Call(core.WithCaller(ctx, a.who), o, in)
}

// showRun prints a line for a task that was run.
func (f *factory) showRun(r run.Report) {
	if f.flags.json {
		if doc, err := f.json(r); err == nil {
			f.out.Document(doc)
		}
		return
	}
	if f.flags.quiet {
		return
	}
	color := green
	if !r.Well() {
		color = red
	}
	f.out.Spans(span{string(r.Task), bold}, txt("  "), span{runWords(r), color})
	f.out.Printf("  %s\n", r.Title)
	if r.Why != "" && r.Outcome != run.Done {
		f.out.Printf("  %s\n", r.Why)
	}
	for _, m := range r.Missing {
		f.out.Printf("  - %s\n", m)
	}
}

func runWords(r run.Report) string {
	took := time.Duration(r.DurationMs) * time.Millisecond
	if r.ExitCode == nil {
		return string(r.Outcome)
	}
	return fmt.Sprintf("%s, exit code %d after %s", r.Outcome, *r.ExitCode, took)
}

// lines writes whole lines, each with something before it, so that the output of several commands can be told apart.
type lines struct {
	to     io.Writer
	before string
	rest   []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		at := bytes.IndexByte(l.rest, '\n')
		if at < 0 && len(l.rest) < 64<<10 {
			return len(p), nil
		}
		end := at + 1
		if at < 0 {
			end = len(l.rest)
		}
		line := bytes.TrimSuffix(l.rest[:end], []byte("\n"))
		if _, err := io.WriteString(l.to, l.before+string(line)+"\n"); err != nil {
			return 0, err
		}
		l.rest = l.rest[end:]
	}
}
