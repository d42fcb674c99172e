package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tasker/internal/agent/run"
	"tasker/internal/app"
	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// clock is the real one, for pools that wait for nothing.
var clock = run.Clock{Now: time.Now, After: time.After}

// acting carries out operations as a named actor.
type acting struct {
	op.Caller
	name, instance string
}

func (a acting) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	return a.Caller.Call(core.WithCaller(ctx, core.Caller{Actor: task.Actor{Name: a.name, Instance: a.instance}}), o, in)
}

// place returns a database with a plan in it.
func place(t *testing.T, plan string) op.Caller {
	t.Helper()
	a, err := app.Open(app.Options{DB: filepath.Join(t.TempDir(), "tasker.db"), Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	ops := op.NewLocal(a.Services.All()...)
	in, err := op.Apply.Op.DecodeArgs([]byte(plan))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (acting{ops, "planner", ""}).Call(t.Context(), op.Apply.Op, in); err != nil {
		t.Fatal(err)
	}
	return ops
}

func worker(ops op.Caller, instance string, exec func(context.Context, run.Job) (run.Ended, error)) *run.Worker {
	return &run.Worker{
		Ops: operations(acting{ops, "robot", instance}), Actor: "robot/" + instance, Next: work.NextIn{Project: "demo", Resume: true},
		Exec: exec, Clock: run.Clock{Now: time.Now, After: func(time.Duration) <-chan time.Time { return nil }},
	}
}

func operations(c op.Caller) run.Operations {
	return run.Operations{
		Next: op.Next.Through(c), Claim: op.Claim.Through(c), Show: op.Show.Through(c),
		Move: op.Move.Through(c), Ask: op.Ask.Through(c), Release: op.Release.Through(c),
	}
}

func ending(code int, tail string) func(context.Context, run.Job) (run.Ended, error) {
	return func(context.Context, run.Job) (run.Ended, error) {
		return run.Ended{ExitCode: code, Took: time.Second, Tail: tail}, nil
	}
}

func once(t *testing.T, w *run.Worker) run.Report {
	t.Helper()
	r, err := w.Once(t.Context())
	if err != nil || r == nil {
		t.Fatalf("Once: %v, %v", r, err)
	}
	return *r
}

func bundleOf(t *testing.T, ops op.Caller, id string) *bundle.Bundle {
	t.Helper()
	b, err := op.Show.Do(t.Context(), acting{ops, "reader", ""}, reading.ShowIn{Task: id})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const one = `{"project": "demo", "tasks": [{"key": "a", "title": "A\u200b"}]}`

func TestACommandIsGivenItsTaskAndClosesItByEndingWell(t *testing.T) {
	ops := place(t, one)
	var env []string
	var got map[string]any
	r := once(t, worker(ops, "1", func(_ context.Context, j run.Job) (run.Ended, error) {
		env = j.Env
		src, err := io.ReadAll(j.Stdin)
		if err == nil {
			err = json.Unmarshal(src, &got)
		}
		return run.Ended{}, err
	}))
	if r.Outcome != run.Done || *r.ExitCode != 0 || !r.Well() {
		t.Errorf("the report is %+v", r)
	}
	want := []string{"TASKER_TASK=demo-1", "TASKER_FENCE=1", "TASKER_ACTOR=robot/1", "TASKER_PROJECT=demo"}
	if !slices.Equal(env, want) {
		t.Errorf("the environment is %v", env)
	}
	if title := got["task"].(map[string]any)["title"]; title != "A" {
		t.Errorf("the bundle's title is %q", title)
	}
	if b := bundleOf(t, ops, "demo-1"); b.Task.Status != task.Done || b.Task.Claim != nil {
		t.Errorf("the task is %s, held by %v", b.Task.Status, b.Task.Claim)
	}
}

func TestWhatIsMissingForDoneIsLeftInReviewWithANote(t *testing.T) {
	ops := place(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "criteria": ["it works"]}]}`)
	r := once(t, worker(ops, "1", ending(0, "")))
	if r.Outcome != run.InReview || !slices.Equal(r.Missing, []string{"criterion 1: it works"}) {
		t.Errorf("the report is %+v", r)
	}
	b := bundleOf(t, ops, "demo-1")
	if b.Task.Status != task.InReview || len(b.Notes) != 1 || !strings.Contains(b.Notes[0].Text, "- criterion 1: it works") {
		t.Errorf("the task is %s with the notes %+v", b.Task.Status, b.Notes)
	}
}

func TestAFailureGivesItBackAndTheThirdAsks(t *testing.T) {
	ops := place(t, one)
	w := worker(ops, "1", ending(2, "assertion failed\n"))
	for i, want := range []run.Outcome{run.Released, run.Released, run.Asked} {
		if r := once(t, w); r.Outcome != want || r.Well() || *r.ExitCode != 2 {
			t.Fatalf("run %d: %+v", i+1, r)
		}
		b := bundleOf(t, ops, "demo-1")
		if b.Task.Status != task.Open || b.Task.Attempts != i+1 {
			t.Fatalf("run %d: the task is %s after %d attempts", i+1, b.Task.Status, b.Task.Attempts)
		}
	}
	b := bundleOf(t, ops, "demo-1")
	if len(b.Questions) != 1 || !b.Questions[0].Blocking || !strings.Contains(b.Questions[0].Text, "assertion failed") ||
		!strings.Contains(b.Questions[0].Text, "exit code 2") {
		t.Errorf("the questions are %+v", b.Questions)
	}
	if r, err := w.Once(t.Context()); r != nil || err != nil {
		t.Errorf("the task is claimed again: %+v, %v", r, err)
	}
}

func TestACommandThatDealtWithItsTaskIsBelieved(t *testing.T) {
	ops := place(t, one)
	r := once(t, worker(ops, "1", func(ctx context.Context, _ run.Job) (run.Ended, error) {
		_, err := op.Move.Do(ctx, acting{ops, "robot", "1"}, work.MoveIn{Task: "demo-1", To: "cancelled"})
		return run.Ended{ExitCode: 1}, err
	}))
	if r.Outcome != run.Left || bundleOf(t, ops, "demo-1").Task.Status != task.Cancelled {
		t.Errorf("the report is %+v", r)
	}
}

func TestTheLeaseIsRenewedWhileTheCommandRuns(t *testing.T) {
	ops := place(t, one)
	ticks, renewed := make(chan time.Time), make(chan struct{})
	w := worker(ops, "1", func(context.Context, run.Job) (run.Ended, error) {
		<-renewed
		return run.Ended{}, nil
	})
	lease := int64(9000)
	w.Next.LeaseMs = &lease
	var asked []time.Duration
	w.Clock.After = func(d time.Duration) <-chan time.Time {
		if asked = append(asked, d); len(asked) == 3 {
			close(renewed)
			return nil
		}
		return ticks
	}
	go func() {
		ticks <- time.Time{}
		ticks <- time.Time{}
	}()
	if r := once(t, w); r.Outcome != run.Done {
		t.Errorf("the report is %+v", r)
	}
	if !slices.Equal(asked, []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second}) {
		t.Errorf("the renewals come after %v", asked)
	}
	events, err := op.Events.Do(t.Context(), acting{ops, "robot", ""}, reading.EventsIn{Kind: string(task.ClaimRenewed)})
	if err != nil || len(events) != 2 {
		t.Errorf("%d renewals are in the log, %v", len(events), err)
	}
}

func TestALostClaimStopsTheCommandAndTouchesNothing(t *testing.T) {
	ops := place(t, one)
	tick := make(chan time.Time, 1)
	w := worker(ops, "1", func(ctx context.Context, _ run.Job) (run.Ended, error) {
		// Another instance counts as another worker, and only the holder may release a task, so use the holder's name.
		if _, err := op.Release.Do(ctx, acting{ops, "robot", "1"}, work.ReleaseIn{Task: "demo-1"}); err != nil {
			return run.Ended{}, err
		}
		if _, err := op.Claim.Do(ctx, acting{ops, "other", ""}, work.ClaimIn{Task: "demo-1"}); err != nil {
			return run.Ended{}, err
		}
		tick <- time.Time{}
		<-ctx.Done() // stopped, as a command would be
		return run.Ended{ExitCode: -1}, nil
	})
	w.Clock.After = func(time.Duration) <-chan time.Time { return tick }
	r := once(t, w)
	if r.Outcome != run.Lost || r.Well() {
		t.Errorf("the report is %+v", r)
	}
	if b := bundleOf(t, ops, "demo-1"); b.Task.Claim == nil || b.Task.Claim.Actor != "other" || len(b.Notes) != 0 {
		t.Errorf("the other's task is %+v with notes %+v", b.Task.Claim, b.Notes)
	}
}

func TestAStoppedWorkerGivesBackWithoutCountingAnAttempt(t *testing.T) {
	ops := place(t, one)
	ctx, stop := context.WithCancel(t.Context())
	r, err := worker(ops, "1", func(ctx context.Context, _ run.Job) (run.Ended, error) {
		stop()
		<-ctx.Done()
		return run.Ended{ExitCode: -1}, nil
	}).Once(ctx)
	if err != nil || r.Outcome != run.Stopped || r.ExitCode != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if b := bundleOf(t, ops, "demo-1"); b.Task.Status != task.Open || b.Task.Attempts != 0 || len(b.Notes) != 1 {
		t.Errorf("the task is %s after %d attempts", b.Task.Status, b.Task.Attempts)
	}
}

func TestAWorkerThatIsStoppedBeforeItsCommandRunsGivesBackToo(t *testing.T) {
	ops := place(t, one)
	ctx, stop := context.WithCancel(t.Context())
	w := worker(ops, "1", func(ctx context.Context, _ run.Job) (run.Ended, error) { return run.Ended{}, ctx.Err() })
	w.Started = func(run.Report) { stop() }
	if r, err := w.Once(ctx); err != nil || r.Outcome != run.Stopped {
		t.Errorf("%+v, %v", r, err)
	}
	if b := bundleOf(t, ops, "demo-1"); b.Task.Status != task.Open || b.Task.Attempts != 0 {
		t.Errorf("the task is %s after %d attempts", b.Task.Status, b.Task.Attempts)
	}
}

func TestACommandThatCannotStartStopsEverybody(t *testing.T) {
	ops := place(t, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]}`)
	p := &run.Pool{UntilEmpty: true, Clock: clock, Report: func(run.Report) {}}
	for i := range 2 {
		p.Workers = append(p.Workers, worker(ops, fmt.Sprint(i), func(context.Context, run.Job) (run.Ended, error) {
			return run.Ended{}, fault.Bad("there is no program x")
		}))
	}
	if _, err := p.Run(t.Context()); !fault.Is(err, fault.Invalid) {
		t.Errorf("Run: %v", err)
	}
	for _, id := range []string{"demo-1", "demo-2"} {
		if b := bundleOf(t, ops, id); b.Task.Status != task.Open || b.Task.Attempts != 0 {
			t.Errorf("%s is %s after %d attempts", id, b.Task.Status, b.Task.Attempts)
		}
	}
}

// TestAPoolWorksUntilNothingIsLeft runs a graph in which nearly every task becomes ready through the work of others: an
// idle worker must neither leave too early nor get a task that another one holds.
func TestAPoolWorksUntilNothingIsLeft(t *testing.T) {
	const n = 40
	var plan strings.Builder
	plan.WriteString(`{"project": "demo", "tasks": [{"key": "t0", "title": "T"}`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&plan, `, {"key": "t%d", "title": "T", "deps": ["t%d"]}`, i, i/2)
	}
	plan.WriteString(`]}`)
	ops := place(t, strings.Replace(plan.String(), `"deps": ["t0"]`, `"deps": []`, 1))
	var mu sync.Mutex
	seen := map[task.ID]int{}
	p := &run.Pool{UntilEmpty: true, Clock: clock, Report: func(r run.Report) {
		mu.Lock()
		defer mu.Unlock()
		if seen[r.Task]++; r.Outcome != run.Done {
			t.Errorf("%+v", r)
		}
	}}
	for i := range 4 {
		p.Workers = append(p.Workers, worker(ops, fmt.Sprint(i), ending(0, "")))
	}
	ran, err := p.Run(t.Context())
	if err != nil || ran != n || len(seen) != n {
		t.Errorf("%d runs of %d tasks, %v", ran, len(seen), err)
	}
}

func TestACommandThatOnlyGivesBackIsNotRunForEver(t *testing.T) {
	ops := place(t, one)
	p := &run.Pool{UntilEmpty: true, Clock: clock, Report: func(run.Report) {}, Workers: []*run.Worker{
		worker(ops, "1", func(ctx context.Context, _ run.Job) (run.Ended, error) {
			_, err := op.Release.Do(ctx, acting{ops, "robot", "1"}, work.ReleaseIn{Task: "demo-1"})
			return run.Ended{}, err
		}),
	}}
	if ran, err := p.Run(t.Context()); !fault.Is(err, fault.Declined) || ran != run.Attempts {
		t.Errorf("%d runs, %v", ran, err)
	}
}

func TestAPoolAsksWhetherThereIsMoreOnlyWhenNobodyWorks(t *testing.T) {
	ops := place(t, one)
	asked := 0
	p := &run.Pool{UntilEmpty: true, Clock: clock, Report: func(run.Report) {}, Workers: []*run.Worker{worker(ops, "1", ending(0, ""))}}
	p.Wait = func(ctx context.Context) (bool, error) {
		if asked++; asked > 1 {
			return false, nil
		}
		in, err := op.Create.Op.DecodeArgs([]byte(`{"project": "demo", "title": "More"}`))
		if err == nil {
			_, err = (acting{ops, "planner", ""}).Call(ctx, op.Create.Op, in)
		}
		return true, err
	}
	if ran, err := p.Run(t.Context()); ran != 2 || err != nil || asked != 2 {
		t.Errorf("%d runs, asked %d times, %v", ran, asked, err)
	}
}
