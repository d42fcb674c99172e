package dump

import (
	"cmp"

	"tasker/internal/db"
	"tasker/internal/store"
)

// Accepted starts a new generation of a database whose log was rewound, and takes away what says so. The ids of events
// go on past the highest that is known to be lost, by so much that nobody has seen one of them who is not known here.
func Accepted(tx *store.Tx, generation, apart int64) {
	last := max(tx.Turn.LastEvent, tx.Turn.Lost.To) + apart
	tx.Exec(1, `UPDATE turn SET generation=$1, lost_from=0, lost_to=0, removed=$2 WHERE id=1`, generation, last)
	tx.Exec(db.Any, `UPDATE task SET fence=fence+$1`, apart)
	clear(tx.Fresh)
	tx.Turn.LastEvent, tx.Turn.Lost = last, db.Lost{}
}

// Restored starts a new generation of the database under the number that identifies it; 0 keeps the
// number. A worker that slept through the restore then has a fence that is too small.
func Restored(tx *store.Tx, instance, generation, fences int64) (events int, err error) {
	tx.Exec(1, `UPDATE turn SET instance=$1, generation=$2 WHERE id=1`, cmp.Or(instance, tx.Turn.Instance), generation)
	tx.Exec(db.Any, `UPDATE task SET fence=fence+$1`, fences)
	clear(tx.Fresh)
	return db.Value[int](tx.C, `SELECT COUNT(*) FROM event`)
}
