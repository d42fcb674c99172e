package picture_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tasker/internal/app/services"
	dbworld "tasker/internal/db"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/views/picture"
	"tasker/internal/work"
)

// finish has a worker claim and close tasks one after another.
func finish(t *testing.T, s *services.Set, name string, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		id := fmt.Sprintf("demo-%d", i)
		if _, err := s.Work.Claim(worker(name), work.ClaimIn{Task: id}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Work.Move(worker(name), work.MoveIn{Task: id, To: "done"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAForecastComesFromWhatWasClaimedAndClosed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		var tasks []string
		for i := 1; i <= 28; i++ {
			on := ""
			if i > 26 {
				on = fmt.Sprintf(`, "deps": ["t%d"]`, i-1)
			}
			tasks = append(tasks, fmt.Sprintf(`{"key": "t%d", "title": "T"%s}`, i, on))
		}
		tasks = append(tasks, `{"key": "old", "title": "Recorded", "status": "done"}`, `{"key": "not", "title": "Not", "status": "cancelled"}`)
		clock := storetest.NewClock()
		s, err := coretest.Clocked(db, dbworld.World{Clock: clock}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Store.Close() })
		apply(t, s, `{"project": "demo", "tasks": [`+strings.Join(tasks, ",")+`]}`)
		ask := func() picture.ForecastOut {
			t.Helper()
			out, err := s.Picture.Forecast(ctx, picture.ForecastIn{Slug: "demo"})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		finish(t, s, "ann", 1, 10)
		finish(t, s, "bob/2", 11, 19)
		if out := ask(); out.Done != nil || out.RestsOn.Closed != 19 || !strings.Contains(out.Sentence, "(19 so far)") {
			t.Errorf("nothing can be said from %+v, and the sentence is %q", out.RestsOn, out.Sentence)
		}
		finish(t, s, "bob/2", 20, 20)
		if out := ask(); out.Done != nil || out.RestsOn.Closed != 20 || !strings.HasPrefix(out.Sentence, "Forecast after a day of work here: the 20 tasks that were claimed and closed took ") {
			t.Errorf("nothing can be said of one sitting, %+v, and the sentence is %q", out.RestsOn, out.Sentence)
		}
		if strings.Contains(db, "://") {
			return // its clock cannot be set, and all of this is one sitting
		}
		clock.Step(48 * time.Hour)
		finish(t, s, "bob/2", 21, 24)
		out := ask()
		if out.Done == nil || out.Done.Half <= out.AsOf || out.Done.Nine < out.Done.Half {
			t.Fatalf("%+v as of %s", out.Done, out.AsOf)
		}
		if r := out.RestsOn; r.Closed != 24 || r.Workers != 2 || r.By != "tasks" || r.Since == 0 || r.Since > out.AsOf || out.Open != 4 {
			t.Errorf("%d open tasks rest on %+v", out.Open, r)
		}
		if n := len(out.Before.Points); n == 0 || out.Before.Points[n-1].Open != 4 || len(out.States) == 0 {
			t.Errorf("before: %+v, states: %+v", out.Before, out.States)
		}
		if last := out.Burnup[len(out.Burnup)-1]; last.Scope != 29 || last.Closed != 25 {
			t.Errorf("the burn-up ends with %+v", last)
		}
		if w := out.Weeks[len(out.Weeks)-1]; len(out.Weeks) != 12 || w.Done != 25 {
			t.Errorf("%d weeks, the last %+v", len(out.Weeks), w)
		}
		if again := ask(); *again.Done != *out.Done || again.AsOf != out.AsOf {
			t.Errorf("%+v, then %+v", out.Done, again.Done)
		}
	})
}
