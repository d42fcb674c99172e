package store

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Sessions returns every session, including revoked ones, by id.
func (tx *Tx) Sessions() ([]task.Session, error) {
	return db.All(tx.C, `SELECT `+rows.SessionColumns+` FROM session ORDER BY id`, nil, rows.Of("", rows.ReadSession))
}

// Session returns the session with the id, or not found.
func (tx *Tx) Session(id int64) (task.Session, error) {
	found, err := tx.sessionWith(`id`, id)
	if err == nil && found == nil {
		return task.Session{}, fault.Missing("there is no session %d", id).WithHint("list them: %s", hint.Sessions())
	}
	if err != nil {
		return task.Session{}, err
	}
	return *found, nil
}

// SessionOf returns the session whose credential has the digest, or nil.
func (tx *Tx) SessionOf(digest string) (*task.Session, error) {
	return tx.sessionWith(`digest`, digest)
}

// sessionWith returns the session that has a value in a column, or nil.
func (tx *Tx) sessionWith(column string, value any) (*task.Session, error) {
	return db.First(tx.C, `SELECT `+rows.SessionColumns+` FROM session WHERE `+column+`=$1`, []any{value}, rows.Of("", rows.ReadSession))
}

// AddSession stores a session under the digest of its credential. Its id is that of its event.
func (tx *Tx) AddSession(s task.Session, digest string) (task.Session, error) {
	s.CreatedAt = tx.Now()
	var err error
	s.ID, err = tx.Append("", "", task.Draft{Kind: task.SessionCreated, Payload: task.Payload{
		"session": tx.Turn.LastEvent + 1, "actor": s.Actor, "expiresAt": s.ExpiresAt, "projects": s.Projects, "readOnly": s.ReadOnly,
	}})
	if err != nil {
		return s, err
	}
	values, err := rows.SessionValues(&s, digest)
	if err != nil {
		return s, err
	}
	return s, tx.C.Exec(1, rows.InsertSession, values...)
}

// RevokeSession ends a session that has not been revoked yet.
func (tx *Tx) RevokeSession(s task.Session) error {
	tx.Exec(1, `UPDATE session SET revoked_at=$2 WHERE id=$1 AND revoked_at=0`, s.ID, int64(tx.Now()))
	return tx.Record("", "", task.Draft{Kind: task.SessionRevoked, Payload: task.Payload{"session": s.ID, "actor": s.Actor}})
}

// EndSessions ends every session, with an event for each that is still valid.
func (tx *Tx) EndSessions() error {
	all, err := tx.Sessions()
	if err != nil {
		return err
	}
	for _, one := range all {
		if !one.Live(tx.Now()) {
			continue
		}
		if err := tx.RevokeSession(one); err != nil {
			return err
		}
	}
	// Those that have expired by this machine's clock must not come back where the clock is set back.
	return tx.C.Exec(db.Any, `UPDATE session SET revoked_at=$1 WHERE revoked_at=0`, int64(tx.Now()))
}

// TouchSession stores when a session was last used. That changes no record, so it has no event.
func (tx *Tx) TouchSession(id int64, at task.Time) error {
	return tx.C.Exec(db.Any, `UPDATE session SET last_used_at=$2 WHERE id=$1 AND last_used_at<$2`, id, int64(at))
}
