package store

import (
	"cmp"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// sweepLimit is how many lapsed leases one turn writes.
const sweepLimit = 200

// AnyLapsed selects a row if any lease has run out at $1.
const AnyLapsed = `SELECT 1 FROM task WHERE expires_at>0 AND expires_at<=$1 LIMIT 1`

// Sweep writes down lapsed leases, soonest first, up to sweepLimit in a turn, and returns how many.
func (tx *Tx) Sweep() (int, error) {
	if tx.state.swept {
		return 0, nil
	}
	slugs, err := tx.SlugsByID()
	if err != nil {
		return 0, err
	}
	s := rows.Scanner{Slugs: slugs}
	lapsed, err := db.All(tx.C, `SELECT `+rows.TaskColumns+` FROM task WHERE expires_at>0 AND expires_at<=$1
		ORDER BY expires_at, id LIMIT `+strconv.Itoa(sweepLimit), []any{int64(tx.Now())}, s.Whole)
	if err != nil {
		return 0, err
	}
	for _, t := range lapsed {
		p, err := tx.Loaded(t.Project) // the first turn to notice sweeps for everybody
		if err != nil {
			return 0, err
		}
		if _, err := tx.expire(p, t); err != nil {
			return 0, err
		}
	}
	if len(lapsed) < sweepLimit {
		tx.state.swept = true
		tx.Turn.Undo(func() { tx.state.swept = false })
	}
	return len(lapsed), nil
}

// expire writes down a lapsed lease, in the form that reads have shown since it lapsed.
func (tx *Tx) expire(p *Project, t *task.Task) (*task.Task, error) {
	after := t.Expired()
	ref := p.KeyOf(t)
	c := t.Claim
	id, err := tx.recordAs(task.Sweeper, task.Via{Face: "server"}, t.Project, t.ID, task.Draft{Kind: task.ClaimExpired, Payload: task.Payload{
		"actor": c.Actor, "fence": c.Fence, "claimedAt": c.ClaimedAt, "expiresAt": c.ExpiresAt, "leaseMs": c.LeaseMs,
		"status": task.Delta{From: t.Status, To: after.Status},
	}})
	if err != nil {
		return nil, err
	}
	if err := tx.SaveRow(p, ref, t, after, id); err != nil {
		return nil, err
	}
	tx.Fresh[ref] = true
	return after, tx.Relocate(p, t, after)
}

// Lapsed returns the tasks of a project whose lease has run out but is not swept yet, as the sweep will leave them.
func (tx *Tx) Lapsed(p *Project) ([]*task.Task, error) {
	if tx.member != nil && tx.state.swept {
		return nil, nil
	}
	if tx.member == nil && p.Lapsed != nil {
		return p.Lapsed, nil
	}
	if tx.member != nil && !p.Front.Known() { // nearly every turn needs it, and here it costs no extra round trip
		if err := tx.Front().Ask(p.Front); err != nil {
			return nil, err
		}
	}
	out, some := []*task.Task{}, false
	err := cmp.Or(tx.AskLapsed(p, &out, &some), tx.C.Flush())
	switch {
	case err != nil:
	case tx.member == nil:
		p.Lapsed = out
	default:
		p.Front.Learned()
		if !some { // and none will lapse within this turn
			tx.state.swept = true
		}
	}
	return out, err
}

// AskLapsed queries the tasks that Lapsed returns, and whether any lease of another project has lapsed.
func (tx *Tx) AskLapsed(p *Project, out *[]*task.Task, some *bool) error {
	s := rows.Scanner{Slug: p.Rec.Slug}
	return tx.C.Ask(`SELECT `+rows.TaskColumns+` FROM task WHERE expires_at>0 AND expires_at<=$1
		ORDER BY expires_at, id`, []any{tx.Head.Now}, func(row db.Row) error {
		*some = true
		if rows.ProjectOf(rows.Ref(row)) != p.ID {
			return nil // few have lapsed at any time: a seek by project would visit every held task
		}
		t, err := s.Whole(row)
		if err != nil {
			return err
		}
		*out = append(*out, t.Expired())
		return nil
	})
}
