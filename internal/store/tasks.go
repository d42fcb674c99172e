package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// TaskByKey returns the task of a project with the key.
func (tx *Tx) TaskByKey(slug, key string) (*task.Task, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	t, err := tx.One(p, `SELECT `+rows.TaskColumns+` FROM task WHERE project=$1 AND key=$2`, p.ID, key)
	if err == nil && t == nil {
		return nil, fault.Missing("there is no task %q in %s", key, slug).WithHint("list what there is: %s", hint.ListOf(slug))
	}
	return t, err
}

// TasksByID returns the tasks that exist among the ids, in the order of the ids.
func (tx *Tx) TasksByID(ids []task.ID) ([]*task.Task, error) {
	byProject := map[*Project][]int64{}
	var order []*Project
	for _, id := range ids {
		p, ref, err := tx.KeyOf(id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if byProject[p] == nil {
			order = append(order, p)
		}
		byProject[p] = append(byProject[p], ref)
	}
	found := make(map[task.ID]*task.Task, len(ids))
	for _, p := range order {
		some, err := tx.someIn(p, `SELECT `+rows.TaskColumns+` FROM task WHERE id IN KEYS`, byProject[p])
		if err != nil {
			return nil, err
		}
		for _, t := range some {
			found[t.ID] = t
		}
	}
	out := make([]*task.Task, 0, len(ids))
	for _, id := range ids {
		if t := found[id]; t != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// Fill loads the bodies and dependencies of tasks.
func (tx *Tx) Fill(tasks ...*task.Task) error {
	_, err := tx.fill(0, tasks)
	return err
}

// FillWithin is Fill for as many of the tasks as fit a page of some bytes. It returns how many.
func (tx *Tx) FillWithin(bytes int, tasks ...*task.Task) (int, error) {
	return query.Page{Bytes: bytes}.Fill(tasks, tx.fill)
}

// fill loads the bodies and dependencies of tasks. If limit is not 0, it stops once the bodies exceed that many bytes,
// and returns false.
func (tx *Tx) fill(limit int, tasks []*task.Task) (whole bool, err error) {
	byRef := map[int64]*task.Task{}
	var deps, bodies []int64
	for _, t := range tasks {
		body := t.HasBody && t.Body == ""
		if t.NoDeps && !body { // there is nothing to load
			t.Deps = nil
			continue
		}
		_, ref, err := tx.KeyOf(t.ID)
		if err != nil {
			return false, err
		}
		if fillAhead(tx, t) {
			continue
		}
		t.Deps = nil
		byRef[ref] = t
		if !t.NoDeps {
			deps = append(deps, ref)
		}
		if body {
			bodies = append(bodies, ref)
		}
	}
	read := 0
	err = db.EachIn(tx.C, `SELECT task, body FROM task_body WHERE task IN KEYS`, bodies, db.Scan2(func(ref int64, body string) error {
		if read += len(body); limit > 0 && read > limit {
			return ErrEnough
		}
		byRef[ref].Body = task.Opt(body)
		return nil
	}))
	if errors.Is(err, ErrEnough) {
		for _, ref := range bodies {
			byRef[ref].Body = ""
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, db.EachIn(tx.C, `SELECT task, on_task FROM dep WHERE task IN KEYS ORDER BY task, on_task`, deps, db.Each2(func(ref, on int64) {
		t := byRef[ref]
		t.Deps = append(t.Deps, task.MakeID(t.Project, rows.Number(on)))
	}))
}

// Held returns the tasks that an actor holds: under exactly this name if full is set, else under any instance of it. An
// empty name means everybody, and an empty slug every project.
func (tx *Tx) Held(slug, actor string, full bool) ([]*task.Task, error) {
	slugs := []string{slug}
	if slug == "" {
		all, err := tx.Projects()
		if err != nil {
			return nil, err
		}
		slugs = slugs[:0]
		for _, p := range all {
			slugs = append(slugs, p.Slug)
		}
	}
	var out []*task.Task
	for _, slug := range slugs {
		p, err := tx.Find(slug)
		if err != nil {
			return nil, err
		}
		where, args := `project=$1 AND holder IS NOT NULL AND `+lasts, params{p.ID, tx.Head.Now}
		if actor != "" {
			where += ` AND ` + args.named(`holder`, actor, full)
		}
		held, err := tx.Some(p, `SELECT `+rows.TaskColumns+` FROM task WHERE `+where+` ORDER BY id`, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, held...)
	}
	return out, nil
}

// HeldFirst returns up to limit held tasks, in the order of their claims. If there are more, it leaves out the ones in
// the least trouble.
func (tx *Tx) HeldFirst(slug string, limit int) ([]task.Hold, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	out, scan := make([]task.Hold, 0, min(limit, 50)), rows.Scanner{Slug: p.Rec.Slug, Limit: limit}
	keys, err := tx.heldWorst(p, limit)
	if err != nil {
		return nil, err
	}
	err = db.EachIn(tx.C, `SELECT `+rows.HoldColumnsH+`
		FROM (SELECT id, title, criteria, holder, claimed_at, expires_at, lease_ms, questions, (SELECT MAX(n.id) FROM event n WHERE n.task=task.id) AS last
			FROM task WHERE id IN KEYS) h
		LEFT JOIN event e ON e.id=h.last`, keys, func(row db.Row) (err error) {
		var h task.Hold
		err = rows.ReadHold(&scan, row, &h)
		out = append(out, h)
		return err
	})
	slices.SortFunc(out, func(a, b task.Hold) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), strings.Compare(a.Actor, b.Actor), task.CompareIDs(a.Task, b.Task))
	})
	return out, err
}

// Closed returns closed tasks with a status ("" for both), newest first, that were closed at since or later.
func (tx *Tx) Closed(slug string, status task.Status, since task.Time, limit int) ([]*task.Task, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	wanted := []task.Status{status}
	if status == "" {
		wanted = []task.Status{task.Done, task.Cancelled}
	}
	var out []*task.Task
	for _, s := range wanted {
		found, err := tx.Some(p, `SELECT `+rows.TaskColumns+` FROM task WHERE project=$1 AND status=`+literal(s)+` AND closed_at>0 AND closed_at>=$2
			ORDER BY closed_at DESC, id DESC LIMIT `+strconv.Itoa(limit), p.ID, int64(since))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b *task.Task) int {
		return cmp.Or(cmp.Compare(b.ClosedAt, a.ClosedAt), task.CompareIDs(b.ID, a.ID))
	})
	return out[:min(len(out), limit)], nil
}

// Proven counts the tasks of a project that were closed at since or later.
func (tx *Tx) Proven(slug string, since task.Time) (out query.Proven, err error) {
	p, err := tx.Find(slug)
	if err != nil {
		return out, err
	}
	err = tx.C.Query(`SELECT status, COUNT(*), COUNT(*) FILTER (WHERE evidences>0), COUNT(*) FILTER (WHERE recorded<>0),
		COUNT(*) FILTER (WHERE approvals>0 AND EXISTS (SELECT 1 FROM approval a WHERE a.task=t.id AND a.epoch=t.approval_epoch)),
		COUNT(*) FILTER (WHERE recorded=0 AND id IN (SELECT task FROM event WHERE project=$1 AND kind='override.forced')),
		COUNT(*) FILTER (WHERE EXISTS (SELECT 1 FROM landing l WHERE l.task=t.id AND l.landed=0 AND l.closed_at=t.closed_at))
		FROM task t WHERE project=$1 AND status IN ('done','cancelled') AND closed_at>0 AND closed_at>=$2 GROUP BY status`, []any{p.ID, int64(since)},
		func(row db.Row) error {
			const status, all, evidence, recorded, approved, overrides, notLanded = 0, 1, 2, 3, 4, 5, 6
			n := func(column int) int { return int(row.Int(column)) }
			if task.Status(row.Text(status)) == task.Done {
				out.Done = n(all)
			} else {
				out.Cancelled = n(all)
			}
			out.Evidence += n(evidence)
			out.Recorded += n(recorded)
			out.Approved += n(approved)
			out.Overrides += n(overrides)
			out.NotLanded += n(notLanded)
			return nil
		})
	return out, err
}

// literal returns a status as SQL text. SQLite plans a statement again whenever it binds a parameter that decides
// whether a partial index can serve, and a status is one of five words.
func literal(s task.Status) string { return `'` + string(s) + `'` }

// lasts is the condition that a lease has not run out at $2. It compares a sum, because otherwise SQLite would plan the
// statement again, for the indexes over leases, whenever it binds the moment.
const lasts = `(expires_at=0 OR expires_at+0>$2)`

// Task returns a task as it counts now, without body and dependencies, or not found.
func (tx *Tx) Task(id task.ID) (*task.Task, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	t, err := tx.One(p, `SELECT `+rows.TaskColumns+` FROM task WHERE id=$1`, ref)
	if err == nil && t == nil {
		return nil, p.NoTask(id)
	}
	return t, err
}

// One returns the task that a statement selects, or nil. A turn sweeps a lapsed lease first.
func (tx *Tx) One(p *Project, sql string, args ...any) (*task.Task, error) {
	found, err := tx.Some(p, sql, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Some returns the tasks that a statement selects, all of one project, as they count now. A turn sweeps lapsed leases.
func (tx *Tx) Some(p *Project, sql string, args ...any) ([]*task.Task, error) {
	out, _, err := tx.SomeWhile(p, func(*task.Task) bool { return true }, sql, args...)
	return out, err
}

// someIn is Some for a statement with a list of keys, as in db.AllIn.
func (tx *Tx) someIn(p *Project, sql string, keys []int64, args ...any) ([]*task.Task, error) {
	out, err := db.AllIn(tx.C, sql, keys, rows.TaskOf(p.Rec.Slug, rows.ReadTask), args...)
	if err != nil {
		return nil, err
	}
	return out, tx.countAll(p, out)
}

// SomeWhile is Some up to the first task that take rejects; whole reports whether it rejected none.
func (tx *Tx) SomeWhile(p *Project, take func(*task.Task) bool, sql string, args ...any) (out []*task.Task, whole bool, err error) {
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = tx.C.Query(sql, args, func(row db.Row) error {
		t, err := s.Whole(row)
		if err != nil {
			return err
		}
		if !take(t) {
			return ErrEnough
		}
		out = append(out, t)
		return nil
	})
	if whole = err == nil; err != nil && !errors.Is(err, ErrEnough) {
		return nil, false, err
	}
	return out, whole, tx.countAll(p, out)
}

// countAll replaces stored tasks of a project with the tasks as they count now: a lapsed lease is over.
func (tx *Tx) countAll(p *Project, tasks []*task.Task) (err error) {
	for i, t := range tasks {
		if tasks[i], err = tx.counted(p.KeyOf(t), t); err != nil {
			return err
		}
	}
	return nil
}

// ErrEnough ends a query when no more rows are wanted.
var ErrEnough = errors.New("enough was read")

// counted returns a task as it counts now. A turn sweeps a lapsed lease.
func (tx *Tx) counted(ref int64, t *task.Task) (*task.Task, error) {
	if tx.member == nil {
		return t.At(tx.Now()), nil
	}
	tx.Fresh[ref] = true
	if t.Lapsed(tx.Now()) {
		return tx.expire(t)
	}
	return t, nil
}

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
		if _, err := tx.expire(t); err != nil {
			return 0, err
		}
	}
	if len(lapsed) < sweepLimit {
		tx.state.swept = true
		tx.Turn.Undo(func() { tx.state.swept = false })
	}
	return len(lapsed), nil
}

// expire writes down a lapsed lease, in the form that reads have shown since it lapsed. The first turn to notice does it
// for everybody, also in projects that it does not see.
func (tx *Tx) expire(t *task.Task) (*task.Task, error) {
	p, err := tx.Loaded(t.Project)
	if err != nil {
		return nil, err
	}
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
