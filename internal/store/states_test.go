package store_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// lists compares the list of each state, and of ready and blocked, with what the records say.
func (h *history) lists(r *store.Tx, all []*task.Task) error {
	var shown task.StateCounts
	for _, t := range all {
		shown[t.State()]++
	}
	p, err := r.Project(h.slug)
	if err != nil {
		return err
	}
	if got := p.States(); got != shown {
		h.t.Fatalf("the project counts %+v, there are %+v", got, shown)
	}
	yes, no := true, false
	for _, c := range []struct {
		q  query.List
		is func(*task.Task) bool
	}{
		{query.List{Ready: &yes}, (*task.Task).Ready},
		{query.List{Ready: &no}, func(t *task.Task) bool { return !t.Ready() }},
		{query.List{Blocked: &yes}, func(t *task.Task) bool { return t.State() == task.StateWaiting }},
		{query.List{Blocked: &no}, func(t *task.Task) bool { return t.State() != task.StateWaiting }},
	} {
		if err := h.list(r, all, c.q, c.is); err != nil {
			return err
		}
	}
	if err := h.marks(r, all); err != nil {
		return err
	}
	for i := range task.States {
		s := task.State(i)
		if err := h.list(r, all, query.List{State: &s}, func(t *task.Task) bool { return t.State() == s }); err != nil {
			return err
		}
	}
	return nil
}

// marks compares the list of each mark, and the reason for it, with what the records say.
func (h *history) marks(r *store.Tx, all []*task.Task) error {
	trouble := func(t *task.Task) task.Trouble { return t.Trouble(r.Now(), 0) }
	if err := h.list(r, all, query.List{Mark: task.MarkStuck}, func(t *task.Task) bool { return trouble(t) != "" }); err != nil {
		return err
	}
	got, err := r.Troubles(h.slug, "", len(task.Troubles)*len(all))
	if err != nil {
		return err
	}
	for _, t := range all {
		if got[t.ID] != trouble(t) {
			h.t.Fatalf("%s is stuck by %q, want %q", t.ID, got[t.ID], trouble(t))
		}
	}
	return h.list(r, all, query.List{Mark: task.MarkNeedsAnswer}, (*task.Task).NeedsAnswer)
}

// list pages through a list to its end.
func (h *history) list(r *store.Tx, all []*task.Task, q query.List, is func(*task.Task) bool) error {
	var want, got []task.ID
	for _, t := range all {
		if is(t) {
			want = append(want, t.ID)
		}
	}
	q.Project, q.Limit = h.slug, 2
	for {
		page, total, next, err := r.List(q)
		if err != nil {
			return err
		}
		if total.N != len(want) {
			h.t.Fatalf("the list %+v has a total of %d, want %d", q, total.N, len(want))
		}
		for _, t := range page {
			got = append(got, t.ID)
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Fatalf("the list %+v is %v, want %v", q, got, want)
	}
	return nil
}

func TestADatabaseFromBeforeTheStatesIsCountedAnew(t *testing.T) {
	dbtest.EachEmpty(t, func(t *testing.T, path string) {
		before := -1
		for i, m := range store.Schema() {
			if strings.Contains(fmt.Sprint(m), "'asked', 0, COUNT") {
				before = i
			}
		}
		setup := db.Setup{Migrations: store.Schema()[:before]}
		old := db.New(storetest.Engine(t, path, setup), db.Hooks{})
		err := old.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error {
			err := turn.Exec(1, `INSERT INTO project (id, slug, name, vision, gates, settings, archived, next_n, graph_version, n_open, n_in_progress,
				n_in_review, n_done, n_cancelled, n_ready, n_held, n_blocked, created_at, updated_at)
				VALUES (1, 'demo', '', '', '', '', 0, 6, 1, 3, 2, 0, 0, 0, 1, 0, 2, 5, 5)`)
			if err != nil {
				return err
			}
			// An epic whose part is in progress with a question; two tasks that wait for the part, one of them in
			// progress; and a ready task.
			for _, row := range []string{
				`4294967297, 1, 'epic', 'T', NULL, 'open', 0, 1, 1, 0`,
				`4294967298, 1, 'part', 'T', 4294967297, 'in_progress', 0, 0, 0, 1`,
				`4294967299, 1, 'next', 'T', NULL, 'open', 1, 0, 0, 1`,
				`4294967300, 1, 'busy', 'T', NULL, 'in_progress', 1, 0, 0, 0`,
				`4294967301, 1, 'free', 'T', NULL, 'open', 0, 0, 0, 0`,
			} {
				err := turn.Exec(1, `INSERT INTO task (id, project, key, title, parent, status, open_deps, open_children, parts, questions,
					priority, severity, due, gate, autonomy, preferred_actor, may_execute, touches, criteria, links, sprint, rank, notes, evidences,
					approvals, has_body, attempts, version, approval_epoch, doc_status, recorded, created_by, created_at, updated_at, closed_by,
					closed_at, fence, fence_ended, claim_version, claimed_at, renewed_at, expires_at, lease_ms)
					VALUES (`+row+`, 2, 0, '', '', '', '', '', '', '', '', '', '', 0, 0, 0, 0, 0, 1, 0, '', 0, 'ann', 5, 5, '', 0, 0, 0, 0, 0, 0, 0, 0)`)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		s := storetest.Open(t, path, nil)
		if _, _, err := s.DB().Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		storetest.Read(t, s, func(r *store.Tx) error {
			p, err := r.Project("demo")
			if err != nil {
				return err
			}
			if got, want := p.States(), (task.StateCounts{task.StateReady: 1, task.StateWaiting: 2, task.StateUnheld: 2}); got != want {
				t.Errorf("the states are %+v, want %+v", got, want)
			}
			_, heldBack, err := r.ReadyBy("demo")
			if heldBack != 2 {
				t.Errorf("%d are held back by a question, want 2", heldBack)
			}
			return err
		})
	})
}
