package dump

import (
	"tasker/internal/db"
	"tasker/internal/store"
)

// Restored makes the database one of a new generation, under the number by which it is known; 0 leaves the number. Whoever
// slept through the restore has a fence that is too small.
func Restored(tx *store.Tx, instance, generation, fences int64) (events int, err error) {
	if instance == 0 {
		instance = tx.Turn.Instance
	}
	tx.Exec(1, `UPDATE turn SET instance=$1, generation=$2 WHERE id=1`, instance, generation)
	tx.Exec(db.Any, `UPDATE task SET fence=fence+$1`, fences)
	clear(tx.Fresh)
	return db.Value[int](tx.C, `SELECT COUNT(*) FROM event`)
}
