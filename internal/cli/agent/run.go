package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/agent/calls"
	"tasker/internal/agent/run"
	"tasker/internal/child/purpose"
	"tasker/internal/child/tail"
	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	workspacecli "tasker/internal/cli/workspace"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

// tailBytes is how much of the end of a command's output goes into a note or a question.
const tailBytes = 4 << 10

// runOptions holds the options of `tasker run`.
type runOptions struct {
	next       work.NextIn
	wait       time.Duration
	parallel   int
	untilEmpty bool
	code       bool
	workspace  bool
	shared     bool
	until      string
	maxTasks   int
	stall      time.Duration
	dryRun     bool
	agent      string
	schema     bool
}

// NewRun returns the command `tasker run`.
func NewRun(f *frame.Factory) *cobra.Command {
	o := &runOptions{parallel: 1}
	return f.Command(frame.Spec{
		Use: "run -- COMMAND…", Short: "Claim the next task and run a command for it; its exit code closes the task or gives it back",
		Args: frame.Between(0, -1),
		Example: []string{
			`tasker run -- claude -p "Do the task on standard input"`,
			"tasker run --agent claude --until-empty --until 8h",
			"tasker run --until-empty --parallel 3 -- ./agent.sh",
			"tasker run --under demo-2 --lease 30m --wait 1h --until-empty -- ./agent.sh",
		},
		Long: "The command gets the task's bundle as JSON on standard input, and TASKER_TASK, TASKER_FENCE, TASKER_ACTOR and\n" +
			"TASKER_PROJECT. Exit code 0 moves the task to done, or to review where something is missing. 75 (not now: a usage\n" +
			"limit, an outage) and 78 (set up wrongly) give it back without an attempt: after 75 the runner pauses for five\n" +
			"minutes, then longer, and tries with one worker; after 78 it stops. Any other code gives it back as a failed\n" +
			"attempt, and the third in a row leaves a blocking question with the end of the output. Three tasks in a row that\n" +
			"fail with the same last line stop the runner. If the command moved or released the task itself, that stands.\n" +
			"--agent calls an agent as it must be called where nobody watches, with the bundle as its prompt, and knows its usage\n" +
			"limits (and when they end), outages and missing logins by what it prints; words after -- go at the end of the call.\n" +
			"agents.json, in tasker's directory below XDG_CONFIG_HOME (~/.config without it), adds agents and texts.",
		Flags: []frame.Flag{
			frame.Int(&o.parallel, "parallel", "how many workers run at once"),
			frame.Bool(&o.untilEmpty, "until-empty", "go on until there is nothing to do (else one task each)"),
			frame.Duration(&o.wait, "wait", "with --until-empty: how long to wait for more, such as 5m"),
			frame.String(&o.next.Under, "under", "only tasks below this one"),
			frame.Bool(&o.next.Apart, "apart", "pass over tasks that touch what a held one touches"),
			frame.Lease(&o.next.LeaseMs, "lease", "how long a claim lasts between renewals, such as 30m"),
			frame.Bool(&o.workspace, "workspace", "run in the workspace of the task, opened first (implied by --parallel)"),
			frame.Bool(&o.shared, "shared", "let several workers share one directory"),
			frame.String(&o.until, "until", "take no task after this time (such as 2026-03-31T07:00:00Z), or for longer than this (such as 8h)"),
			frame.Int(&o.maxTasks, "max-tasks", "run so many tasks at most"),
			frame.Duration(&o.stall, "stall", "end a command that has printed nothing for so long (30m with --agent)"),
			frame.String(&o.agent, "agent", "call an agent: claude, codex, copilot, gemini, opencode or one of your agents.json"),
			frame.Bool(&o.schema, "agents-schema", "print the JSON Schema of agents.json"),
			frame.Bool(&o.dryRun, "dry-run", "print the call and the task it would be for; claim and run nothing"),
			frame.Bool(&o.code, "exit-code", "exit with 7 when there was nothing to do"),
		},
	}, o.run)
}

func (o *runOptions) run(ctx context.Context, f *frame.Factory, args []string) (err error) {
	f.WorksAs = "tasker run"
	if o.schema {
		return f.Document(bytes.TrimSpace(calls.Schema()))
	}
	args, as, err := o.called(f, args)
	switch {
	case err != nil:
		return err
	case o.parallel < 1 || o.parallel > 100:
		return fault.Bad("--parallel is %d", o.parallel).WithHint("a whole number from 1 to 100")
	case o.wait != 0 && !o.untilEmpty:
		return fault.Bad("--wait is for --until-empty").WithHint("add --until-empty")
	case o.maxTasks < 0:
		return fault.Bad("--max-tasks is %d", o.maxTasks).WithHint("a whole number from 1, or 0 for no bound")
	}
	until, err := o.end(f.Now())
	if err != nil {
		return err
	}
	if err := o.apart(ctx, f); err != nil {
		return err
	}
	if o.next.Project, err = f.ProjectToWriteWith(ctx, &o.next.Under); err != nil {
		return err
	}
	if o.dryRun {
		return o.show(ctx, f, args)
	}
	// A command that closes its task with --next leaves another task with its worker, which resumes that one first.
	o.next.Resume = true
	f.StopWithin = grace + settling
	ctx, stop := f.Stop(ctx)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	pool, failed := &run.Pool{UntilEmpty: o.untilEmpty, Until: until, MaxTasks: o.maxTasks, Clock: o.clock(f), Jitter: jitter}, false
	base := f.Wiring.NewKey()
	var unformed error // the first error of --jq or --template
	var mu sync.Mutex  // keeps what a worker prints about its task in one piece
	for i := range o.parallel {
		one, err := o.worker(ctx, f, base, i, args, as)
		if err != nil {
			return err
		}
		one.Started = func(r run.Report) {
			mu.Lock()
			defer mu.Unlock()
			if !f.Flags.JSON {
				f.Say("%s  started  %s\n", r.Task, r.Title)
			}
		}
		pool.Workers = append(pool.Workers, one)
	}
	pool.Report = func(r run.Report) {
		mu.Lock()
		defer mu.Unlock()
		failed = failed || !r.Well() && !(o.untilEmpty && r.Outcome == run.NotNow) // that one is tried again
		unformed = cmp.Or(unformed, showRun(f, r))
		if r.Outcome == run.Done {
			if said := workspacecli.Closed(context.WithoutCancel(ctx), f, string(r.Task), nil); said != "" {
				f.Warn([]string{string(r.Task) + ": " + said})
			}
		}
	}
	pool.Paused = func(until time.Time, why string) {
		mu.Lock()
		defer mu.Unlock()
		f.Notice("paused until " + until.Local().Format(time.DateTime) + words.When(why != "", ": "+why))
	}
	if pool.Says, err = o.says(ctx, f, base); err != nil {
		return err
	}
	pool.WaitsUntil = func() time.Time { return f.Now().Add(o.wait) }
	if o.wait > 0 {
		pool.Wait = func(ctx context.Context) (bool, error) { return o.awaitWork(ctx, f) }
	}
	ran, err := pool.Run(ctx)
	switch err = cmp.Or(err, unformed); {
	case err != nil:
		return err
	case failed:
		return frame.ErrFound
	case ran == 0:
		if !f.Flags.JSON {
			f.Say("Nothing to run; %s says why\n", f.AsCommand(hint.Here("next")))
		}
		if o.code {
			return frame.ErrNothing
		}
	}
	return nil
}

// answered is how long the runner waits for an answer when it says where it stands.
const answered = 5 * time.Second

// says returns what records where the runner stands, for others to see. A runner works without it too, so an error only
// ends the record.
func (o *runOptions) says(ctx context.Context, f *frame.Factory, base string) (func(context.Context, run.Standing), error) {
	caller, _, err := instanceOf(ctx, f, base, 0, 1)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s run.Standing) {
		ctx, stop := context.WithTimeout(ctx, answered)
		defer stop()
		in := work.RunnerIn{
			Slug: o.next.Project, Host: words.Cut(f.Process.Host(), task.MaxName), State: string(s.State), Workers: o.parallel,
			Tasks: words.Each(s.Tasks, func(id task.ID) string { return string(id) }),
		}
		if s.Why != "" {
			in.Why = new(words.Cut(s.Why, task.MaxRunnerWhy-1))
		}
		if !s.Until.IsZero() {
			in.Until = new(task.TimeOf(s.Until).String())
		}
		_, _ = op.Runners.Do(ctx, caller, in)
	}, nil
}

// How long a command may take to end when the runner is told to stop, and how long the runner may then take to give its
// tasks back.
const (
	grace    = 10 * time.Second
	settling = 10 * time.Second
)

// clock returns the clock of the process.
func (o *runOptions) clock(f *frame.Factory) run.Clock {
	return run.Clock{Now: f.Now, After: time.After}
}

// jitter returns a random duration up to most.
func jitter(most time.Duration) time.Duration { return rand.N(most + 1) } //nolint:gosec // spreads load, protects no secret

// end returns the time that --until means; zero if it is not given.
func (o *runOptions) end(now time.Time) (time.Time, error) {
	if o.until == "" {
		return time.Time{}, nil
	}
	if d, err := format.ParseDuration(o.until); err == nil {
		return now.Add(d), nil
	}
	at, err := time.Parse(time.RFC3339, o.until)
	switch {
	case err != nil:
		return time.Time{}, fault.Bad("--until %s is neither a time nor a duration", words.Quoted(o.until)).
			WithHint("a time such as 2026-03-31T07:00:00Z, or a duration such as 8h")
	case !at.After(now):
		return time.Time{}, fault.Bad("--until %s is over", o.until).WithHint("name a later time, or a duration such as 8h")
	}
	return at, nil
}

// dryRun is what --dry-run prints.
type dryRun struct {
	Call []string `json:"call"`
	Task *task.ID `json:"task"` // null if there is nothing to do
}

// show prints the call, and the task that it would be for.
func (o *runOptions) show(ctx context.Context, f *frame.Factory, args []string) error {
	out, err := frame.Call(ctx, f, op.Peek, work.PeekIn{Project: o.next.Project, Under: o.next.Under, Apart: o.next.Apart})
	if err != nil {
		return err
	}
	shown := dryRun{Call: args}
	if out.Task != nil {
		shown.Task = &out.Task.ID
	}
	if f.Flags.JSON {
		return f.OneOfMany(shown)
	}
	f.Say("would run: %s\n", strings.Join(words.Each(args, words.Shell), " "))
	if out.Task == nil {
		f.Say("There is nothing to do now; %s says why\n", f.AsCommand(hint.Here("next")))
		return nil
	}
	f.Say("for %s  %s\n", out.Task.ID, out.Task.Title)
	return nil
}

// apart gives each of several workers the workspace of its task, and refuses to run them in one directory: they would
// change each other's files.
func (o *runOptions) apart(ctx context.Context, f *frame.Factory) error {
	if o.parallel < 2 || o.shared {
		return nil
	}
	o.workspace = true
	settings, err := f.Effective(ctx)
	switch {
	case err != nil:
		return err
	case settings.Apart().Workspace.Strategy == workspace.InPlace:
		return fault.Decline("--parallel %d would have several commands work in one directory: workspace.strategy is %s", o.parallel, workspace.InPlace).
			WithHint("give each task a work tree of its own: %s; or say that it is meant: add --shared",
				hint.Command("config set workspace.strategy "+workspace.Worktree))
	case config.CommonGitDir(f.Wiring.Files, f.Process.Dir) == "":
		return fault.Decline("--parallel %d would have several commands work in one directory: this is no git repository, so there are no work trees", o.parallel).
			WithHint("run git init here, or say that it is meant: add --shared")
	}
	return nil
}

// settled opens the workspace of a task and makes the command run there, with the workspace's environment.
func (o *runOptions) settled(ctx context.Context, f *frame.Factory, ops acting, j run.Job, e *frame.Execution) error {
	_, m, err := workspacecli.ManagerFor(ctx, f, ops)
	if err != nil {
		return err
	}
	if o.parallel > 1 && !o.shared {
		m.Config = m.Config.Apart()
	}
	ctx = core.WithCaller(ctx, ops.who)
	b, err := op.Show.Do(ctx, ops, reading.ShowIn{Task: string(j.Task)})
	if err != nil {
		return err
	}
	m.Fence = workspacecli.Under(j.Fence)
	v, err := m.Open(ctx, workspacecli.Of(b), machine.OpenOptions{})
	if err != nil {
		return err
	}
	f.Warn(v.Warnings)
	env, secret, err := m.Given(ctx, v)
	if err != nil {
		return err
	}
	e.Dir, e.Env, e.Secret = v.Path, append(env, e.Env...), secret
	return nil
}

// awaitWork waits until there is something to claim, and reports whether there is.
func (o *runOptions) awaitWork(ctx context.Context, f *frame.Factory) (found bool, err error) {
	err = follow.Await(ctx, f, o.next.Project, o.wait, func(ctx context.Context) (bool, task.Time, error) {
		out, err := frame.Call(ctx, f, op.Peek, work.PeekIn{Project: o.next.Project, Under: o.next.Under, Apart: o.next.Apart})
		if found = err == nil && out.Task != nil; found || err != nil || out.Idle == nil {
			return found, 0, err
		}
		return false, out.Idle.NextExpiry, nil
	})
	if ctx.Err() != nil {
		return false, nil //nolint:nilerr // it was told to stop, so there is no more work
	}
	return found, err
}

// worker returns a worker with its own identity and client.
func (o *runOptions) worker(ctx context.Context, f *frame.Factory, base string, i int, args []string, as *calls.Agent) (*run.Worker, error) {
	caller, actor, err := instanceOf(ctx, f, base, i, o.parallel)
	if err != nil {
		return nil, err
	}
	return &run.Worker{
		Ops: o.operations(f, caller), Actor: actor, Next: o.next, Clock: o.clock(f),
		Exec: func(ctx context.Context, j run.Job) (run.Ended, error) {
			tail := tail.New(tailBytes)
			out := io.MultiWriter(tail, f.Err)
			if o.parallel > 1 {
				out = io.MultiWriter(tail, &lines{to: f.Err, before: string(j.Task) + "  "})
			}
			quiet := run.Quiet{Longest: o.stall, Clock: o.clock(f)}
			inner, out, stalled := quiet.Watch(ctx, out)
			defer stalled()
			e := frame.Execution{
				For: purpose.Worker, Args: args, Dir: f.Process.Dir, Env: append(f.ChildEnv(), j.Env...), Stdin: j.Stdin, Output: out, Grace: grace,
			}
			if as != nil {
				e.Stdin, e.Env = prompted(j.Stdin), append(e.Env, as.Env...)
			}
			if o.workspace {
				if err := o.settled(ctx, f, caller, j, &e); err != nil {
					return run.Ended{}, err
				}
			}
			res, err := f.Wiring.Exec(inner, e)
			ended := run.Ended{ExitCode: res.ExitCode, Took: res.Took, Tail: tail.String(), Stalled: stalled()}
			return classed(ctx, as, ended, f.Now()), err
		},
	}, nil
}

// operations returns what a worker calls. A move to review or done carries what was changed since the claim, as that of
// `tasker done` does; where several commands share a directory, nobody can tell which of them changed a file.
func (o *runOptions) operations(f *frame.Factory, c op.Caller) run.Operations {
	move := op.Move.Through(c)
	return run.Operations{
		Next: op.Next.Through(c), Claim: op.Claim.Through(c), Show: op.Show.Through(c),
		Ask: op.Ask.Through(c), Release: op.Release.Through(c),
		Move: func(ctx context.Context, in work.MoveIn) (work.MoveOut, error) {
			if o.parallel <= 1 || !o.shared {
				in.Paths = workspacecli.Changed(ctx, f, in.Task).Paths()
			}
			return move(ctx, in)
		},
	}
}

// instanceOf returns a caller that acts as one of several workers, and the full name of that worker.
func instanceOf(ctx context.Context, f *frame.Factory, base string, i, of int) (acting, string, error) {
	own := "run-" + base
	if named, _ := f.NamedActor(); named != "" {
		if _, instance, err := task.ParseActor(named); err != nil {
			return acting{}, "", err
		} else if instance != "" {
			own = instance
		}
	}
	if of > 1 {
		own += "-" + strconv.Itoa(i+1)
	}
	if f.ServerURL() == "" {
		ctx, s, err := f.Acting(ctx)
		if err != nil {
			return acting{}, "", err
		}
		who := core.CallerOf(ctx)
		who.Actor.Instance = own
		return acting{s.Caller, who}, who.Actor.Full(), nil
	}
	if _, err := f.Dial(ctx); err != nil { // the name must match the server's
		return acting{}, "", err
	}
	c, err := f.Wiring.Dial(frame.Dialling{URL: f.ServerURL(), Token: f.Env("TASKER_TOKEN"), Session: f.Env("TASKER_SESSION"), Instance: own, Notice: f.Notice})
	if err != nil {
		return acting{}, "", err
	}
	me, err := op.Whoami.Do(ctx, c, reading.WhoamiIn{})
	return acting{Caller: c}, me.Actor + "/" + own, err
}

// acting is a caller that carries out operations on behalf of an actor.
type acting struct {
	op.Caller
	who core.Caller // unused with a server, which knows the actor
}

// Call carries out an operation on behalf of a.who.
func (a acting) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	return a.Caller.Call(core.WithCaller(ctx, a.who), o, in)
}

// showRun prints one line for a task that was run.
func showRun(f *frame.Factory, r run.Report) error {
	if f.Flags.JSON {
		return f.OneOfMany(r)
	}
	if f.Flags.Quiet {
		return nil
	}
	color := term.Green
	if !r.Well() {
		color = term.Red
	}
	f.Out.Line(term.Bold.Of(string(r.Task)), term.Textf("  "), color.Of(runWords(r)), term.Textf("  %s", r.Title))
	if r.Why != "" && (r.Outcome != run.Done || r.ExitCode == nil) && !strings.HasSuffix(runWords(r), string(r.Why)) {
		f.Out.Printf("  %s\n", r.Why)
	}
	for _, m := range r.Missing {
		f.Out.Printf("  - %s\n", m)
	}
	return nil
}

func runWords(r run.Report) string {
	took, outcome := time.Duration(r.DurationMs)*time.Millisecond, cmp.Or(outcomes[r.Outcome], string(r.Outcome))
	if r.ExitCode == nil {
		return outcome
	}
	return fmt.Sprintf("%s, exit code %d after %s", outcome, *r.ExitCode, took)
}

// outcomes holds the words for outcomes whose names do not read well.
var outcomes = map[run.Outcome]string{
	run.InReview: "in review", run.Released: "given back", run.Asked: "given back with a question", run.Left: "left as the command left it",
	run.NotNow: "not now, given back", run.Unready: "set up wrongly, given back",
}

// lines writes whole lines with a prefix, so that a reader can tell the output of several commands apart.
type lines struct {
	to     io.Writer
	before string
	rest   []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole && len(line) < 64<<10 {
			return len(p), nil
		}
		if _, err := io.WriteString(l.to, l.before+string(line)+"\n"); err != nil {
			return 0, err
		}
		l.rest = rest
	}
}
