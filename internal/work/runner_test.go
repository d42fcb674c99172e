package work_test

import (
	"strings"
	"testing"
	"time"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestTheStateOfARunnerIsShownUntilAMinuteAfterItsEnd(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		say := func(state string, change func(*work.RunnerIn)) task.Runner {
			k.Helper()
			in := work.RunnerIn{Slug: "demo", Host: "build", State: state, Workers: 2}
			if change != nil {
				change(&in)
			}
			out, err := k.Work.Runners(coretest.Bot, in)
			k.Must(err)
			return out
		}
		shown := func(want ...string) {
			k.Helper()
			m, err := k.Reading.Machine(coretest.Ann, reading.ProjectIn{Slug: "demo"})
			k.Must(err)
			w, err := k.Reading.Work(coretest.Ann, reading.WorkIn{Slug: "demo"})
			k.Must(err)
			b, err := k.Inbox.Brief(coretest.Ann, inbox.BriefIn{Slug: "demo"})
			k.Must(err)
			for _, runners := range [][]task.Runner{m.Runners, w.Runners, b.Runners} {
				var got []string
				for _, r := range runners {
					got = append(got, r.Actor+" "+string(r.State))
				}
				coretest.EqualSlices(k, "runners", got, want...)
			}
		}
		changes := func(want ...string) {
			k.Helper()
			evs, err := k.Reading.Events(coretest.Ann, reading.EventsIn{Project: "demo", Limit: new(1000)})
			k.Must(err)
			var got []string
			for _, e := range evs {
				if kind, ok := strings.CutPrefix(string(e.Kind), "runner."); ok {
					got = append(got, kind)
				}
			}
			coretest.EqualSlices(k, "events", got, want...)
		}
		passes := func(d time.Duration) { // PostgreSQL's clock cannot be set
			k.Helper()
			_, err := core.Write(coretest.Ann, k.Work.Env, func(tx *store.Tx) (core.None, error) {
				tx.Exec(1, `UPDATE runner SET ends=ends-$1`, d.Microseconds())
				return core.None{}, nil
			})
			k.Must(err)
		}
		began := say("working", nil)
		k.Pass(10 * time.Millisecond)
		again := say("working", func(in *work.RunnerIn) { in.Tasks = []string{"demo-1"} })
		coretest.Equal(k, "since", again.Since, began.Since)
		shown("bot working")
		changes("started")
		say("paused", func(in *work.RunnerIn) {
			in.Until, in.Why = new(again.Since.Add(3600*1000).String()), new("a limit")
		})
		passes(50 * time.Minute)
		shown("bot paused") // it says nothing meanwhile
		say("working", nil)
		say("idle", nil)
		changes("started", "paused", "resumed")
		say("stopped", func(in *work.RunnerIn) { in.Why, in.Tasks = new("3 tasks failed alike"), []string{"demo-1"} })
		say("stopped", func(in *work.RunnerIn) { in.Why, in.Tasks = new("3 tasks failed alike"), []string{"demo-1"} })
		changes("started", "paused", "resumed", "stopped")
		shown("bot stopped")
		passes(61 * time.Second)
		shown()
		say("working", nil)
		changes("started", "paused", "resumed", "stopped", "started")
		passes(61 * time.Second) // killed
		shown()
		for _, in := range []work.RunnerIn{
			{Slug: "demo", Host: "build", State: "asleep", Workers: 1},
			{Slug: "demo", Host: "build", State: "working"},
			{Slug: "demo", Host: "build", State: "paused", Workers: 1, Until: new("soon")},
			{Slug: "demo", Host: "build", State: "paused", Workers: 1, Until: new("2999-01-01T00:00:00Z")},
			{Slug: "demo", Host: "", State: "working", Workers: 1},
			{Slug: "demo", Host: "build", State: "working", Workers: 1, Tasks: []string{"other-1"}},
			{Slug: "demo", Host: "build", State: "working", Workers: 1, Why: new(strings.Repeat("x", task.MaxRunnerWhy+1))},
		} {
			_, err := k.Work.Runners(coretest.Bot, in)
			k.Refused(err, fault.Invalid, "")
		}
		_, err := k.Admin.ProjectArchive(coretest.Ann, admin.ProjectArchiveIn{Slug: "demo"})
		k.Must(err)
		_, err = k.Work.Runners(coretest.Bot, work.RunnerIn{Slug: "demo", Host: "build", State: "working", Workers: 1})
		k.Refused(err, fault.Declined, "the project demo is archived")
		k.Healthy()
	})
}
