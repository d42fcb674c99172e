package frontier

import (
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Walk yields the tasks of a lane in the caller's total order, and reads little more than it yields. lapsed are the
// project's tasks with a lapsed claim that is not swept yet, as they count now.
func (f *Frontier) Walk(p *Project, q query.Frontier, order task.Order, lapsed []*task.Task, yield func(*task.Task) bool) error {
	k, err := f.stored(p, order)
	if err != nil {
		return err
	}
	if f.cursor.serves(q) {
		return f.cursor.first(f, p, q, k, lapsed, yield)
	}
	merge, err := f.streams(p, q, k, lapsed, f.pages(q))
	if err != nil {
		return err
	}
	if merge.keys {
		return f.page(p, q, merge, lapsed, yield)
	}
	return f.walk(q, merge, yield)
}

// stored returns an order as it is stored.
func (f *Frontier) stored(p *Project, order task.Order) (storedOrder, error) {
	id, err := f.Order(p, order)
	return storedOrder{id, order}, err
}

// streams opens a lane: a stream for each place, and one for lapsed tasks. With keys set, and if there are several
// places, they read only keys: see page.
func (f *Frontier) streams(p *Project, q query.Frontier, k storedOrder, lapsed []*task.Task, keys bool) (*merged, error) {
	if err := f.Know(p); err != nil {
		return nil, err
	}
	m := &merged{}
	for _, id := range p.routesOf(q) {
		m.streams = append(m.streams, &stream{f: f, p: p, of: m, policy: k.id, route: id, q: &q})
	}
	var loose []step
	for _, t := range lapsed {
		if !slices.Contains(placesOf(q), Held) && belongs(q, t) {
			loose = append(loose, stepOf(p, q, k.order, t))
		}
	}
	slices.SortFunc(loose, step.compare)
	for _, s := range m.streams {
		s.others = len(m.streams) - 1
	}
	m.keys = q.Form == keysForm || keys && len(m.streams) > 1
	if err := m.begin(f.c); err != nil {
		return nil, err
	}
	m.streams = append(m.streams, &stream{steps: loose, done: true})
	if q.Until != nil {
		until := stepOf(p, q, k.order, q.Until)
		m.until = &until
	}
	return m, nil
}

// routesOf returns the places of a lane's tasks. The project must be known.
func (p *Project) routesOf(q query.Frontier) (out []int64) {
	for _, place := range placesOf(q) {
		if !p.empty(place) {
			out = append(out, place)
		}
	}
	for _, rt := range p.Routes() {
		if wanted(q, rt.Autonomy, rt.MayExecute) {
			out = append(out, rt.ID)
		}
	}
	return out
}

// empty reports whether a place has no tasks, according to the project's own counts.
func (p *Project) empty(place int64) bool {
	return p.Rec.States()[slices.Index(placeOf[:], place)] == 0
}

// places are the places of each lane, in addition to the routes of ready tasks.
var places = map[query.Lane][]int64{
	query.LanePassedOver: {Held, Asked},
	query.LaneNotReady:   {Asked, Waiting},
	query.LaneWaiting:    {Waiting},
	query.LaneInProgress: {Held, Unheld},
	query.LaneInReview:   {InReview},
	query.LaneAsked:      {Asked},
	query.LaneUnheld:     {Unheld},
}

// placesOf returns the places of a walk's lane, in addition to the routes of ready tasks.
func placesOf(q query.Frontier) (out []int64) {
	if q.Lane != query.LaneAmong {
		return places[q.Lane]
	}
	for i, place := range placeOf {
		if state := task.State(i); q.Among.Has(state) && state != task.StateReady && place != Nowhere {
			out = append(out, place)
		}
	}
	return out
}

// wanted reports whether the ready tasks of a route belong to the lane.
func wanted(q query.Frontier, autonomy task.Opt, mayExecute []string) bool {
	switch q.Lane {
	case query.LaneHoldable:
		return q.Policy.MayHold(q.Actor, autonomy, mayExecute) == nil
	case query.LanePassedOver:
		return q.Policy.MayHold(q.Actor, autonomy, mayExecute) != nil
	default:
		return q.Lane == query.LaneReady || q.Lane == query.LaneAmong && q.Among.Has(task.StateReady)
	}
}

// belongs reports whether a task, as it counts now, is on the lane. A lapsed claim counts as ended before it is swept.
func belongs(q query.Frontier, t *task.Task) bool {
	at, ready := Standing(t)
	if ready {
		return wanted(q, t.Autonomy, t.MayExecute)
	}
	return slices.Contains(placesOf(q), at)
}

// walk yields the tasks of the steps, as they count now.
func (f *Frontier) walk(q query.Frontier, m *merged, yield func(*task.Task) bool) error {
	for {
		s, err := f.step(q, m)
		if err != nil || s == nil || !yield(s.rec) {
			return err
		}
	}
}

// step returns the next step whose task, as it counts now, is on the lane, or nil at the end. The row of a lapsed task
// may still be on another lane.
func (f *Frontier) step(q query.Frontier, m *merged) (*step, error) {
	for {
		s, err := m.next()
		if err != nil || s == nil {
			return nil, err
		}
		if s.rec, err = f.counted(s.task, s.rec); err != nil || belongs(q, s.rec) {
			return s, err
		}
	}
}

// Under yields the tasks of a lane below the task with the key root. It reads only the tasks below it.
func (f *Frontier) Under(p *Project, root int64, q query.Frontier, order task.Order, yield func(*task.Task) bool) error {
	below, err := db.All(f.c, `WITH RECURSIVE below(id) AS (
			SELECT id FROM task WHERE parent=$1 UNION ALL SELECT c.id FROM below CROSS JOIN task c WHERE c.parent=below.id)
		SELECT `+rows.TaskColumnsT+` FROM below CROSS JOIN task t
		WHERE t.id=below.id AND t.status<>'done' AND t.status<>'cancelled'`, []any{root}, rows.TaskOf(p.Rec.Slug, rows.ReadTask))
	if err != nil {
		return err
	}
	lane := make([]*task.Task, 0, len(below))
	for _, t := range below {
		if t, err = f.counted(p.key(t), t); err != nil {
			return err
		}
		if belongs(q, t) && (q.Until == nil || order.Less(q.Policy, q.Actor, t, q.Until)) {
			lane = append(lane, t)
		}
	}
	slices.SortFunc(lane, func(a, b *task.Task) int { return order.Compare(q.Policy, q.Actor, a, b) })
	for _, t := range lane {
		if !yield(t) {
			return nil
		}
	}
	return nil
}

// form is how much of a task a walk reads: the columns, the tables, and the function that reads them.
type form struct {
	cols string
	n    int    // how many they are
	join string // to the tables next to the task
	from string // what follows "frontier f" in a statement that reads along it
	scan func(s *rows.Scanner, row db.Row, t *task.Task) error
}

func formOf(cols, join string, scan func(s *rows.Scanner, row db.Row, t *task.Task) error) form {
	return form{cols, strings.Count(cols, ",") + 1, join, ` CROSS JOIN task t` + join + ` WHERE t.id=f.task AND `, scan}
}

// keysAlone reads only keys.
var keysAlone = form{cols: `f.task`, n: 1, from: ` WHERE `}

// forms are the forms by query.Form. The preferred actor is also on the frontier's row, and is read from there.
var forms = [...]form{
	query.Whole: formOf(rows.TaskColumnsT, ``, rows.ReadTask),
	query.Ready: formOf(rows.ReadyTaskColumnsT, ` LEFT JOIN task_body b ON b.task=t.id`, scanReady),
	query.Brief: formOf(rows.BriefTaskColumnsT, ``, rows.ReadBriefTask),
}

// scanReady reads what a list shows of ready tasks, and sets the fields that are the same for all of them: see
// query.Ready.
func scanReady(s *rows.Scanner, row db.Row, t *task.Task) error {
	err := rows.ReadReadyTask(s, row, t)
	t.Status, t.HasBody = task.Open, t.Body != ""
	return err
}
