package past_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/coretest"
	"tasker/internal/core/past"
	"tasker/internal/core/people"
	"tasker/internal/core/picture"
	"tasker/internal/core/planning"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// seen is what a project looked like.
type seen struct {
	Board     reading.BoardOut
	Lanes     picture.LanesOut
	List      reading.ListOut
	Situation people.Situation
	Graph     picture.GraphOut
	Orders    map[string][]task.ID // of the list, by what it is sorted and grouped by
	Bundles   []bundle.Bundle
	Nodes     []string // of the whole picture
	Edges     []picture.NetworkEdge
	Spans     []picture.Held
	Ahead     []picture.Step
	Grown     picture.Level
}

// look reads a project as it is, or as it was.
func look(k *coretest.Kit, at *int64) seen {
	k.Helper()
	limit := 1000
	var out seen
	var err error
	out.Board, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", Limit: &limit, At: at})
	k.Must(err)
	out.Lanes, err = k.Picture.Lanes(coretest.Ann, picture.LanesIn{Group: true, Slug: "demo", Limit: &limit, At: at})
	k.Must(err)
	out.List, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Limit: &limit, At: at})
	k.Must(err)
	of, err := k.People.ProjectOverview(coretest.Ann, people.ProjectOverviewIn{Slug: "demo", At: at})
	k.Must(err)
	out.Situation = of.Situation
	out.Graph, err = k.Picture.Graph(coretest.Ann, picture.GraphIn{Task: "demo-2", At: at})
	k.Must(err)
	out.drawn(k, at)
	out.Orders = map[string][]task.ID{}
	for _, sorted := range query.Sorts {
		if sorted == string(query.ByChanged) {
			continue
		}
		for _, grouped := range append([]string{""}, query.Groups...) {
			list, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Limit: &limit, At: at, Sort: sorted, Group: grouped})
			k.Must(err)
			for _, t := range list.Tasks {
				out.Orders[sorted+" "+grouped] = append(out.Orders[sorted+" "+grouped], t.ID)
			}
		}
	}
	for _, t := range out.List.Tasks {
		b, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: string(t.ID), At: at})
		k.Must(err)
		out.Bundles = append(out.Bundles, bundle.Bundle{
			Project: b.Project, Ancestors: b.Ancestors, Children: b.Children, Deps: b.Deps, Dependents: b.Dependents, Gate: b.Gate, Approvals: b.Approvals,
			Notes: b.Notes, Decisions: b.Decisions, Questions: b.Questions, Evidence: b.Evidence, Links: b.Links, RecentEvents: b.RecentEvents,
			Task: &task.Task{Body: b.Task.Body, Deps: b.Task.Deps},
		})
	}
	out.plain()
	return out
}

// drawn reads the pictures of a project. Positions follow from what is drawn, and where a chart ends from when it is asked for.
func (s *seen) drawn(k *coretest.Kit, at *int64) {
	k.Helper()
	net, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", Show: "all", At: at})
	k.Must(err)
	for _, n := range net.Nodes {
		s.Nodes = append(s.Nodes, fmt.Sprint(n.ID, n.Title, n.State, n.Critical, n.InCircle))
	}
	s.Edges = net.Edges
	front, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", At: at})
	k.Must(err)
	for _, n := range front.Nodes {
		s.Nodes = append(s.Nodes, string(n.ID))
	}
	line, err := k.Picture.Timeline(coretest.Ann, picture.TimelineIn{Slug: "demo", At: at})
	k.Must(err)
	for _, h := range line.Spans {
		if h.End == "live" {
			h.To = 0
		}
		s.Spans = append(s.Spans, h)
	}
	s.Ahead = line.Ahead
	s.Grown = line.Burnup[len(line.Burnup)-1]
	s.Grown.At = 0
	when, err := k.Picture.Forecast(coretest.Ann, picture.ForecastIn{Slug: "demo", At: at})
	k.Must(err)
	s.Nodes = append(s.Nodes, when.Sentence)
}

// plain takes away what no event tells: versions, what extended a lease, and on what a tick rests.
func (s *seen) plain() {
	claim := func(c *task.Claim) *task.Claim {
		if c == nil {
			return nil
		}
		return &task.Claim{Task: c.Task, Actor: c.Actor, Fence: c.Fence, ClaimedAt: c.ClaimedAt}
	}
	card := func(c *task.Card) { c.Version, c.UpdatedAt, c.Claim = 0, 0, claim(c.Claim) }
	s.Board.At, s.Lanes.At, s.List.At, s.Graph.At = nil, nil, nil, nil
	for _, c := range s.Board.Columns {
		for i := range c.Tasks {
			card(&c.Tasks[i])
		}
	}
	for _, l := range s.Lanes.Lanes {
		for i := range l.Cards {
			card(&l.Cards[i].Card)
		}
	}
	for _, r := range s.Lanes.Rows {
		for _, l := range r.Lanes {
			for i := range l.Cards {
				card(&l.Cards[i].Card)
			}
		}
	}
	for i, t := range s.List.Tasks {
		c := task.Task{
			ID: t.ID, Key: t.Key, Title: t.Title, Body: t.Body, Parent: t.Parent, Deps: t.Deps, Status: t.Status, Priority: t.Priority, Severity: t.Severity,
			Due: t.Due, Gate: t.Gate, Touches: t.Touches, Criteria: t.Criteria, Links: t.Links, Claim: claim(t.Claim), OpenDeps: t.OpenDeps,
			OpenChildren: t.OpenChildren, CreatedBy: t.CreatedBy, CreatedAt: t.CreatedAt, ClosedAt: t.ClosedAt,
		}
		for j := range c.Criteria {
			c.Criteria[j].By, c.Criteria[j].Rests, c.Criteria[j].CheckedAt = 0, "", 0
		}
		s.List.Tasks[i] = &c
	}
}

// text returns what was seen as JSON, in which no list and an empty one are the same.
func (s seen) text(k *coretest.Kit) string {
	k.Helper()
	out, err := json.Marshal(s, json.Deterministic(true))
	k.Must(err)
	return string(out)
}

// step does something at random. What is refused changes nothing.
func step(k *coretest.Kit, r *rand.Rand, asked *[]int64) error {
	id := func() string { return fmt.Sprintf("demo-%d", 1+r.IntN(9)) }
	who := []context.Context{coretest.Bot, coretest.Bee, coretest.Ann}[r.IntN(3)]
	var err error
	switch r.IntN(15) {
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
		var q task.Question
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
	}
	return err
}

func TestAProjectIsShownAsItWas(t *testing.T) {
	histories, steps := 1, 48
	if os.Getenv("TASKER_TEST_LONG") != "" {
		histories, steps = 8, 150
	}
	for h := range histories {
		coretest.Each(t, func(k *coretest.Kit) {
			r := rand.New(rand.NewPCG(7, uint64(h)))
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
					k.Must(k.Store.Read(k.Context(), func(tx *core.ReadTx) error { newest = tx.Log.LastEvent(); return nil }))
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

// TestADecisionIsShownThatWasWithdrawnSince and not yet one that was recorded again.
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
		for at, words := range map[int64]string{0: "no event has that id", 99: "no event has that id", 1: "before demo was made"} {
			_, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
			k.Refused(err, fault.Invalid, words)
		}
		var made int64
		k.Must(k.Store.Read(k.Context(), func(tx *core.ReadTx) error { made = tx.Log.LastEvent(); return nil }))
		_, err := k.Create(coretest.Ann, `{"project": "demo", "title": "Later"}`)
		k.Must(err)
		_, err = k.Picture.Graph(coretest.Ann, picture.GraphIn{Task: "demo-2", At: &made})
		k.Refused(err, fault.NotFound, "there was no task demo-2 at event")
		_, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-2", At: &made})
		k.Refused(err, fault.NotFound, "there was no task demo-2 at event")
		_, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", At: &made, Sort: "changed"})
		k.Refused(err, fault.Invalid, "what had changed last is not known of an earlier moment")
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

// TestAMomentBeforeAPrunedLogIsGone asks every read that takes a moment for one that the log no longer reaches back to.
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
			_, out[6] = k.People.ProjectOverview(coretest.Ann, people.ProjectOverviewIn{Slug: "demo", At: at})
			return out
		}
		for _, err := range ask(&early) {
			k.Refused(err, fault.Gone, "the log begins with event")
			coretest.Equal(k, "hint", fault.Of(err).Hint, fmt.Sprintf("name event %d or a later one; whoever runs the place has the archive", kept))
		}
		for _, err := range ask(&kept) {
			if fault.Is(err, fault.Gone) {
				k.Error(err)
			}
		}
	})
}

// Reads that wind projects back at once hold no more tasks than there is room for; who comes too many is turned away, and what
// was taken is given back.
func TestThereIsRoomForSoManyWoundBackAtOnce(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]}`)
		k.Env.Wound = core.NewRoom(3)
		at, limit := int64(1), 10
		turnedAway := 0
		_, err := core.Within(coretest.Ann, k.Env, "demo", &limit, func(sc core.Scene) (int, error) {
			return 0, past.Back(k.Env, sc, &at, func(core.Scene, *past.Was) error {
				_, err := k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
				if !fault.Is(err, fault.Unavailable) {
					k.Errorf("beside another one a board as it was answers %v", err)
				}
				turnedAway++
				_, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo"})
				return err
			})
		})
		k.Must(err)
		for range 2 {
			_, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", At: &at})
			k.Must(err)
		}
		if turnedAway != 1 {
			k.Error("nothing was wound back")
		}
	})
}
