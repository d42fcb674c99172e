package inboxdb

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/waiting"
)

// diverged are fields on which two systems disagree, except deferred ones.
var diverged = source{
	`task`, `event`, `, id FROM conflict WHERE project=$1 AND state='open'`,
	func(w *waiting.Waiting, row db.Row) { w.Record = row.Int(2) },
}

// unclosed are open tasks that another system has closed.
var unclosed = source{
	`u.task`, `u.event`, `, u.why FROM unclosed u JOIN task t ON t.id=u.task WHERE u.project=$1 AND t.status<>'done' AND t.status<>'cancelled'`,
	func(w *waiting.Waiting, row db.Row) { w.Why = row.Text(2) },
}

// noticed are the stored notices.
var noticed = source{
	`n.task`, `n.event`, `, n.name, n.why FROM notice n JOIN task t ON t.id=n.task
		WHERE n.project=$1 AND (t.status<>'done' AND t.status<>'cancelled' OR n.name LIKE '` + merge.NoticePull + `:%')`,
	func(w *waiting.Waiting, row db.Row) { w.Name, w.Why = row.Text(2), row.Text(3) },
}

// unsent are writes that another system refused.
var unsent = source{
	`task`, `id`, ` FROM outbound WHERE project=$1 AND state='failed'`,
	func(w *waiting.Waiting, _ db.Row) { w.Record = w.Stamp },
}

// notices finds what another system caused for open tasks and, last, that nobody pulls the project any more.
func notices(tx *store.Tx, p *store.Project, q waiting.Query, only int64) (out []waiting.Waiting, err error) {
	out, err = noticed.find(tx, p, q, only)
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
