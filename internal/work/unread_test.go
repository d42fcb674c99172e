package work_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// blinded lets turns be committed, and fails every read while it is set, as if the connection were lost in between.
type blinded bool

func (b *blinded) observe(_ context.Context, write bool) store.Observed {
	turn := write
	return store.Observed{During: func(_ db.Conn, run func() error) error {
		if bool(*b) && !turn {
			return fault.Unready("PostgreSQL cannot be reached")
		}
		turn = false
		return run()
	}}
}

func TestAWriteThatWasMadeSucceedsAlthoughItsAnswerCannotBeReadWhole(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "body": "text", "criteria": ["one", "two"]}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "d", "title": "D"}`)
		var blind blinded
		k.Store.Observe(blind.observe)
		changed := func(id string) { // the holder is warned of this with its next write, which takes a read
			k.Helper()
			k.Edit(coretest.Ann, id, `{"title": "Another"}`)
		}
		var one work.NextOut
		for _, row := range []struct {
			name  string
			do    func(s *work.Service) (any, error)
			check func()
		}{
			{"next", func(s *work.Service) (any, error) {
				var err error
				one, err = s.Next(coretest.Bot, work.NextIn{Project: "demo"})
				return one, err
			}, func() {
				if one.Task == nil || one.Task.ID != "demo-1" || one.Claimed == nil || one.Claimed.Fence != 1 || one.Bundle != nil {
					k.Errorf("next answers %+v", one)
				}
				coretest.Equal(k, "holder", k.Task("demo-1").Claim.Actor, "bot")
			}},
			{"tick", func(s *work.Service) (any, error) {
				return s.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1})
			}, func() {
				coretest.Equal(k, "the criterion", k.Task("demo-1").Criteria[0].Checked, true)
				changed("demo-1")
			}},
			{"note", func(s *work.Service) (any, error) {
				return s.Note(coretest.Bot, work.NoteIn{Task: "demo-1", Text: "seen"})
			}, func() { coretest.Equal(k, "notes", len(k.Show("demo-1").Notes), 1); changed("demo-1") }},
			{"evidence", func(s *work.Service) (any, error) {
				return s.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "test", Value: "all pass"}}})
			}, func() { coretest.Equal(k, "evidence", len(k.Show("demo-1").Evidence), 1) }},
			{"claim", func(s *work.Service) (any, error) { return s.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"}) },
				func() { coretest.Equal(k, "holder", k.Task("demo-2").Claim.Actor, "bot") }},
			{"move, and the next", func(s *work.Service) (any, error) {
				out, err := s.Move(coretest.Bot, work.MoveIn{Task: "demo-2", To: "done", Next: true})
				if err == nil && (out.Task.Status != task.Done || out.From != task.InProgress || out.Next == nil || out.Next.Task.ID != "demo-3") {
					k.Errorf("move answers %+v", out)
				}
				return out, err
			}, func() {
				coretest.Equal(k, "status", k.Task("demo-2").Status, task.Done)
				coretest.Equal(k, "holder", k.Task("demo-3").Claim.Actor, "bot")
			}},
			{"ask, and the next", func(s *work.Service) (any, error) {
				out, err := s.Ask(coretest.Bot, work.AskIn{Task: "demo-3", Text: "Which?", Blocking: true, Release: true, Next: true})
				if err == nil && (out.ID == 0 || !out.Released || out.Next == nil || out.Next.Task.ID != "demo-4") {
					k.Errorf("ask answers %+v", out)
				}
				return out, err
			}, func() { coretest.Equal(k, "questions", len(k.Show("demo-3").Questions), 1) }},
		} {
			env, told := k.Work.Listening()
			blind = true
			out, err := row.do(k.Work.In(env))
			blind = false
			if err != nil {
				k.Errorf("%s: %v", row.name, err)
				continue
			}
			if !strings.Contains(told.Warning, "was made") || !strings.Contains(told.Warning, "cannot be reached") || !fault.Is(told.Cause, fault.Unavailable) {
				k.Errorf("%s comes with the warning %q, because of %v", row.name, told.Warning, told.Cause)
			}
			if _, err := json.Marshal(out); err != nil {
				k.Errorf("%s: the answer cannot be written: %v", row.name, err)
			}
			row.check()
		}
		k.Healthy()
	})
}

func TestAWriteThatChangedNothingFailsWithItsRead(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		var blind blinded
		k.Store.Observe(blind.observe)
		key := coretest.WithKey(coretest.Bot, "/v1/next", "k", "d")
		if out, err := k.Work.Next(key, work.NextIn{Project: "demo"}); err != nil || out.Task == nil {
			k.Fatal(out, err)
		}
		blind = true
		// The request was carried out before: to send it again is safe, and brings the whole answer.
		_, err := k.Work.Next(key, work.NextIn{Project: "demo"})
		k.Refused(err, fault.Unavailable)
		_, err = k.Work.Next(coretest.Bee, work.NextIn{Project: "demo"}) // nothing is left to claim
		k.Refused(err, fault.Unavailable)
	})
}

// An error whose text may contain anything is not told.
func TestAFaultOfOursIsNotToldWithTheAnswer(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		env, told := k.Work.Listening()
		env.Unread(context.DeadlineExceeded)
		env.Unread(fault.New(fault.Internal, "secret"))
		if strings.Contains(told.Warning, "secret") || !strings.Contains(told.Warning, "unexpected") {
			k.Errorf("the warning is %q", told.Warning)
		}
	})
}
