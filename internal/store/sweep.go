package store

import (
	"cmp"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// sweepMost is how many lapsed leases one turn writes.
const sweepMost = 200

// sweeper is who stands in the events of lapsed leases.
const sweeper = "tasker"

const anyLapsed = `SELECT 1 FROM task WHERE expires_at>0 AND expires_at<=$1 LIMIT 1`

// sweep writes what lapsed leases have come to, soonest first, at most sweepMost in a turn.
func (w *member) sweep() (int, error) {
	if w.state.swept {
		return 0, nil
	}
	slugs, err := w.slugs()
	if err != nil {
		return 0, err
	}
	var lapsed []*task.Task
	s := rows.Scanner{Slugs: slugs}
	err = w.c.Query(`SELECT `+rows.TaskColumns+` FROM task WHERE expires_at>0 AND expires_at<=$1
		ORDER BY expires_at, id LIMIT `+strconv.Itoa(sweepMost), []any{int64(w.Now())}, func(row db.Row) error {
		t, err := s.Whole(row)
		lapsed = append(lapsed, t)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, t := range lapsed {
		p, err := w.loaded(t.Project) // whoever comes first sweeps for everybody
		if err != nil {
			return 0, err
		}
		if _, err := w.expire(p, t); err != nil {
			return 0, err
		}
	}
	if len(lapsed) < sweepMost {
		w.state.swept = true
		w.turn.Undo(func() { w.state.swept = false })
	}
	return len(lapsed), nil
}

// expire writes one lapsed lease as it has counted since it lapsed.
func (w *member) expire(p *project, t *task.Task) (*task.Task, error) {
	after := t.Expired()
	ref := p.refOf(t)
	c := t.Claim
	id, err := w.recordAs(w.events.As(sweeper, task.Via{Face: "server"}), t.Project, t.ID, task.Draft{Kind: task.ClaimExpired, Payload: task.Payload{
		"actor": c.Actor, "fence": c.Fence, "claimedAt": c.ClaimedAt, "expiresAt": c.ExpiresAt, "leaseMs": c.LeaseMs,
		"status": task.Delta{From: t.Status, To: after.Status},
	}})
	if err != nil {
		return nil, err
	}
	if err := w.saveRow(p, ref, t, after, id); err != nil {
		return nil, err
	}
	w.fresh[ref] = true
	return after, w.relocate(p, t, after)
}

// lapsed returns the tasks of a project whose lease has run out and is not swept yet, as they will be.
func (r *tx) lapsed(p *project) ([]*task.Task, error) {
	if r.member != nil && r.member.state.swept {
		return nil, nil
	}
	if r.member == nil && p.lapsed != nil {
		return p.lapsed, nil
	}
	if r.member != nil && !p.front.Known() { // nearly every turn wants to know it, and it costs no round trip of its own here
		if err := r.front().Ask(p.front); err != nil {
			return nil, err
		}
	}
	out, some := []*task.Task{}, false
	err := cmp.Or(r.askLapsed(p, &out, &some), r.c.Flush())
	switch {
	case err != nil:
	case r.member == nil:
		p.lapsed = out
	default:
		p.front.Learned()
		if !some { // and none will lapse before the turn's now is over
			r.member.state.swept = true
		}
	}
	return out, err
}

// askLapsed asks for what lapsed gives, and whether there is any in another project.
func (r *tx) askLapsed(p *project, out *[]*task.Task, some *bool) error {
	s := rows.Scanner{Slug: p.rec.Slug}
	return r.c.Ask(`SELECT `+rows.TaskColumns+` FROM task WHERE expires_at>0 AND expires_at<=$1
		ORDER BY expires_at, id`, []any{r.head.Now}, func(row db.Row) error {
		*some = true
		if rows.ProjectOf(rows.Ref(row)) != p.id {
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
