package shop

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"tasker/internal/admin"
	"tasker/internal/inbox"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/reading"

	"github.com/google/go-cmp/cmp"
)

func TestTheSameTimeGivesTheSameRecords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	first, second := records(t, now), records(t, now)
	if len(first) < 500 {
		t.Fatalf("%d records", len(first))
	}
	if d := cmp.Diff(first, second); d != "" {
		t.Error(d)
	}
}

// records writes the plan, and returns every record of the database as text.
func records(t *testing.T, now time.Time) (out []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasker.db")
	if _, err := Write(t.Context(), path, now); err != nil {
		t.Fatal(err)
	}
	set, err := open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = set.Store.Close() }()
	_, err = set.Admin.Dump(t.Context(), admin.DumpIn{
		Outputs: true,
		Begin:   func(query.Dumped) error { return nil },
		Record: func(r query.Record) error {
			text, err := json.Marshal(r)
			out = append(out, string(text))
			return err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What pages have to show is all there, on both databases.
func TestThePlanHasEveryTrouble(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		t.Parallel()
		if _, err := Write(t.Context(), path, time.Now()); err != nil {
			t.Fatal(err)
		}
		set, err := open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = set.Store.Close() }()
		alice := (&play{Set: set, ctx: t.Context()}).as("alice")

		over, err := set.Inbox.ProjectOverview(alice, inbox.ProjectOverviewIn{Slug: Project, Limit: new(1000)})
		if err != nil {
			t.Fatal(err)
		}
		s := over.Situation
		got := map[string]int{
			"ready": s.Ready, "waiting": s.Blocked, "asked": s.Asked, "held": s.Held, "unheld": s.Unheld, "in review": s.ByStatus.InReview,
			"done": s.ByStatus.Done, "cancelled": s.ByStatus.Cancelled, "overdue": s.Overdue,
		}
		want := map[string]int{
			"ready": 7, "waiting": 46, "asked": 2, "held": 7, "unheld": 2, "in review": 3, "done": 51, "cancelled": 2, "overdue": 3,
		}
		if !maps.Equal(got, want) {
			t.Errorf("the states are %v, want %v", got, want)
		}
		kinds := map[waiting.ItemKind]int{}
		for _, i := range over.Inbox.Items {
			kinds[i.Kind]++
		}
		if d := cmp.Diff(map[waiting.ItemKind]int{
			waiting.ItemQuestion: 3, waiting.ItemReview: 2, waiting.ItemApproval: 1, waiting.ItemDivergence: 6, waiting.ItemStalled: 1, waiting.ItemUnheld: 2,
			waiting.ItemFailing: 1, waiting.ItemLapse: 1, waiting.ItemOverride: 1,
		}, kinds); d != "" {
			t.Errorf("the inbox of alice: %s", d)
		}
		worst, err := set.Reading.Bottlenecks(alice, reading.ProjectIn{Slug: Project})
		if err != nil {
			t.Fatal(err)
		}
		if w := worst.Items[0]; w.Task != Stalled || w.Transitive < 26 {
			t.Errorf("the worst bottleneck is %+v", w)
		}
		found, err := set.Admin.Doctor(alice, admin.DoctorIn{})
		if err != nil || !found.OK {
			t.Errorf("a recount finds %+v (%v)", found.Checks, err)
		}
	})
}
