package store

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/task/drift"
)

// Guided returns the guidance that was fingerprinted when the task was claimed, or nil.
func (tx *Tx) Guided(id task.ID) (*drift.Guided, error) {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out *drift.Guided
	err = tx.C.Query(`SELECT fence, files FROM guidance WHERE task=$1`, []any{ref}, db.Scan2(func(fence int64, files string) error {
		out = &drift.Guided{Task: id, Fence: fence}
		return json.Unmarshal([]byte(files), out)
	}))
	return out, err
}

// GuidedHeld returns the fingerprints of up to limit tasks of a project that are held now.
func (tx *Tx) GuidedHeld(slug string, limit int) ([]drift.Guided, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	var out []drift.Guided
	err = tx.C.Query(`SELECT g.task, g.fence, g.files FROM guidance g JOIN task t ON t.id=g.task AND t.fence=g.fence
		WHERE t.project=$1 AND t.holder IS NOT NULL AND (t.expires_at=0 OR t.expires_at>$2) ORDER BY g.task LIMIT $3`,
		[]any{p.ID, tx.Head.Now, limit}, db.Scan3(func(ref, fence int64, files string) error {
			out = append(out, drift.Guided{Task: p.TaskID(ref), Fence: fence})
			return json.Unmarshal([]byte(files), &out[len(out)-1])
		}))
	return out, err
}

// SaveGuided stores the fingerprints of a task's claim, replacing those of an earlier claim.
func (tx *Tx) SaveGuided(g drift.Guided) error {
	_, ref, err := tx.KeyOf(g.Task)
	if err != nil {
		return err
	}
	files, err := json.Marshal(g, json.Deterministic(true))
	if err != nil {
		return err
	}
	return tx.C.Exec(1, `INSERT INTO guidance (task, fence, files) VALUES ($1,$2,$3)
		ON CONFLICT (task) DO UPDATE SET fence=excluded.fence, files=excluded.files`, ref, g.Fence, string(files))
}
