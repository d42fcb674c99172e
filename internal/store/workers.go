package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// This file reads what shows how workers are doing.

// heldWorst returns the keys of up to limit held tasks of a project: those with an open blocking question, then those
// whose lease ends soonest relative to its length, then those without a lease. Each part is read by an index.
func (tx *Tx) heldWorst(p *Project, limit int) ([]int64, error) {
	var out []int64
	for _, part := range []string{
		`questions>0 AND status<>'done' AND status<>'cancelled' AND holder IS NOT NULL AND ` + lasts + ` ORDER BY id`,
		`lease_ms>0 AND ` + lasts + ` ORDER BY expires_at-lease_ms*500, id`,
		`holder IS NOT NULL AND lease_ms=0 AND ` + lasts + ` ORDER BY holder, id`,
	} {
		if len(out) >= limit {
			break
		}
		some, err := db.Values[int64](tx.C, `SELECT id FROM task WHERE project=$1 AND `+part+` LIMIT `+strconv.Itoa(limit), p.ID, tx.Head.Now)
		if err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(some, func(ref int64) bool { return slices.Contains(out, ref) })...)
	}
	return out[:min(len(out), limit)], nil
}

// Holders counts the actors, with their instances, that hold a task of a project.
func (tx *Tx) Holders(slug string) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	n, err := db.Value[int](tx.C, `SELECT COUNT(DISTINCT holder) FROM task WHERE project=$1 AND holder IS NOT NULL`, p.ID)
	if err != nil {
		return 0, err
	}
	lapsed, err := tx.Lapsed(p)
	if err != nil || len(lapsed) == 0 {
		return n, err
	}
	return db.Value[int](tx.C, `SELECT COUNT(DISTINCT holder) FROM task WHERE project=$1 AND holder IS NOT NULL AND `+lasts, p.ID, tx.Head.Now)
}

// Stalled counts the held tasks of a project whose holder has not written for half of its lease.
func (tx *Tx) Stalled(slug string) (int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return 0, err
	}
	n, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM task WHERE project=$1 AND lease_ms>0 AND expires_at-lease_ms*500<=$2`, p.ID, tx.Head.Now)
	return n - len(lapsed), err
}

// NextTurn returns when time alone will next change what a claim of a project looks like, because half of a lease will have
// passed without a write, or all of it; 0 if nothing is held under a lease.
func (tx *Tx) NextTurn(slug string) (task.Time, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	stalls, err := db.Value[int64](tx.C, `SELECT CAST(COALESCE(MIN(expires_at-lease_ms*500), 0) AS BIGINT) FROM task
		WHERE project=$1 AND lease_ms>0 AND expires_at-lease_ms*500>$2`, p.ID, tx.Head.Now)
	if err != nil {
		return 0, err
	}
	ends, err := db.Value[int64](tx.C, `SELECT CAST(COALESCE(MIN(expires_at), 0) AS BIGINT) FROM task
		WHERE project=$1 AND lease_ms>0 AND expires_at-lease_ms*500<=$2 AND expires_at>$2`, p.ID, tx.Head.Now)
	if stalls == 0 || ends != 0 && ends < stalls {
		return task.Time(ends), err
	}
	return task.Time(stalls), err
}

// LapsedOf returns the leases of a project that ran out and that a reader has not seen, newest first, each with who held
// the task.
func (tx *Tx) LapsedOf(slug, reader string, limit int) ([]query.Lapse, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	unswept, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	var out []query.Lapse
	for _, t := range unswept {
		out = append(out, query.Lapse{Task: t.ID, Title: t.Title, Actor: t.LastHolder, At: t.UpdatedAt})
	}
	err = tx.C.Query(`SELECT t.id, t.title, t.last_holder, COALESCE((SELECT e.at FROM event e WHERE e.id=t.lapsed), 0)
		FROM (SELECT id, title, last_holder, lapsed FROM task WHERE project=$1 AND CAST($2 AS BIGINT)>0 AND `+troubled(`$2`, `$3`)[1]+`
			ORDER BY lapsed DESC LIMIT `+strconv.Itoa(limit)+`) t ORDER BY t.lapsed DESC`,
		[]any{p.ID, tx.Head.Now, reader}, db.Scan4(func(ref int64, title, holder string, at int64) error {
			out = append(out, query.Lapse{Task: p.TaskID(ref), Title: title, Actor: holder, At: task.Time(at)})
			return nil
		}))
	return out[:min(len(out), limit)], err
}

// DoneBy counts the tasks of a project that each of some actors, with instances, has done at since or later.
func (tx *Tx) DoneBy(slug string, actors []string, since task.Time) (map[string]int, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	return out, db.EachIn(tx.C, `SELECT closed_by, COUNT(*) FROM task WHERE project=$1 AND status='done' AND closed_at>=$2 AND closed_by IN KEYS GROUP BY closed_by`,
		actors, db.Each2(func(actor string, n int) { out[actor] = n }), p.ID, int64(since))
}

// WroteAt returns when an actor, with its instance, wrote its newest events in a project, newest first.
func (tx *Tx) WroteAt(slug, actor string, limit int) ([]task.Time, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT at FROM event WHERE project=$1 AND actor=$2 ORDER BY id DESC LIMIT `+strconv.Itoa(limit), []any{p.ID, actor},
		db.Read1(func(at int64) task.Time { return task.Time(at) }))
}
