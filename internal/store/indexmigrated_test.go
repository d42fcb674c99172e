package store_test

import (
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

func TestADatabaseFromBeforeThereWasAnIndexGetsOne(t *testing.T) {
	t.Parallel()
	dbtest.EachEmpty(t, func(t *testing.T, path string) {
		setup := db.Setup{Migrations: store.Schema()[:3]}
		old := db.New(storetest.Engine(t, path, setup), db.Hooks{})
		err := old.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error {
			for _, sql := range []string{
				`INSERT INTO project (id, slug, name, vision, gates, settings, archived, next_n, graph_version, n_open, n_in_progress, n_in_review, n_done,
					n_cancelled, n_ready, n_held, n_blocked, created_at, updated_at) VALUES (3, 'demo', '', '', '', '', 0, 2, 1, 0, 0, 0, 1, 0, 0, 0, 0, 5, 5)`,
				`INSERT INTO task (id, project, key, title, status, priority, severity, due, gate, autonomy, preferred_actor, may_execute, touches, criteria,
					links, sprint, rank, open_deps, open_children, live_children, questions, notes, evidences, approvals, has_body, attempts, version,
					approval_epoch, doc_status, recorded, created_by, created_at, updated_at, closed_by, closed_at, fence,
					fence_ended, claim_version, claimed_at, renewed_at, expires_at, lease_ms, stirred)
					VALUES (12884901889, 3, 'old', 'An old title', 'done', 2, 0, '', '', '', '', '', '',
					'[{"index":1,"text":"still true","checked":false,"checkedBy":null,"checkedAt":null}]', '', '', '',
					0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, '', 0, 'alice', 5, 5, 'alice', 5, 0, 0, 0, 0, 0, 0, 0, 4)`,
				`INSERT INTO task_body (task, body) VALUES (12884901889, 'An old body')`,
				`INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via) VALUES (2, 5, 3, 12884901889, 'alice/2', 'note.added', ` +
					`'{"text":"an old note"}', 2, '')`,
				`INSERT INTO note (id, task, actor, text, at) VALUES (2, 12884901889, 'alice/2', 'an old note', 5)`,
				`INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via) VALUES (3, 5, 3, 12884901889, 'alice', 'task.claimed', '{}', 3, '')`,
				`INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via) VALUES (4, 5, 3, 12884901889, 'alice', 'task.moved', ` +
					`'{"from":"open","to":"done"}', 4, '')`,
			} {
				if err := turn.Exec(1, sql); err != nil {
					return err
				}
			}
			turn.LastEvent = 4
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		l := library{t, storetest.Open(t, path, nil)}
		if _, _, err := l.s.DB().Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.finds("old", "demo", "title demo demo-1", "body demo demo-1", "note demo demo-1")
		l.finds("still", "demo", "body demo demo-1")
		l.finds("alice", "demo", "actor demo demo-1", "log demo demo-1")
		storetest.Read(t, l.s, func(r *store.Tx) error {
			found, _, err := recount.Recount(r, "demo")
			for _, f := range found {
				if strings.Contains(f.What, "search") || strings.Contains(f.What, "actor") {
					t.Errorf("%+v", f)
				}
			}
			return err
		})
	})
}
