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
	return db.Some(tx.C, `SELECT 1 FROM agent_session WHERE task=$1 AND fence=$2 AND (session<>'' OR process<>'')`, key, t.Claim.Fence)
}

// maxBeside is how many tasks that were claimed in one checkout are read.
const maxBeside = 200

// Beside returns the held tasks of all projects that were claimed in the checkout in which a task is worked on from there: its
// workspace on that machine, if it has one. It returns nothing where no checkout is known.
func (tx *Tx) Beside(t *task.Task, from task.Checkout) ([]task.HeldIn, error) {
	if from.Root == "" {
		return nil, nil
	}
	_, key, err := tx.KeyOf(t.ID)
	if err != nil {
		return nil, err
	}
	own, err := db.Values[string](tx.C, `SELECT path FROM workspace WHERE task=$1 AND host=$2`, key, from.Host)
	if err != nil {
		return nil, err
	}
	if len(own) > 0 {
		from.Root = own[0]
	}
	var out []task.HeldIn
	err = tx.C.Query(`SELECT t.holder, CASE WHEN w.path IS NULL OR w.path=a.root THEN 0 ELSE 1 END
		FROM agent_session a JOIN task t ON t.id=a.task AND t.fence=a.fence LEFT JOIN workspace w ON w.task=a.task AND w.host=a.host
		WHERE a.root=$1 AND a.root<>'' AND a.host=$2 AND a.task<>$3 AND t.holder IS NOT NULL AND (t.expires_at=0 OR t.expires_at>$4)
		ORDER BY a.task LIMIT $5`, []any{from.Root, from.Host, key, tx.Head.Now, maxBeside},
		db.Each2(func(holder string, apart int) { out = append(out, task.HeldIn{Holder: holder, Apart: apart == 1}) }))
	return out, err
}

// saveOrigin stores in which session of an agent, and in which checkout, a task was just claimed, if anything tells it.
func (tx *Tx) saveOrigin(id int64, fence int64) {
	s, at := tx.By.Session, tx.By.Checkout
	if s.Unknown() && at.Root == "" {
		return
	}
	tx.Exec(1, `INSERT INTO agent_session (task, fence, session, process, host, root) VALUES ($1,$2,$3,$4,$5,$6)
		ON CONFLICT (task) DO UPDATE SET fence=excluded.fence, session=excluded.session, process=excluded.process, host=excluded.host, root=excluded.root`,
		id, fence, s.Session, s.Process, at.Host, at.Root)
}
