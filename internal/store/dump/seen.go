package dump

import (
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task/waiting"
)

// floored lists the kinds of waiting items for which a reader has a floor, the stamp up to which
// everything of the kind is put away. Each has a query for the tasks, names and stamps of what
// waits in the project $1.
var floored = map[waiting.WaitKind]string{
	waiting.WaitOverride:     `SELECT task, 'override:'||CAST(id AS TEXT) AS item, id AS stamp FROM event WHERE project=$1 AND kind='override.forced' AND task<>0`,
	waiting.WaitUnsupervised: `SELECT id AS task, 'review:closed' AS item, unwatched AS stamp FROM task WHERE project=$1 AND unwatched>0`,
}

// reader is the actor and kind that a floor belongs to.
type reader struct{ actor, kind string }

// put is the stamp up to which everything of a kind is put away in each project.
type put struct {
	p  *store.Project
	to int64
}

// joinSeen merges the floors of two projects: nothing that was put away in either comes back, and
// the floor of one hides nothing that was not put away in the other. Items put away above the
// common floor get a mark of their own.
func joinSeen(tx *store.Tx, a, b *store.Project) error {
	ofA, ofB, err := floors(tx, a, b)
	if err != nil {
		return err
	}
	all := maps.Clone(ofA)
	maps.Copy(all, ofB)
	byName := func(x, y reader) int { return slices.Compare([]string{x.actor, x.kind}, []string{y.actor, y.kind}) }
	for _, r := range slices.SortedFunc(maps.Keys(all), byName) {
		floor, both := max(ofA[r], ofB[r]), []put{{a, ofA[r]}, {b, ofB[r]}}
		for _, of := range both {
			next, err := nextWaiting(tx, of.p, r.kind, of.to)
			if err != nil {
				return err
			}
			if next > 0 {
				floor = min(floor, next-1)
			}
		}
		for _, of := range both {
			if err := markBetween(tx, of.p, r, floor, of.to); err != nil {
				return err
			}
		}
		tx.Exec(db.Any, `DELETE FROM seen WHERE task IN ($1, $2) AND actor=$3 AND item=$4`, a.Ref(0), b.Ref(0), r.actor, r.kind)
		if floor == 0 {
			continue
		}
		tx.Exec(1, `INSERT INTO seen (actor, task, item, stamp) VALUES ($1,$2,$3,$4)`, r.actor, b.Ref(0), r.kind, floor)
	}
	return nil
}

// floors returns the readers' floors in two projects.
func floors(tx *store.Tx, a, b *store.Project) (ofA, ofB map[reader]int64, err error) {
	ofA, ofB = map[reader]int64{}, map[reader]int64{}
	err = tx.C.Query(`SELECT actor, task, item, stamp FROM seen WHERE task IN ($1, $2)`, []any{a.Ref(0), b.Ref(0)},
		db.Scan4(func(actor string, at int64, kind string, stamp int64) error {
			of := ofB
			if at == a.Ref(0) {
				of = ofA
			}
			of[reader{actor, kind}] = stamp
			return nil
		}))
	return ofA, ofB, err
}

// nextWaiting returns the stamp of the first item of a kind after past, or 0 if there is none.
func nextWaiting(tx *store.Tx, p *store.Project, kind string, past int64) (int64, error) {
	return db.Value[int64](tx.C, `SELECT x.stamp FROM (`+floored[waiting.WaitKind(kind)]+`) x WHERE x.stamp>$2 ORDER BY x.stamp LIMIT 1`, p.ID, past)
}

// markBetween marks each item that waits after one stamp and up to another as put away.
func markBetween(tx *store.Tx, p *store.Project, r reader, past, to int64) error {
	if to <= past {
		return nil
	}
	return tx.C.Exec(db.Any, `INSERT INTO seen (actor, task, item, stamp)
		SELECT CAST($4 AS TEXT), x.task, x.item, x.stamp FROM (`+floored[waiting.WaitKind(r.kind)]+`) x WHERE x.stamp>$2 AND x.stamp<=$3
		ON CONFLICT (actor, task, item) DO UPDATE SET stamp=excluded.stamp`, p.ID, past, to, r.actor)
}
