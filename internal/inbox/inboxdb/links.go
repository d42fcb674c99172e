package inboxdb

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/inbox/waiting"
	"tasker/internal/links/merge"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// diverged finds fields on which two systems disagree, except those that were deferred.
func diverged(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	one, args := ofOne(`task`, only, []any{p.ID, q.After})
	return db.All(tx.C, `SELECT id, task, event FROM conflict WHERE project=$1 AND state='open' AND event>$2`+one+` ORDER BY event LIMIT `+strconv.Itoa(q.Limit),
		args, db.Read3(func(id, ref, event int64) waiting.Waiting {
			return waiting.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, Record: id}
		}))
}

// unclosed finds open tasks that another system has closed.
func unclosed(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	one, args := ofOne(`u.task`, only, []any{p.ID, q.After})
	return db.All(tx.C, `SELECT u.task, u.event, u.why FROM unclosed u JOIN task t ON t.id=u.task
		WHERE u.project=$1 AND t.status<>'done' AND t.status<>'cancelled' AND u.event>$2`+one+` ORDER BY u.event LIMIT `+strconv.Itoa(q.Limit),
		args, db.Read3(func(ref, event int64, why string) waiting.Waiting {
			return waiting.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, Why: why}
		}))
}

// notices finds what another system caused for open tasks and, last, that nobody pulls the project any more.
func notices(tx *store.Tx, p *store.Project, q waiting.Query, only int64) (out []waiting.Waiting, err error) {
	out, err = noticed(tx, p, q, only)
	if err != nil || len(out) >= q.Limit || q.After == task.Unwritten {
		return out, err
	}
	l, err := overdue(tx, p)
	if err != nil || l == nil {
		return out, err
	}
	since, _ := l.Overdue(tx.Now())
	return out, tx.C.Query(`SELECT b.task FROM binding b JOIN task t ON t.id=b.task WHERE b.task BETWEEN $1 AND $2
		ORDER BY CASE WHEN t.status IN ('done','cancelled') THEN 1 ELSE 0 END, b.task LIMIT 1`, []any{p.Ref(0), p.Ref(rows.MaxNumber)},
		db.Scan1(func(ref int64) error {
			if only == 0 || only == ref {
				out = append(out, waiting.Waiting{
					Kind: q.Kind, Task: p.TaskID(ref), Event: task.ThisEvent, Stamp: task.Unwritten, Since: since, Name: merge.LoopName(l), Why: merge.LoopWhy(l),
				})
			}
			return nil
		}))
}

// overdue returns the background loop of a project if nobody runs it any more, or nil.
func overdue(tx *store.Tx, p *store.Project) (out *merge.Loop, err error) {
	err = tx.C.Query(`SELECT detail FROM linked WHERE project=$1 AND system='loop'`, []any{p.ID}, db.Scan1(func(text []byte) error {
		l := &merge.Loop{}
		if err := json.Unmarshal(text, l); err != nil {
			return err
		}
		if _, overdue := l.Overdue(tx.Now()); overdue {
			out = l
		}
		return nil
	}))
	return out, err
}

// noticed finds the stored notices.
func noticed(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	one, args := ofOne(`n.task`, only, []any{p.ID, q.After})
	return db.All(tx.C, `SELECT n.task, n.name, n.event, n.why FROM notice n JOIN task t ON t.id=n.task
		WHERE n.project=$1 AND (t.status<>'done' AND t.status<>'cancelled' OR n.name LIKE '`+merge.NoticePull+`:%') AND n.event>$2`+one+`
		ORDER BY n.event LIMIT `+strconv.Itoa(q.Limit),
		args, db.Read4(func(ref int64, name string, event int64, why string) waiting.Waiting {
			return waiting.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, Name: name, Why: why}
		}))
}

// unsent finds writes that another system refused.
func unsent(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	one, args := ofOne(`task`, only, []any{p.ID, q.After})
	return db.All(tx.C, `SELECT id, task FROM outbound WHERE project=$1 AND state='failed' AND id>$2`+one+` ORDER BY id LIMIT `+strconv.Itoa(q.Limit),
		args, db.Read2(func(id, ref int64) waiting.Waiting {
			return waiting.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: id, Stamp: id, Record: id}
		}))
}
