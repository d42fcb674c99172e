package dump

import (
	"cmp"

	"tasker/internal/db"
	"tasker/internal/store"
)

// Restored starts a new generation of the database under the number that identifies it; 0 keeps the
// number. A worker that slept through the restore then has a fence that is too small.
func Restored(tx *store.Tx, instance, generation, fences int64) (events int, err error) {
	tx.Exec(1, `UPDATE turn SET instance=$1, generation=$2 WHERE id=1`, cmp.Or(instance, tx.Turn.Instance), generation)
	tx.Exec(db.Any, `UPDATE task SET fence=fence+$1`, fences)
	clear(tx.Fresh)
	return db.Value[int](tx.C, `SELECT COUNT(*) FROM event`)
}
