package store

import (
	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// maxInHand is how many tasks of one session of an agent are read.
const maxInHand = 50

// InHand returns the held tasks, by number, that were claimed in a session of an agent, each with its holder's newest event and that of its claim.
func (tx *Tx) InHand(s task.AgentSession) ([]task.InHand, error) {
	if s.Unknown() {
		return nil, nil
	}
	slugs, err := tx.SlugsByID()
	if err != nil {
		return nil, err
	}
	// One part for each index. Empty digests are not in them, and match nothing.
	keys, err := db.Values[int64](tx.C, `SELECT a.task FROM agent_session a JOIN task t ON t.id=a.task AND t.fence=a.fence
		WHERE a.session=$1 AND a.session<>'' AND t.holder IS NOT NULL AND (t.expires_at=0 OR t.expires_at>$3)
		UNION SELECT a.task FROM agent_session a JOIN task t ON t.id=a.task AND t.fence=a.fence
		WHERE a.process=$2 AND a.process<>'' AND t.holder IS NOT NULL AND (t.expires_at=0 OR t.expires_at>$3)
		ORDER BY 1 LIMIT $4`, s.Session, s.Process, tx.Head.Now, maxInHand)
	if err != nil {
		return nil, err
	}
	out := make([]task.InHand, 0, len(keys))
	for _, key := range keys {
		slug := slugs[rows.ProjectOf(key)]
		if slug == "" || tx.Hides(slug) {
			continue
		}
		t, err := tx.Task(task.MakeID(slug, rows.Number(key)))
		if err != nil {
			return nil, err
		}
		h := task.InHand{Task: t}
		if err := tx.C.Query(`SELECT COALESCE(MAX(id), 0), COALESCE(MAX(CASE WHEN kind='task.claimed' THEN id END), 0) FROM event
			WHERE task=$1 AND (actor=$2 OR actor=$3)`, []any{key, t.Claim.Actor, t.Claim.Name()}, db.Each2(func(wrote, claimed int64) {
			h.Wrote, h.Claimed = wrote, claimed
		})); err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// SessionTold reports whether it is known in which session of an agent a held task was claimed.
func (tx *Tx) SessionTold(t *task.Task) (bool, error) {
	_, key, err := tx.KeyOf(t.ID)
	if err != nil {
		return false, err
	}
	return db.Some(tx.C, `SELECT 1 FROM agent_session WHERE task=$1 AND fence=$2`, key, t.Claim.Fence)
}

// saveSession stores in which session of an agent a task was just claimed, if anything tells it.
func (tx *Tx) saveSession(id int64, fence int64) {
	if s := tx.By.Session; !s.Unknown() {
		tx.Exec(1, `INSERT INTO agent_session (task, fence, session, process) VALUES ($1,$2,$3,$4)
			ON CONFLICT (task) DO UPDATE SET fence=excluded.fence, session=excluded.session, process=excluded.process`, id, fence, s.Session, s.Process)
	}
}
