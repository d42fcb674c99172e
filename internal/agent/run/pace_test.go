package run_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tasker/internal/agent/run"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// These tests run in bubbles in which time passes only when everybody waits, so that hours of pauses take no time.

// some returns a plan of n tasks.
func some(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`{"key": "t%d", "title": "T"}`, i))
	}
	return `{"project": "demo", "tasks": [` + strings.Join(defs, ",") + `]}`
}

// began is one start of a command: when, since the pool began, and for which task.
type began struct {
	at   time.Duration
	task task.ID
}

// fleet is a pool whose commands end as a script says.
type fleet struct {
	run.Pool
	ops op.Caller

	mu      sync.Mutex
	start   time.Time
	began   []began
	running int
	most    int // commands that ran at once
	reports []run.Report
	takes   time.Duration // how long a command runs; 0: a second
}

// fleetOf returns a pool of workers. script says how the nth command ends, counted from 0, after a second.
func fleetOf(t *testing.T, workers int, plan string, script func(n int, j run.Job, since time.Duration) run.Ended) *fleet {
	f := &fleet{ops: place(t, plan), start: time.Now()}
	f.Clock, f.UntilEmpty = clock, true
	f.Jitter = func(most time.Duration) time.Duration { return most / 2 }
	f.Report = func(r run.Report) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.reports = append(f.reports, r)
	}
	for i := range workers {
		w := worker(f.ops, fmt.Sprint(i), func(ctx context.Context, j run.Job) (run.Ended, error) {
			f.mu.Lock()
			n, since := len(f.began), time.Since(f.start)
			f.began = append(f.began, began{since.Round(time.Second), j.Task})
			f.running++
			f.most = max(f.most, f.running)
			f.mu.Unlock()
			defer func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.running--
			}()
			select {
			case <-time.After(cmp.Or(f.takes, time.Second)):
			case <-ctx.Done():
				return run.Ended{ExitCode: -1}, nil
			}
			return script(n, j, since), nil
		})
		w.Clock = clock
		f.Workers = append(f.Workers, w)
	}
	return f
}

func (f *fleet) run(t *testing.T) error {
	t.Helper()
	_, err := f.Run(t.Context())
	return err
}

// times returns when commands began.
func (f *fleet) times() []time.Duration {
	var out []time.Duration
	for _, b := range f.began {
		out = append(out, b.at)
	}
	return out
}

// settled checks that every task is done or open, that nobody holds any, and returns the sum of all failed attempts.
func (f *fleet) settled(t *testing.T) (done, attempts, questions int) {
	t.Helper()
	all := 1000
	out, err := op.List.Do(t.Context(), acting{f.ops, "reader", ""}, reading.ListIn{Project: "demo", Limit: &all})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range out.Tasks {
		if one.Claim != nil || one.Status != task.Done && one.Status != task.Open {
			t.Errorf("%s is %s, held by %v", one.ID, one.Status, one.Claim)
		}
		if one.Status == task.Done {
			done++
		}
		attempts, questions = attempts+one.Attempts, questions+one.Questions
	}
	return done, attempts, questions
}

func seconds(list ...int) []time.Duration {
	var out []time.Duration
	for _, n := range list {
		out = append(out, time.Duration(n)*time.Second)
	}
	return out
}

func TestALimitPausesTheRunnerAndIsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 1, some(2), func(n int, _ run.Job, _ time.Duration) run.Ended {
			if n < 3 || n == 4 {
				return run.Ended{ExitCode: 75, Tail: "working\nnot before noon\n"}
			}
			return run.Ended{}
		})
		var paused []string
		f.Paused = func(until time.Time, why string) {
			paused = append(paused, fmt.Sprint(until.Sub(f.start).Round(time.Second), " ", why))
		}
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		// Five minutes, ten, twenty; then a success, and five minutes again.
		if got, want := f.times(), seconds(0, 301, 902, 2103, 2104, 2405); !slices.Equal(got, want) {
			t.Errorf("commands began after %v, want %v", got, want)
		}
		if want := "5m1s not before noon"; paused[0] != want || len(paused) != 4 {
			t.Errorf("the pauses are %q", paused)
		}
		if done, attempts, _ := f.settled(t); done != 2 || attempts != 0 {
			t.Errorf("%d tasks are done after %d failed attempts", done, attempts)
		}
		if r := f.reports[0]; r.Outcome != run.NotNow || r.Well() || !strings.Contains(string(r.Why), "not before noon") {
			t.Errorf("the report is %+v", r)
		}
	})
}

func TestAPauseLastsUntilTheTimeThatALimitTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		told := map[int]time.Time{0: now.Add(3 * time.Hour), 1: now.Add(-time.Hour), 2: now.AddDate(1, 0, 0)}
		f := fleetOf(t, 1, some(1), func(n int, _ run.Job, _ time.Duration) run.Ended {
			if at, ok := told[n]; ok {
				return run.Ended{ExitCode: 1, Class: run.Limit, Until: at}
			}
			return run.Ended{}
		})
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		// A time that is over, or too far away, is not believed.
		const first = 3*60*60 + 30
		if got, want := f.times(), seconds(0, first, first+601, first+601+1201); !slices.Equal(got, want) {
			t.Errorf("commands began after %v, want %v", got, want)
		}
	})
}

func TestAfterAPauseOneWorkerTriesAndTheOthersWaitForItsSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 8, some(30), func(_ int, _ run.Job, since time.Duration) run.Ended {
			if since < time.Minute {
				return run.Ended{ExitCode: 1, Class: run.Outage}
			}
			return run.Ended{}
		})
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		// Eight hit the outage at once, which is one pause of ten seconds; then one tries after 10, 20 and 40.
		want := slices.Concat(slices.Repeat(seconds(0), 8), seconds(11, 32, 73))
		if got := f.times(); !slices.Equal(got[:11], want) || got[11] != 74*time.Second || got[18] != 74*time.Second {
			t.Errorf("commands began after %v, want %v first, and then eight at once", got, want)
		}
		if done, attempts, _ := f.settled(t); done != 30 || attempts != 0 || f.most != 8 {
			t.Errorf("%d tasks are done after %d failed attempts, %d at once", done, attempts, f.most)
		}
	})
}

func TestAWorkerWaitsAfterAFailureAndTakesOthersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 1, some(3), func(_ int, j run.Job, _ time.Duration) run.Ended {
			if j.Task == "demo-1" {
				return run.Ended{ExitCode: 1, Tail: "no"}
			}
			return run.Ended{}
		})
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		want := []began{{0, "demo-1"}, {6 * time.Second, "demo-2"}, {7 * time.Second, "demo-3"}, {8 * time.Second, "demo-1"}, {14 * time.Second, "demo-1"}}
		if !slices.Equal(f.began, want) {
			t.Errorf("commands began as %v, want %v", f.began, want)
		}
		if done, attempts, questions := f.settled(t); done != 2 || attempts != 3 || questions != 1 {
			t.Errorf("%d tasks are done after %d failed attempts with %d questions", done, attempts, questions)
		}
	})
}

func TestThreeTasksThatFailAlikeStopTheRunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 1, some(5), func(n int, j run.Job, _ time.Duration) run.Ended {
			return run.Ended{ExitCode: 1, Tail: fmt.Sprintf("begun\npanic in %s at /tmp/x%d: no such table %d\n\n", j.Task, n, n)}
		})
		err := f.run(t)
		if !fault.Is(err, fault.Declined) || !strings.Contains(err.Error(), "demo-1, demo-2 and demo-3") || !strings.Contains(err.Error(), "no such table 2") {
			t.Errorf("Run: %v", err)
		}
		if done, attempts, questions := f.settled(t); done != 0 || attempts != 3 || questions != 0 {
			t.Errorf("%d tasks are done after %d failed attempts with %d questions", done, attempts, questions)
		}
	})
}

func TestTheTaskThatStopsTheRunnerLeavesNoQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 1, some(1), func(int, run.Job, time.Duration) run.Ended { return run.Ended{ExitCode: 1, Tail: "x"} })
		f.UntilEmpty = false
		for range 2 {
			if err := f.run(t); err != nil {
				t.Fatal(err)
			}
		}
		in, err := op.Create.Op.DecodeArgs([]byte(`{"project": "demo", "title": "Z", "priority": 0}`))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // they come first, so the task with two attempts is the third to fail
			if _, err := (acting{f.ops, "planner", ""}).Call(t.Context(), op.Create.Op, in); err != nil {
				t.Fatal(err)
			}
		}
		again := fleetOf(t, 1, one, func(int, run.Job, time.Duration) run.Ended { return run.Ended{ExitCode: 1, Tail: "no table"} })
		again.ops = f.ops
		again.Workers[0].Ops = f.Workers[0].Ops
		if err := again.run(t); !fault.Is(err, fault.Declined) {
			t.Errorf("Run: %v", err)
		}
		if _, attempts, questions := again.settled(t); attempts != 5 || questions != 0 {
			t.Errorf("%d failed attempts with %d questions", attempts, questions)
		}
	})
}

func TestFailuresThatAreNotAlikeDoNotStopTheRunner(t *testing.T) {
	for name, tail := range map[string]func(n int, id task.ID) string{
		"nothing printed": func(int, task.ID) string { return "\n" },
		"no word":         func(int, task.ID) string { return "}" },
		"different lines": func(n int, _ task.ID) string { return strings.Repeat("a", n+1) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := fleetOf(t, 1, some(3), func(n int, j run.Job, _ time.Duration) run.Ended {
					return run.Ended{ExitCode: 1, Tail: tail(n, j.Task)}
				})
				if err := f.run(t); err != nil {
					t.Error(err)
				}
				if _, attempts, questions := f.settled(t); attempts != 9 || questions != 3 {
					t.Errorf("%d failed attempts with %d questions", attempts, questions)
				}
			})
		})
	}
}

func TestACommandThatIsSetUpWronglyStopsTheRunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 4, some(8), func(n int, _ run.Job, _ time.Duration) run.Ended {
			return run.Ended{ExitCode: 78, Tail: "Please run /login\n"}
		})
		err := f.run(t)
		if !fault.Is(err, fault.Internal) || !strings.Contains(err.Error(), "Please run /login") || len(f.began) != 4 {
			t.Errorf("Run: %v after %d commands", err, len(f.began))
		}
		if _, attempts, questions := f.settled(t); attempts+questions != 0 {
			t.Errorf("%d failed attempts with %d questions", attempts, questions)
		}
	})
}

func TestARunnerEndsAfterItsTimeAndItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		well := func(int, run.Job, time.Duration) run.Ended { return run.Ended{} }
		f := fleetOf(t, 2, some(9), well)
		f.Until = f.start.Add(2500 * time.Millisecond)
		if err := f.run(t); err != nil || len(f.began) != 6 {
			t.Errorf("%d commands ran, %v", len(f.began), err)
		}
		if done, _, _ := f.settled(t); done != 6 { // those in hand were finished
			t.Errorf("%d tasks are done", done)
		}
		f = fleetOf(t, 2, some(9), func(n int, _ run.Job, _ time.Duration) run.Ended {
			if n == 1 {
				return run.Ended{ExitCode: 75}
			}
			return run.Ended{}
		})
		f.MaxTasks = 5
		if err := f.run(t); err != nil || len(f.began) != 6 {
			t.Errorf("%d commands ran, %v", len(f.began), err)
		}
		if done, _, _ := f.settled(t); done != 5 {
			t.Errorf("%d tasks are done", done)
		}
		f = fleetOf(t, 2, some(2), func(int, run.Job, time.Duration) run.Ended { return run.Ended{ExitCode: 75} })
		f.Until = f.start.Add(time.Minute) // also in a pause
		if err := f.run(t); err != nil || time.Since(f.start) != time.Minute {
			t.Errorf("it ended after %s, %v", time.Since(f.start), err)
		}
	})
}

func TestACommandThatPrintsNothingForTooLongIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		ctx, heard, ended := run.Quiet{Longest: time.Minute, Clock: clock}.Watch(t.Context(), &out)
		for range 3 {
			time.Sleep(50 * time.Second)
			_, _ = heard.Write([]byte("x"))
		}
		if ctx.Err() != nil || out.String() != "xxx" {
			t.Errorf("it was ended though it printed %q", out.String())
		}
		start := time.Now()
		<-ctx.Done()
		if time.Since(start) != time.Minute || ended() != time.Minute {
			t.Errorf("it was ended after %s, %s", time.Since(start), ended())
		}
		ctx, _, ended = run.Quiet{Longest: time.Minute, Clock: clock}.Watch(t.Context(), &out)
		if ended() != 0 || ctx.Err() == nil {
			t.Error("a command that ended by itself counts as stalled")
		}
		if ctx, _, ended = (run.Quiet{}).Watch(t.Context(), &out); ended() != 0 || ctx.Err() != nil {
			t.Error("a command without such a bound is ended")
		}
	})
}

func TestAnEpicThatAsksNothingIsClosedWithoutAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 1, `{"project": "demo", "gates": {"g": ["test"]}, "tasks": [
			{"key": "e", "title": "Epic"}, {"key": "p", "title": "Part", "parent": "e"},
			{"key": "b", "title": "Epic with a body", "body": "look at the whole"}, {"key": "q", "title": "Part", "parent": "b"},
			{"key": "c", "title": "Epic with a criterion", "criteria": ["all fits"]}, {"key": "r", "title": "Part", "parent": "c"},
			{"key": "s", "title": "No parts"}]}`, func(int, run.Job, time.Duration) run.Ended { return run.Ended{} })
		f.MaxTasks = 6 // an epic that nobody works on does not count
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		var ran []task.ID
		for _, b := range f.began {
			ran = append(ran, b.task)
		}
		slices.Sort(ran)
		if want := []task.ID{"demo-2", "demo-3", "demo-4", "demo-5", "demo-6", "demo-7"}; !slices.Equal(ran, want) {
			t.Errorf("commands ran for %v, want %v", ran, want)
		}
		i := slices.IndexFunc(f.reports, func(r run.Report) bool { return r.Task == "demo-1" })
		if i < 0 || f.reports[i].Outcome != run.Done || f.reports[i].ExitCode != nil || !strings.Contains(string(f.reports[i].Why), "asks for nothing") {
			t.Errorf("the reports are %+v", f.reports)
		}
	})
}

// TestAFleetEndsWithEveryTaskInATrueState lets thirty workers meet limits with and without a told end, an outage, crashes,
// a stop in the middle and a bad login.
func TestAFleetEndsWithEveryTaskInATrueState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tasks = 200
		var mu sync.Mutex
		crashed := map[task.ID]bool{}
		start := time.Now()
		script := func(n int, j run.Job, _ time.Duration) run.Ended {
			switch since := time.Since(start); {
			case since < 5*time.Minute:
				return run.Ended{ExitCode: 1, Class: run.Outage, Message: "overloaded"}
			case since > 15*time.Minute && since < time.Hour:
				return run.Ended{ExitCode: 1, Class: run.Limit, Until: start.Add(3 * time.Hour), Message: "limit"}
			case since > 3*time.Hour && since < 200*time.Minute:
				return run.Ended{ExitCode: 75, Tail: "no more"}
			}
			mu.Lock()
			defer mu.Unlock()
			if n%7 == 0 && !crashed[j.Task] {
				crashed[j.Task] = true
				return run.Ended{ExitCode: 139, Tail: strings.Repeat("x", n)}
			}
			return run.Ended{}
		}
		f := fleetOf(t, 30, some(tasks), script)
		f.takes = 2 * time.Minute
		ops, taken := f.ops, 0
		for _, end := range []time.Duration{10 * time.Minute, 185 * time.Minute, 0} {
			ctx, stop := context.WithCancel(t.Context())
			if end > 0 {
				ctx, stop = context.WithDeadline(t.Context(), start.Add(end+500*time.Millisecond))
			}
			f.reports = nil
			if _, err := f.Run(ctx); err != nil {
				t.Fatal(err)
			}
			stop()
			f.settled(t)
			taken += len(f.began)
			again := fleetOf(t, 30, one, script)
			for i, w := range again.Workers {
				w.Ops = f.Workers[i].Ops
			}
			again.ops, again.takes, f = ops, f.takes, again
		}
		all, failed := 1000, 0
		events, err := op.Events.Do(t.Context(), acting{ops, "reader", ""}, reading.EventsIn{Kind: string(task.ClaimReleased), Limit: &all})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if strings.Contains(string(e.Payload), `"failed":true`) {
				failed++
			}
		}
		if done, _, questions := f.settled(t); done != tasks || failed != len(crashed) || questions != 0 {
			t.Errorf("%d tasks are done after %d failed attempts (%d crashes) with %d questions", done, failed, len(crashed), questions)
		}
		t.Logf("%d commands in %s, %d crashes", taken, time.Since(start), len(crashed))
		if since := time.Since(start); since < 200*time.Minute || since > 6*time.Hour || taken > tasks+len(crashed)+30*4+20 {
			t.Errorf("it took %s and %d commands", since, taken)
		}
	})
}
