package inboxdb

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// Waiting returns what waits for people of one kind, by stamp, and reads no more than it returns. Lapsed claims that
// are not swept yet come last of their kind.
func Waiting(tx *store.Tx, q waiting.Query) ([]waiting.Waiting, error) {
	p, err := tx.Find(q.Project)
	if err != nil {
		return nil, err
	}
	var only int64
	if q.Task != "" {
		if _, only, err = tx.KeyOf(q.Task); err != nil {
			return nil, err
		}
	}
	if find := finders[q.Kind]; find != nil {
		return find(tx, p, q, only)
	}
	return nil, fault.New(fault.Internal, "there is no kind of waiting %q", q.Kind)
}

// finder finds what waits of one kind; if only is set, just for that task.
type finder = func(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error)

var finders = map[waiting.WaitKind]finder{
	waiting.WaitJudgement: tasksBy(`awaiting`).find, waiting.WaitUnsupervised: tasksBy(`unwatched`).find, waiting.WaitUnheld: tasksBy(`unheld`).find,
	waiting.WaitLapse: lapses, waiting.WaitStall: stalls, waiting.WaitFailing: failing, waiting.WaitRunner: runners,
	waiting.WaitDivergence: diverged.find, waiting.WaitUnclosed: unclosed.find, waiting.WaitNotice: notices, waiting.WaitSyncFailed: unsent.find,
	waiting.WaitQuestion: questions(1).find, waiting.WaitAsked: questions(0).find, waiting.WaitOverride: overrides,
}

// source says where to find the things of one kind that have waited since an event.
type source struct {
	task, event string // the columns that say for which task, and since which event
	// rest is the rest of the query: what else is read, from where, and on which condition; $1 is the project.
	rest string
	fill func(*waiting.Waiting, db.Row) // from column 2 on
}

// find returns the first of these things by their events.
func (s source) find(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	ids := rows.Scanner{Slug: p.Rec.Slug, Limit: q.Limit}
	one, args := ofOne(s.task, only, []any{p.ID, q.After})
	return db.All(tx.C, `SELECT `+s.task+`, `+s.event+s.rest+` AND `+s.event+`>$2`+one+` ORDER BY `+s.event+` LIMIT `+strconv.Itoa(q.Limit), args,
		func(row db.Row) (waiting.Waiting, error) {
			w := waiting.Waiting{Kind: q.Kind, Task: ids.ID(row.Int(0)), Event: row.Int(1), Stamp: row.Int(1)}
			s.fill(&w, row)
			return w, nil
		})
}

// questions finds the open questions: those that block their task (1), or the others (0).
func questions(blocking int) source {
	return source{
		`task`, `id`, `, addressee FROM question WHERE project=$1 AND blocking=` + strconv.Itoa(blocking) + ` AND answered_at=0 AND withdrawn=0`,
		func(w *waiting.Waiting, row db.Row) { w.To = task.Opt(row.Text(2)) },
	}
}

// tasksBy finds the tasks that have an event in one of their columns, and of which the conditions in also hold.
func tasksBy(column string, also ...string) source {
	return source{
		`id`, column, `, CASE WHEN status='in_review' THEN 1 ELSE 0 END, gate, approvals FROM task WHERE project=$1 AND ` + column + `>0` + strings.Join(also, ""),
		func(w *waiting.Waiting, row db.Row) {
			w.InReview, w.Gate, w.Approvals = row.Int(2) != 0, task.Opt(row.Text(3)), int(row.Int(4))
		},
	}
}

// ofOne limits a query to one task, if one is named.
func ofOne(column string, only int64, args []any) (string, []any) {
	if only == 0 {
		return "", args
	}
	return ` AND ` + column + `=$` + strconv.Itoa(len(args)+1), append(args, only)
}

func lapses(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	out, err := tasksBy(`lapsed`).find(tx, p, q, only)
	if err != nil || len(out) >= q.Limit || q.After == task.Unwritten {
		return out, err
	}
	unswept, err := tx.Lapsed(p)
	return withUnswept(out, p, q, only, unswept), err
}

// withUnswept adds tasks whose lease has lapsed, and whose failure or lapse the sweep has not written yet. They come last.
func withUnswept(out []waiting.Waiting, p *store.Project, q waiting.Query, only int64, unswept []*task.Task) []waiting.Waiting {
	for _, t := range unswept {
		if only == 0 || p.KeyOf(t) == only {
			out = append(out, waiting.Waiting{Kind: q.Kind, Task: t.ID, Event: task.ThisEvent, Stamp: task.Unwritten, Since: t.UpdatedAt})
		}
	}
	return out[:min(len(out), q.Limit)]
}

// unasked leaves out failing tasks with an open question that asks people about these failures: its answer settles both.
// Such a question is by the worker who failed last, or was asked after the last failure.
const unasked = ` AND NOT EXISTS (SELECT 1 FROM question q WHERE q.task=task.id AND q.blocking=1 AND q.answered_at=0 AND q.withdrawn=0
	AND (q.id>task.failing OR q.actor=task.last_holder))`

// failing finds tasks that failed several times, unless a question asks about that. One whose lease has lapsed comes last,
// with the failure that the sweep has not written yet.
func failing(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	unswept, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	page := q
	page.Limit += len(unswept)
	out, err := tasksBy(`failing`, unasked).find(tx, p, page, only)
	if err != nil || len(unswept) == 0 {
		return out, err
	}
	again := task.ByID(unswept)
	out = slices.DeleteFunc(out, func(w waiting.Waiting) bool { return again[w.Task] != nil })
	var failed []*task.Task
	for _, t := range unswept {
		if t.Failing != task.ThisEvent || q.After == task.Unwritten {
			continue
		}
		asked, err := asksAbout(tx, t)
		if err != nil {
			return nil, err
		}
		if !asked {
			failed = append(failed, t)
		}
	}
	return withUnswept(out, p, q, only, failed), nil
}

// asksAbout reports whether an open question asks people about the failures of a task.
func asksAbout(tx *store.Tx, t *task.Task) (bool, error) {
	if t.Questions == 0 {
		return false, nil
	}
	all, _, err := tx.Questions(t.ID, task.MaxListed)
	return slices.ContainsFunc(all, func(q task.Question) bool { return q.Open() && q.AboutFailures(t) }), err
}

// stalls finds held tasks whose lease is half over. Every write of the holder extends the lease to its full length, so
// nothing was written for half of it. The stamp is when half of it was over. The index covers the query; tasks that
// have lapsed since are filtered here, because the end of a lease would have to be looked up in every row.
func stalls(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	gone := make(map[int64]bool, len(lapsed))
	for _, t := range lapsed {
		gone[p.KeyOf(t)] = true
	}
	var out []waiting.Waiting
	ids := rows.Scanner{Slug: p.Rec.Slug, Limit: q.Limit}
	one, args := ofOne(`t.id`, only, []any{p.ID, q.After, tx.Head.Now})
	const half = `t.expires_at-t.lease_ms*500`
	err = tx.C.Query(`SELECT t.id, `+half+`, (SELECT e.id FROM event e WHERE e.task=t.id ORDER BY e.id DESC LIMIT 1) FROM task t
		WHERE t.project=$1 AND t.lease_ms>0 AND `+half+`>$2 AND `+half+`<=$3`+one+` ORDER BY `+half+` LIMIT `+strconv.Itoa(q.Limit+len(gone)), args,
		db.Each3(func(ref, stamp, event int64) {
			if gone[ref] {
				return
			}
			out = append(out, waiting.Waiting{
				Kind: q.Kind, Task: ids.ID(ref), Event: event, Stamp: stamp, Since: task.Time(stamp),
			})
		}))
	return out[:min(len(out), q.Limit)], err
}

func overrides(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	var out []waiting.Waiting
	err := tx.EventKeys(p.ID, only, task.OverrideForced, q.After, q.Limit, func(event, of int64) {
		out = append(out, waiting.Waiting{Kind: q.Kind, Task: p.TaskID(of), Event: event, Stamp: event})
	})
	return out, err
}
