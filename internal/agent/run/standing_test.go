package run_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tasker/internal/agent/run"
	"tasker/internal/task"
)

// said is what a pool has said of itself.
func said(f *fleet, out *[]run.Standing) *[]string {
	var lines []string
	f.Says = func(_ context.Context, s run.Standing) {
		*out = append(*out, s)
		lines = append(lines, fmt.Sprintf("%s %s", time.Since(f.start).Round(time.Second), s.State))
	}
	return &lines
}

func TestARunnerSaysWhereItStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 2, some(5), func(n int, _ run.Job, _ time.Duration) run.Ended {
			if n < 2 {
				return run.Ended{ExitCode: 75, Tail: "no more today"}
			}
			return run.Ended{}
		})
		f.takes = 30 * time.Second
		var all []run.Standing
		lines := said(f, &all)
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		// While it is paused it says nothing; while it works it does, every twenty seconds.
		want := []string{"0s working", "1s working", "21s working", "30s paused", "5m30s working", "5m31s working", "5m51s working"}
		if got := (*lines)[:min(len(*lines), len(want))]; !slices.Equal(got, want) {
			t.Errorf("it said %q, want %q", got, want)
		}
		if last := all[len(all)-1]; last.State != task.RunnerStopped || last.Why != "" || len(last.Tasks) != 0 {
			t.Errorf("at its end it said %+v", last)
		}
		if p := all[3]; p.Why != "no more today" || p.Until.Sub(f.start) != 330*time.Second {
			t.Errorf("of its pause it said %+v", p)
		}
		if len(all[1].Tasks) != 2 {
			t.Errorf("of its work it said %+v", all[1])
		}
	})
}

func TestARunnerThatWaitsSaysSoOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fleetOf(t, 3, some(3), func(int, run.Job, time.Duration) run.Ended { return run.Ended{} })
		f.WaitsUntil = func() time.Time { return time.Now().Add(3 * time.Hour) }
		f.Wait = func(context.Context) (bool, error) {
			time.Sleep(2 * time.Hour)
			return false, nil
		}
		var all []run.Standing
		lines := said(f, &all)
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(*lines, ", "); !strings.HasPrefix(got, "0s working, 1s ") || !strings.HasSuffix(got, "idle, 2h0m1s stopped") || len(all) > 4 {
			t.Errorf("it said %s", got)
		}
	})
}

func TestARunnerThatStopsByItselfSaysWhy(t *testing.T) {
	for _, c := range []struct {
		ended run.Ended
		tasks int
		why   string
	}{
		{run.Ended{ExitCode: 78, Tail: "not logged in"}, 1, "its command is set up wrongly: not logged in"},
		{run.Ended{ExitCode: 1, Tail: "no such module"}, 3, "3 tasks failed one after the other with the same last line: no such module"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := fleetOf(t, 1, some(4), func(int, run.Job, time.Duration) run.Ended { return c.ended })
			var all []run.Standing
			said(f, &all)
			if err := f.run(t); err == nil {
				t.Error("it ended well")
			}
			if last := all[len(all)-1]; last.State != task.RunnerStopped || last.Why != c.why || len(last.Tasks) != c.tasks {
				t.Errorf("at its end it said %+v", last)
			}
		})
	}
}
