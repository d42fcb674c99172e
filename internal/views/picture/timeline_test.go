package picture_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/picture"
	"tasker/internal/work"
)

// ctx has a caller whose name nothing declares.
var ctx = core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "bot"}})

func worker(name string) context.Context {
	return core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: name}})
}

// applied returns the services over a database that holds a plan.
func applied(t *testing.T, db, document string) *services.Set {
	t.Helper()
	s, err := coretest.Open(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Store.Close() })
	apply(t, s, document)
	return s
}

func apply(t *testing.T, s *services.Set, document string) {
	t.Helper()
	doc, err := plan.Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Planning.Apply(ctx, planning.ApplyIn{Doc: doc}); err != nil {
		t.Fatal(err)
	}
}

func TestHeldSpansComeFromTheLeases(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		s := applied(t, db, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": `+
			`"d", "title": "D"}]}`)
		for _, id := range []string{"demo-1", "demo-2", "demo-3"} {
			if _, err := s.Work.Claim(worker("ann"), work.ClaimIn{Task: id}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Work.Release(worker("ann"), work.ReleaseIn{Task: "demo-1"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Work.Claim(worker("bob"), work.ClaimIn{Task: "demo-1"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Work.Move(worker("ann"), work.MoveIn{Task: "demo-2", To: "done"}); err != nil {
			t.Fatal(err)
		}
		out, err := s.Picture.Timeline(ctx, picture.TimelineIn{Slug: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range out.Spans {
			if h.From > h.To || h.To > out.To {
				t.Errorf("%s runs from %s to %s", h.Task, h.From, h.To)
			}
			got = append(got, fmt.Sprint(h.Task, " ", h.Title, " ", h.Actor, " ", h.End))
		}
		want := []string{"demo-1 A ann released", "demo-2 B ann done", "demo-3 C ann live", "demo-1 A bob live"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTheOrderAheadGoesStepByStep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		// The epic comes after its part; a child of the goal that waits for the goal comes after it.
		s := applied(t, db, `{"project": "demo", "tasks": [
			{"key": "a", "title": "A", "priority": 2}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["b"]},
			{"key": "piece", "title": "Piece", "parent": "epic", "priority": 3},
			{"key": "urgent", "title": "Urgent", "priority": 0}, {"key": "held", "title": "Held", "priority": 3}, {"key": "epic", "title": "Epic"},
			{"key": "goal", "title": "Goal"}, {"key": "part", "title": "Part", "parent": "goal", "deps": ["goal"]}, {"key": "old", "title": "Old", "status": "done"}]}`)
		if _, err := s.Work.Claim(worker("ann"), work.ClaimIn{Task: "demo-6"}); err != nil {
			t.Fatal(err)
		}
		out, err := s.Picture.Timeline(ctx, picture.TimelineIn{Slug: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]string
		for _, step := range out.Ahead {
			var titles []string
			for _, a := range step.Tasks {
				text := a.Title
				if a.Holder != "" {
					text += " by " + a.Holder
				}
				if a.Critical {
					text += "!"
				}
				titles = append(titles, text)
			}
			if step.Total != len(titles) {
				t.Errorf("a step counts %d and lists %v", step.Total, titles)
			}
			got = append(got, titles)
		}
		want := [][]string{{"Held by ann", "Urgent", "A!", "Goal", "Piece"}, {"B!", "Epic", "Part"}, {"C!"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if out.Further || len(out.Critical) != 3 {
			t.Errorf("further steps: %v; the critical path: %v", out.Further, out.Critical)
		}
	})
}

func TestALongChainIsCountedToItsEnd(t *testing.T) {
	const n = 130
	tasks := []string{`{"key": "t0", "title": "T"}`}
	for i := 1; i < n; i++ {
		tasks = append(tasks, fmt.Sprintf(`{"key": "t%d", "title": "T", "deps": ["t%d"]}`, i, i-1))
	}
	dbtest.Each(t, func(t *testing.T, db string) {
		s := applied(t, db, `{"project": "demo", "tasks": [`+strings.Join(tasks, ",")+`]}`)
		out, err := s.Picture.Timeline(ctx, picture.TimelineIn{Slug: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		if out.Longest != n || len(out.Critical) != 100 || out.Critical[0].ID != "demo-1" {
			t.Errorf("the longest chain has %d tasks, want %d; %d of them are listed", out.Longest, n, len(out.Critical))
		}
	})
}

func TestTheBurnupEndsWithWhatThereIs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		s := applied(t, db, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "done"}, {"key": "b", "title": "B"}, {"key": "c", `+
			`"title": "C", "status": "cancelled"}]}`)
		out, err := s.Picture.Timeline(ctx, picture.TimelineIn{Slug: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		if last := out.Burnup[len(out.Burnup)-1]; last.Scope != 2 || last.Closed != 1 {
			t.Errorf("the burn-up ends with %d of %d, want 1 of 2: what was cancelled is no longer to be done", last.Closed, last.Scope)
		}
	})
}
