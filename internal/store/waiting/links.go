package waiting

import (
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/tx"
	"tasker/internal/task/inbox"
	"tasker/internal/task/merge"
)

// diverged finds fields on which two systems disagree, but for those that were deferred.
func (r Lister) diverged(p *tx.Project, q inbox.Query, only int64) (out []inbox.Waiting, err error) {
	one, args := ofOne(`task`, only, []any{p.ID, q.After})
	err = r.C.Query(`SELECT id, task, event FROM conflict WHERE project=$1 AND state='open' AND event>$2`+one+` ORDER BY event LIMIT `+strconv.Itoa(q.Limit),
		args, db.Scan3(func(id, ref, event int64) error {
			out = append(out, inbox.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, Record: id})
			return nil
		}))
	return out, err
}

// unclosed finds open tasks that another system has closed.
func (r Lister) unclosed(p *tx.Project, q inbox.Query, only int64) (out []inbox.Waiting, err error) {
	one, args := ofOne(`u.task`, only, []any{p.ID, q.After})
	err = r.C.Query(`SELECT u.task, u.event, u.why FROM unclosed u JOIN task t ON t.id=u.task
		WHERE u.project=$1 AND t.status<>'done' AND t.status<>'cancelled' AND u.event>$2`+one+` ORDER BY u.event LIMIT `+strconv.Itoa(q.Limit),
		args, db.Scan3(func(ref, event int64, why string) error {
			out = append(out, inbox.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, Why: why})
			return nil
		}))
	return out, err
}

// notices finds what another system caused about open tasks.
func (r Lister) notices(p *tx.Project, q inbox.Query, only int64) (out []inbox.Waiting, err error) {
	one, args := ofOne(`n.task`, only, []any{p.ID, q.After})
	err = r.C.Query(`SELECT n.task, n.name, n.event, n.why FROM notice n JOIN task t ON t.id=n.task
		WHERE n.project=$1 AND (t.status<>'done' AND t.status<>'cancelled' OR n.name LIKE '`+merge.NoticePull+`:%') AND n.event>$2`+one+`
		ORDER BY n.event LIMIT `+strconv.Itoa(q.Limit),
		args, db.Scan4(func(ref int64, name string, event int64, why string) error {
			out = append(out, inbox.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, Name: name, Why: why})
			return nil
		}))
	return out, err
}

// unsent finds writes that another system refused.
func (r Lister) unsent(p *tx.Project, q inbox.Query, only int64) (out []inbox.Waiting, err error) {
	one, args := ofOne(`task`, only, []any{p.ID, q.After})
	err = r.C.Query(`SELECT id, task FROM outbound WHERE project=$1 AND state='failed' AND id>$2`+one+` ORDER BY id LIMIT `+strconv.Itoa(q.Limit),
		args, db.Scan2(func(id, ref int64) error {
			out = append(out, inbox.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: id, Stamp: id, Record: id})
			return nil
		}))
	return out, err
}
