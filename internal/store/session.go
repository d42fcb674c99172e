package store

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/task"
)

const sessionCols = `id, actor, projects, read_only, created_at, expires_at, last_used_at, revoked_at`

func (r *Reader) sessions(where string, args ...any) ([]task.Session, error) {
	var out []task.Session
	err := r.c.Query(`SELECT `+sessionCols+` FROM session `+where, args, func(row db.Row) error {
		s := task.Session{
			ID: row.Int(0), Actor: row.Text(1), ReadOnly: row.Int(3) != 0, CreatedAt: task.Time(row.Int(4)),
			ExpiresAt: task.Time(row.Int(5)), LastUsedAt: task.Time(row.Int(6)), RevokedAt: task.Time(row.Int(7)),
		}
		err := decodeList(row.Text(2), &s.Projects)
		out = append(out, s)
		return err
	})
	return out, err
}

// Sessions gives every session that was made, by id.
func (r *Reader) Sessions() ([]task.Session, error) { return r.sessions(`ORDER BY id`) }

// Session is not found where there is none with the id.
func (r *Reader) Session(id int64) (task.Session, error) {
	found, err := r.sessions(`WHERE id=$1`, id)
	if err == nil && len(found) == 0 {
		return task.Session{}, fault.Missing("there is no session %d", id).WithHint("list them: tasker session list")
	}
	if err != nil {
		return task.Session{}, err
	}
	return found[0], nil
}

// SessionOf gives the session whose credential has the digest, nil where there is none.
func (r *Reader) SessionOf(digest string) (*task.Session, error) {
	found, err := r.sessions(`WHERE digest=$1`, digest)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// AddSession keeps a session under the digest of its credential. Its id is that of the event that tells of it.
func (w *Writer) AddSession(s task.Session, digest string) (task.Session, error) {
	projects, err := encodeList(s.Projects)
	if err != nil {
		return s, err
	}
	s.CreatedAt = w.Now()
	s.ID, err = w.record("", "", task.Draft{Kind: task.SessionCreated, Payload: task.Payload{
		"session": w.turn.LastEvent + 1, "actor": s.Actor, "expiresAt": s.ExpiresAt, "projects": s.Projects, "readOnly": s.ReadOnly,
	}})
	if err != nil {
		return s, err
	}
	return s, w.c.Exec(1, `INSERT INTO session (digest, `+sessionCols+`) VALUES ($1,$2,$3,$4,$5,$6,$7,0,0)`,
		digest, s.ID, s.Actor, projects, s.ReadOnly, int64(s.CreatedAt), int64(s.ExpiresAt))
}

// RevokeSession ends a session that was not revoked before.
func (w *Writer) RevokeSession(s task.Session) error {
	if err := w.c.Exec(1, `UPDATE session SET revoked_at=$2 WHERE id=$1 AND revoked_at=0`, s.ID, int64(w.Now())); err != nil {
		return err
	}
	return w.Record("", "", task.Draft{Kind: task.SessionRevoked, Payload: task.Payload{"session": s.ID, "actor": s.Actor}})
}

// TouchSession notes that a session was used. It is no change of any record, and has no event.
func (w *Writer) TouchSession(id int64, at task.Time) error {
	return w.c.Exec(db.Any, `UPDATE session SET last_used_at=$2 WHERE id=$1 AND last_used_at<$2`, id, int64(at))
}
