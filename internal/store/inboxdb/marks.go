package inboxdb

import (
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// Mark returns the newest event that a reader says it was shown, or 0.
func Mark(tx *store.Tx, reader string) (int64, error) {
	return db.Value[int64](tx.C, `SELECT event FROM mark WHERE actor=$1`, reader)
}

// SetMark stores a reader's mark, which never moves back, and returns the stored one. It has no event, because marks
// are not records of a project.
func SetMark(tx *store.Tx, reader string, event int64) (int64, error) {
	stored, err := Mark(tx, reader)
	if err != nil || event <= stored {
		return stored, err
	}
	return event, tx.C.Exec(1, `INSERT INTO mark (actor, event) VALUES ($1,$2) ON CONFLICT (actor) DO UPDATE SET event=excluded.event`, reader, event)
}

// Seen returns the inbox items of tasks of a project that a reader has put away, with the stamp of each.
func Seen(tx *store.Tx, reader, slug string, ids []task.ID) (map[waiting.ItemRef]int64, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	lo, hi := p.Span()
	some, err := db.Some(tx.C, `SELECT 1 FROM seen WHERE actor=$1 AND task>$2 AND task<=$3 LIMIT 1`, reader, lo, hi)
	if err != nil || !some {
		return nil, err
	}
	refs, err := tx.Keys(ids)
	if err != nil {
		return nil, err
	}
	out := map[waiting.ItemRef]int64{}
	return out, db.EachIn(tx.C, `SELECT task, item, stamp FROM seen WHERE actor=$1 AND task IN KEYS`, refs,
		db.Each3(func(ref int64, item string, stamp int64) {
			out[waiting.ItemRef{Task: p.TaskID(ref), Item: item}] = stamp
		}), reader)
}

// SeenAll returns the stamp up to which a reader has put away everything of a kind.
func SeenAll(tx *store.Tx, reader, slug string, kind waiting.WaitKind) (int64, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	return db.Value[int64](tx.C, `SELECT stamp FROM seen WHERE actor=$1 AND task=$2 AND item=$3`, reader, p.Ref(0), string(kind))
}

const keepSeen = `INSERT INTO seen (actor, task, item, stamp) VALUES ($1,$2,$3,$4)
	ON CONFLICT (actor, task, item) DO UPDATE SET stamp=excluded.stamp`

// See stores that a reader has put away an item, given by its name within the task.
func See(tx *store.Tx, reader string, of waiting.Waiting, item string) error {
	p, ref, err := tx.KeyOf(of.Task)
	if err != nil {
		return err
	}
	tx.Exec(1, keepSeen, reader, ref, item, of.Stamp)
	if of.Kind != waiting.WaitOverride && of.Kind != waiting.WaitUnsupervised {
		return nil
	}
	return seeAll(tx, p, reader, of.Kind)
}

// seeAll moves the stamp up to which everything of a kind is put away. Things of these kinds only go away when somebody
// puts them away: without the stamp, every read would scan everything that the reader has ever put away.
func seeAll(tx *store.Tx, p *store.Project, reader string, kind waiting.WaitKind) error {
	from, err := SeenAll(tx, reader, p.Rec.Slug, kind)
	if err != nil {
		return err
	}
	const limit = 200
	next, err := Waiting(tx, waiting.Query{Project: p.Rec.Slug, Kind: kind, After: from, Limit: limit})
	if err != nil {
		return err
	}
	to := from
	for _, n := range next {
		_, ref, err := tx.KeyOf(n.Task)
		if err != nil {
			return err
		}
		seen, err := db.Some(tx.C, `SELECT 1 FROM seen WHERE actor=$1 AND task=$2 AND item=$3 AND stamp>=$4`, reader, ref, n.Item(), n.Stamp)
		if err != nil {
			return err
		}
		if !seen {
			break
		}
		tx.Exec(1, `DELETE FROM seen WHERE actor=$1 AND task=$2 AND item=$3`, reader, ref, n.Item())
		to = n.Stamp
	}
	if to == from {
		return nil
	}
	return tx.C.Exec(1, keepSeen, reader, p.Ref(0), string(kind), to)
}

// Approved stores that a human has approved or verified a task: if an agent closed it although it was supervised, it has
// been looked at, for everybody.
func Approved(tx *store.Tx, t *task.Task) error {
	if t.UnsupervisedClose == 0 {
		return nil
	}
	_, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	t.UnsupervisedClose = 0
	return tx.C.Exec(1, rows.UpdateTaskWaits, rows.TaskWaitsArgs(ref, t)...)
}

// Acknowledge stores that a human has seen the failures of a task. Counting starts again from there.
func Acknowledge(tx *store.Tx, id task.ID) error {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return err
	}
	t, err := tx.Task(id)
	if err != nil {
		return err
	}
	delete(tx.Fresh, ref)
	return tx.C.Exec(1, rows.UpdateTaskWaits, rows.TaskWaitsArgs(ref, t.Acknowledge())...)
}
