package asof_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tasker/internal/admin"
	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// step does something at random. A refused step changes nothing.
func step(k *coretest.Kit, r *rand.Rand, asked *[]int64) error {
	id := func() string { return fmt.Sprintf("demo-%d", 1+r.IntN(9)) }
	who := []context.Context{coretest.Bot, coretest.Bee, coretest.Ann}[r.IntN(3)]
	var err error
	switch r.IntN(17) {
	case 0, 1, 2:
		_, err = k.Work.Claim(who, work.ClaimIn{Task: id()})
	case 3:
		_, err = k.Work.Release(coretest.Ann, work.ReleaseIn{Task: id(), Failed: r.IntN(2) == 0})
	case 4, 5, 6:
		_, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: id(), To: []string{"done", "in_review", "open", "cancelled", "in_progress"}[r.IntN(5)], Force: true})
	case 7:
		_, err = k.EditAs(coretest.Ann, id(), []string{
			`{"title": "Another", "priority": 3}`, `{"body": "A body", "touches": ["a/**"]}`, `{"due": "2026-05-01", "severity": "S2"}`,
			`{"body": null, "due": null}`, `{"criteria": ["one", "three"]}`, `{"links": [{"kind": "url", "ref": "https://example.org"}]}`,
		}[r.IntN(6)])
	case 8:
		_, err = k.EditAs(coretest.Ann, id(), fmt.Sprintf(`{"deps": [%q], "parent": %q}`, id(), id()))
	case 9:
		_, err = k.Work.Tick(coretest.Ann, work.TickIn{Task: id(), Index: 1 + r.IntN(2), Checked: new(r.IntN(3) > 0)})
	case 10:
		if len(*asked) > 0 {
			if r.IntN(3) == 0 {
				_, err = k.Work.Withdraw(coretest.Ann, work.QuestionIn{Question: (*asked)[0]})
			} else {
				_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: (*asked)[0], Text: "Yes"})
			}
			*asked = (*asked)[1:]
			break
		}
		var q work.AskOut
		if q, err = k.Work.Ask(who, work.AskIn{Task: id(), Text: "Why?", Blocking: true}); err == nil {
			*asked = append(*asked, q.ID)
		}
	case 12:
		_, err = k.Work.Note(who, work.NoteIn{Task: id(), Text: "So far"})
	case 13:
		_, err = k.Work.Evidence(who, work.EvidenceIn{Task: id(), Items: []task.EvidenceItem{{Kind: "test", Value: "passed"}}})
	case 14:
		if r.IntN(2) == 0 {
			_, err = k.Work.Decide(who, work.DecideIn{Task: id(), Title: "So be it"})
		} else {
			_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: id()})
		}
	case 11:
		_, err = k.Create(coretest.Ann, fmt.Sprintf(`{"project": "demo", "title": "More", "deps": [%q]}`, id()))
	case 15:
		var made *planning.Written
		if made, err = k.Create(coretest.Ann, fmt.Sprintf(`{"project": "demo", "title": "Gone", "parent": %q}`, id())); err == nil && r.IntN(2) == 0 {
			last, _ := k.Last(string(made.Task.ID))
			_, err = k.Planning.Undo(coretest.Ann, planning.UndoIn{Number: last.ID})
		}
	case 16:
		_, err = k.ApplyAs(coretest.Ann, fmt.Sprintf(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "parent": %s},
			{"key": "b", "title": "B", "deps": [%s], "priority": %d}, {"key": "n%d", "title": "New one", "parent": "b"}]}`,
			[]string{"null", `"e"`, `"b"`}[r.IntN(3)], []string{"", `"a"`, `"e"`, `"c"`}[r.IntN(4)], r.IntN(4), r.IntN(3)))
	}
	return err
}

func TestAProjectIsShownAsItWas(t *testing.T) {
	histories, most := 1, 48
	if os.Getenv("TASKER_TEST_LONG") != "" {
		histories, most = 8, 150
	}
	for h := range histories {
		coretest.Each(t, func(k *coretest.Kit) {
			r, steps := rand.New(rand.NewPCG(7, uint64(h))), most
			if histories == 1 && strings.Contains(k.DB, "://") { // there it takes longer, and the past is computed in the same way
				steps /= 2
			}
			k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}, {"key": "b", "title": "B", "deps": ["a"], "body": "Text"},
				{"key": "c", "title": "C", "parent": "b"}, {"key": "d", "title": "D", "parent": "b", "deps": ["c"], "criteria": ["one"]},
				{"key": "e", "title": "E", "priority": 0}, {"key": "old", "title": "Old", "status": "done"}`)
			type mark struct {
				event int64
				saw   string
			}
			var marks []mark
			var asked []int64
			done := 0
			for i := range steps {
				if err := step(k, r, &asked); err == nil {
					done++
				} else if fault.Is(err, fault.Internal) {
					k.Fatal(err)
				}
				if i%6 == 0 || i == steps-1 {
					var newest int64
					k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error { newest = tx.LastEvent(); return nil }))
					marks = append(marks, mark{newest, look(k, nil).text(k)})
				}
			}
			if done < steps/4 {
				k.Errorf("only %d of %d steps did anything", done, steps)
			}
			for _, m := range marks {
				if diff := cmp.Diff(m.saw, look(k, &m.event).text(k)); diff != "" {
					k.Fatalf("at event %d of %d: %s", m.event, marks[len(marks)-1].event, diff)
				}
			}
		})
	}
}

// TestAClaimIsShownThatHasLapsedSince reads a moment during the lease and one after its end, before and after the end
// is written down.
func TestAClaimIsShownThatHasLapsedSince(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "due": "2020-01-01"}, {"key": "b", "title": "B"}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1", LeaseMs: new(int64(1000))})
		k.Must(err)
		held := k.Note(coretest.Ann, "demo-2", "while it lasts")
		k.Pass(1100 * time.Millisecond)
		look := func(at int64, want task.State) {
			k.Helper()
			list, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: &at, State: task.States[want]})
			k.Must(err)
			board, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
			k.Must(err)
			shown, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-1", At: &at})
			k.Must(err)
			coretest.Equal(k, "state", shown.Task.State(), want)
			if len(list.Tasks) == 0 || list.Tasks[0].ID != "demo-1" || board.Totals.InProgress != one(want == task.StateHeld) {
				k.Errorf("at event %d: %+v, %d in progress, want demo-1 %s", at, list.Tasks, board.Totals.InProgress, task.States[want])
			}
		}
		look(held, task.StateHeld)
		lapsed := k.Note(coretest.Ann, "demo-2", "when it has ended")
		look(held, task.StateHeld)
		look(lapsed, task.StateReady)
		k.Claim(coretest.Bee, "demo-1") // writes down the end of the lease first
		look(held, task.StateHeld)
		look(lapsed, task.StateReady)
	})
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// TestADecisionIsShownThatWasWithdrawnSince also checks that a decision recorded again later is not shown yet.
func TestADecisionIsShownThatWasWithdrawnSince(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		d, err := k.Work.Decide(coretest.Bot, work.DecideIn{Task: "demo-1", Title: "Use copper", Rationale: "it bends"})
		k.Must(err)
		was := k.Show("demo-1")
		_, err = k.Planning.Undo(coretest.Bot, planning.UndoIn{Number: d.ID})
		k.Must(err)
		withdrawn, _ := k.Last("demo-1")
		_, err = k.Planning.Undo(coretest.Bot, planning.UndoIn{Number: withdrawn.ID})
		k.Must(err)
		again, _ := k.Last("demo-1")
		for _, c := range []struct {
			at   int64
			want []task.Decision
		}{{d.ID - 1, []task.Decision{}}, {d.ID, was.Decisions}, {withdrawn.ID, []task.Decision{}}, {again.ID, k.Show("demo-1").Decisions}} {
			b, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-1", At: &c.at})
			k.Must(err)
			if diff := cmp.Diff(c.want, b.Decisions, cmpopts.EquateEmpty()); diff != "" || b.Task.Decisions != len(c.want) {
				k.Errorf("at event %d: %d decisions counted, want %d; %s", c.at, b.Task.Decisions, len(c.want), diff)
			}
		}
	})
}

func TestWhatCannotBeShownIsRefused(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "other", "tasks": [{"key": "x", "title": "X"}]}`)
		k.Tasks(`{"key": "a", "title": "A"}`)
		for at, words := range map[int64]string{0: "no event has that id", 99: "no event has that id", 1: "before demo was created"} {
			_, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
			k.Refused(err, fault.Invalid, words)
		}
		var made int64
		k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error { made = tx.LastEvent(); return nil }))
		_, err := k.Create(coretest.Ann, `{"project": "demo", "title": "Later"}`)
		k.Must(err)
		_, err = k.Picture.Graph(coretest.Ann, picture.GraphIn{Task: "demo-2", At: &made})
		k.Refused(err, fault.NotFound, "there was no task demo-2 at event")
		_, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-2", At: &made})
		k.Refused(err, fault.NotFound, "there was no task demo-2 at event")
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: &made, Sort: "changed"})
		k.Refused(err, fault.Invalid, "the time of the last change is not known for an earlier moment")
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: &made, Mark: "stuck"})
		k.Refused(err, fault.Invalid, "what was stuck is not known for an earlier moment")
		for _, future := range []int64{made + 2, -1} {
			_, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-1", At: &future})
			k.Refused(err, fault.Invalid, "no event has that id")
			_, err = k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", At: &future})
			k.Refused(err, fault.Invalid, "no event has that id")
			_, err = k.Picture.Timeline(coretest.Ann, picture.TimelineIn{Slug: "demo", At: &future})
			k.Refused(err, fault.Invalid, "no event has that id")
		}
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: &made, Cursor: "demo-1"})
		k.Refused(err, fault.Invalid, "the cursor is not one of this list")
		one := 1
		page, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: new(made + 1), Limit: &one})
		k.Must(err)
		rest, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: new(made + 1), Cursor: string(page.NextCursor)})
		k.Must(err)
		if page.Total != 2 || len(rest.Tasks) != 1 || rest.Tasks[0].Title != "Later" || rest.NextCursor != "" {
			k.Errorf("%d tasks, then %+v", page.Total, rest)
		}
	})
}

// TestAMomentBeforeAPrunedLogIsGone asks every read that takes a moment for one before the log begins.
func TestAMomentBeforeAPrunedLogIsGone(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		for range 4 {
			k.Note(coretest.Bot, "demo-1", "so far")
		}
		k.Done(coretest.Ann, "demo-1")
		k.Pass(time.Second)
		out, err := k.Admin.EventsPrune(coretest.Ann, admin.EventsPruneIn{
			Before: k.Now().String(), Name: "archive", Add: func(*task.Event) error { return nil }, Close: func() (string, error) { return "sum", nil },
		})
		k.Must(err)
		early, kept := out.FirstEvent-2, out.FirstEvent
		ask := func(at *int64) (out [7]error) {
			_, out[0] = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-1", At: at})
			_, out[1] = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: at})
			_, out[2] = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: at})
			_, out[3] = k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", At: at})
			_, out[4] = k.Picture.Timeline(coretest.Ann, picture.TimelineIn{Slug: "demo", At: at})
			_, out[5] = k.Picture.Forecast(coretest.Ann, picture.ForecastIn{Slug: "demo", At: at})
			_, out[6] = k.Inbox.ProjectOverview(coretest.Ann, inbox.ProjectOverviewIn{Slug: "demo", At: at})
			return out
		}
		for _, err := range ask(&early) {
			k.Refused(err, fault.Gone, "the log begins with event")
			coretest.Equal(k, "hint", fault.Of(err).Hint, fmt.Sprintf("name event %d or a later one; the operator of the database has the archive", kept))
		}
		for _, err := range ask(&kept) {
			if fault.Is(err, fault.Gone) {
				k.Error(err)
			}
		}
	})
}

// Reads that rewind projects at the same time hold no more tasks than there is room for; a read that finds no room is
// refused, and gives back what it took.
func TestThereIsRoomForSoManyWoundBackAtOnce(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]}`)
		k.Env.Rewound = core.NewRoom(3)
		at, limit := int64(1), 10
		turnedAway := 0
		_, err := core.Within(coretest.Ann, k.Env, "demo", &limit, func(sc core.Scene) (int, error) {
			return asof.Back(k.Env, sc, &at, func(core.Scene, *asof.Was) (int, error) {
				_, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
				if !fault.Is(err, fault.Unavailable) {
					k.Errorf("during another read, a past board answers %v", err)
				}
				turnedAway++
				_, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo"})
				return 0, err
			})
		})
		k.Must(err)
		for range 2 {
			_, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
			k.Must(err)
		}
		if turnedAway != 1 {
			k.Error("nothing was rewound")
		}
	})
}

// If more tasks have changed than there is room for at all, the read goes back less far and says so; if the newest
// event by itself is too much, it does not go back.
func TestItGoesBackAsFarAsThereIsRoom(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "hub", "title": "Hub"}, {"key": "a", "title": "A", "deps": ["hub"]}, {"key": "b", "title": "B", "deps": ["hub"]},
			{"key": "c", "title": "C", "deps": ["hub"]}`)
		begun := k.Note(coretest.Ann, "demo-1", "begun")
		k.Done(coretest.Ann, "demo-1")
		newest := func() (at int64) {
			k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error { at = tx.LastEvent(); return nil }))
			return at
		}
		done := newest()
		for i := range 8 {
			k.Note(coretest.Ann, fmt.Sprintf("demo-%d", 2+i%3), "on")
		}
		k.Env.Rewound = core.NewRoom(3)
		board, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &begun})
		k.Must(err)
		if board.At == nil || !board.At.Cut || board.At.Event < done || board.Totals.Done != 1 {
			k.Errorf("it was %+v, with %d done; want it cut behind event %d", board.At, board.Totals.Done, done)
		}
		board, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &done})
		k.Must(err)
		if board.At.Cut || board.At.Event != done {
			k.Errorf("it was %+v, want event %d", board.At, done)
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open", Force: true})
		board, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &done})
		k.Must(err)
		if !board.At.Cut || board.At.Event != newest() || board.Totals.Open != 4 {
			k.Errorf("it was %+v, with %d open; want it to be as it is", board.At, board.Totals.Open)
		}
		k.Env.Rewound = core.NewRoom(4)
		board, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &begun})
		k.Must(err)
		if board.At.Cut || board.Totals.Open != 4 {
			k.Errorf("it was %+v, with %d open; want event %d", board.At, board.Totals.Open, begun)
		}
	})
}

// Finding the tasks that stood in a circle takes a walk along the edges, which needs room too; without it the mark
// stays, and the rest is answered.
func TestAWalkForCirclesTakesRoom(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "p", "title": "P"}, {"key": "c", "title": "C", "parent": "p", "deps": ["p"]}`)
		begun := k.Note(coretest.Ann, "demo-1", "begun")
		k.Edit(coretest.Ann, "demo-2", `{"deps": []}`)
		for tasks, circled := range map[int]bool{3: false, 100: true} {
			k.Env.Rewound = core.NewRoom(tasks)
			b, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-2", At: &begun})
			k.Must(err)
			if b.At.Cut || b.Task.InCircle != circled || len(b.Task.Deps) != 1 {
				k.Errorf("with room for %d tasks it was %+v, in a circle: %v, with %v before it", tasks, b.At, b.Task.InCircle, b.Task.Deps)
			}
		}
	})
}

// TestAReturnIsShownAsItWas reads, after each step, who had a task and whether it had come back from review, and again when
// evidence, a tick and a close have answered the returns.
func TestAReturnIsShownAsItWas(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		was := map[int64]string{}
		handed := func(at *int64) string {
			b, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-1", At: at})
			k.Must(err)
			return fmt.Sprintf("%q held it, %q handed it over, event %d", b.Task.LastHolder, b.Task.ReviewBy, b.Task.Returned)
		}
		did := func(err error) {
			k.Helper()
			k.Must(err)
			last, _ := k.Last("demo-1")
			was[last.ID] = handed(nil)
		}
		move := func(who context.Context, to string) {
			k.Helper()
			_, err := k.Work.Move(who, work.MoveIn{Task: "demo-1", To: to, Force: true})
			did(err)
		}
		k.Claim(coretest.Bot, "demo-1")
		move(coretest.Bot, "in_review")
		move(coretest.Ann, "open")
		_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "fix", Value: "it is there"}}})
		did(err)
		k.Claim(coretest.Bee, "demo-1")
		move(coretest.Bee, "in_review")
		move(coretest.Ann, "open")
		_, err = k.Work.Tick(coretest.Bee, work.TickIn{Task: "demo-1", Index: 1})
		did(err)
		move(coretest.Bee, "in_review")
		move(coretest.Ann, "open")
		move(coretest.Ann, "done")
		for event, want := range was {
			if diff := cmp.Diff(want, handed(&event)); diff != "" {
				k.Errorf("at event %d: %s", event, diff)
			}
		}
	})
}
