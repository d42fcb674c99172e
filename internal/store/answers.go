package store

import (
	"tasker/internal/db"
	"tasker/internal/task/query"
)

// answerLifeMs is how long an answer is stored for its idempotency key.
const answerLifeMs = 24 * 60 * 60 * 1000

// Remembered returns the answer stored for an idempotency key, or nil.
func (tx *Tx) Remembered(key query.IdemKey) (*query.StoredAnswer, error) {
	return db.First(tx.C, `SELECT digest, answer FROM idempotency WHERE actor=$1 AND path=$2 AND key=$3 AND at>$4`,
		[]any{key.Actor, key.Path, key.Key, int64(tx.Now().Add(-answerLifeMs))}, db.Read2(func(digest, answer string) query.StoredAnswer {
			return query.StoredAnswer{Digest: digest, Answer: []byte(answer)}
		}))
}

// Remember stores an answer for an idempotency key, and deletes some expired answers.
func (tx *Tx) Remember(key query.IdemKey, stored query.StoredAnswer) error {
	old, err := db.All(tx.C, `SELECT actor, path, key FROM idempotency WHERE at<=$1 ORDER BY at LIMIT 4`,
		[]any{int64(tx.Now().Add(-answerLifeMs))}, db.Read3(func(actor, path, name string) []any { return []any{actor, path, name} }))
	if err != nil {
		return err
	}
	for _, k := range old {
		tx.Exec(1, `DELETE FROM idempotency WHERE actor=$1 AND path=$2 AND key=$3`, k...)
	}
	return tx.C.Exec(1, `INSERT INTO idempotency (actor, path, key, digest, answer, at) VALUES ($1,$2,$3,$4,$5,$6)
		ON CONFLICT (actor, path, key) DO UPDATE SET digest=excluded.digest, answer=excluded.answer, at=excluded.at`,
		key.Actor, key.Path, key.Key, stored.Digest, string(stored.Answer), int64(tx.Now()))
}
