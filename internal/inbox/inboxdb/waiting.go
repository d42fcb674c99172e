package inboxdb

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/inbox/waiting"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
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

// finder finds what waits of one kind, and only for the task only if it is set.
type finder = func(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error)

var finders = map[waiting.WaitKind]finder{
	waiting.WaitJudgement: byColumn(`awaiting`), waiting.WaitUnsupervised: byColumn(`unwatched`), waiting.WaitUnheld: byColumn(`unheld`),
	waiting.WaitLapse: lapses, waiting.WaitStall: stalls, waiting.WaitFailing: failing,
	waiting.WaitDivergence: diverged, waiting.WaitUnclosed: unclosed, waiting.WaitNotice: notices, waiting.WaitSyncFailed: unsent,
	waiting.WaitQuestion: waitingQuestions, waiting.WaitOverride: overrides,
}

// byColumn finds the tasks that have an event in one of their columns.
func byColumn(column string) finder {
	return func(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
		return waitingTasks(tx, p, q, only, column)
	}
}

// ofOne limits a query to one task, if one is named.
func ofOne(column string, only int64, args []any) (string, []any) {
	if only == 0 {
		return "", args
	}
	return ` AND ` + column + `=$` + strconv.Itoa(len(args)+1), append(args, only)
}

// waitingTasks finds tasks by the event in one of their columns.
func waitingTasks(tx *store.Tx, p *store.Project, q waiting.Query, only int64, column string) ([]waiting.Waiting, error) {
	var out []waiting.Waiting
	ids := rows.Scanner{Slug: p.Rec.Slug, Limit: q.Limit}
	one, args := ofOne(`id`, only, []any{p.ID, q.After})
	err := tx.C.Query(
		`SELECT id, `+column+`, CASE WHEN status='in_review' THEN 1 ELSE 0 END, gate, approvals FROM task WHERE project=$1 AND `+column+`>0 AND `+column+`>$2`+one+`
		ORDER BY `+column+` LIMIT `+strconv.Itoa(
			q.Limit,
		),
		args,
		db.Scan5(func(ref, event, inReview int64, gate string, approvals int64) error {
			out = append(roomier(out), waiting.Waiting{
				Kind: q.Kind, Task: ids.ID(ref), Event: event, Stamp: event,
				InReview: inReview != 0, Gate: task.Opt(gate), Approvals: int(approvals),
			})
			return nil
		}),
	)
	return out, err
}

func lapses(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	out, err := waitingTasks(tx, p, q, only, `lapsed`)
	if err != nil || len(out) >= q.Limit || q.After == task.Unwritten {
		return out, err
	}
	unswept, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	for _, t := range unswept {
		if only == 0 || p.KeyOf(t) == only {
			out = append(out, waiting.Waiting{Kind: q.Kind, Task: t.ID, Event: task.ThisEvent, Stamp: task.Unwritten, Since: t.UpdatedAt})
		}
	}
	return out[:min(len(out), q.Limit)], nil
}

// failing finds tasks that failed several times. One whose lease has lapsed comes last, with the failure that the sweep
// has not written yet.
func failing(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	unswept, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	page := q
	page.Limit += len(unswept)
	out, err := waitingTasks(tx, p, page, only, `failing`)
	if err != nil || len(unswept) == 0 {
		return out, err
	}
	again := make(map[task.ID]bool, len(unswept))
	for _, t := range unswept {
		again[t.ID] = true
	}
	out = slices.DeleteFunc(out, func(w waiting.Waiting) bool { return again[w.Task] })
	for _, t := range unswept {
		if t.Failing == task.ThisEvent && q.After != task.Unwritten && (only == 0 || p.KeyOf(t) == only) {
			out = append(out, waiting.Waiting{Kind: q.Kind, Task: t.ID, Event: task.ThisEvent, Stamp: task.Unwritten, Since: t.UpdatedAt})
		}
	}
	return out[:min(len(out), q.Limit)], nil
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
		db.Scan3(func(ref, stamp, event int64) error {
			if gone[ref] {
				return nil
			}
			out = append(roomier(out), waiting.Waiting{
				Kind: q.Kind, Task: ids.ID(ref), Event: event, Stamp: stamp, Since: task.Time(stamp),
			})
			return nil
		}))
	return out[:min(len(out), q.Limit)], err
}

// roomier returns the list with room for one more. It grows in few and large steps, because few lists are long, and
// those have up to a thousand entries.
func roomier(list []waiting.Waiting) []waiting.Waiting {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(16, 7*len(list)))
}

func waitingQuestions(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	one, args := ofOne(`task`, only, []any{p.ID, q.After})
	return db.All(tx.C, `SELECT id, task, addressee FROM question WHERE project=$1 AND blocking=1 AND answered_at=0 AND withdrawn=0 AND id>$2`+one+`
		ORDER BY id LIMIT `+strconv.Itoa(q.Limit), args, db.Read3(func(event, ref int64, to string) waiting.Waiting {
		return waiting.Waiting{Kind: q.Kind, Task: p.TaskID(ref), Event: event, Stamp: event, To: task.Opt(to)}
	}))
}

func overrides(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	var out []waiting.Waiting
	err := tx.EventKeys(p.ID, only, task.OverrideForced, q.After, q.Limit, func(event, of int64) {
		out = append(out, waiting.Waiting{Kind: q.Kind, Task: p.TaskID(of), Event: event, Stamp: event})
	})
	return out, err
}
