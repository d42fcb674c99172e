package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Frontier walks a lane in the caller's total order and reads only what it yields, and a little ahead.
func (r *Reader) Frontier(q task.FrontierQuery, yield func(*task.Task) bool) error {
	p, order, err := r.ordered(q)
	if err != nil {
		return err
	}
	if q.Under != "" {
		return r.frontierUnder(p, q, order, yield)
	}
	k, lapsed, err := r.kept(p, order)
	if err != nil {
		return err
	}
	if r.w != nil && q.Lane == task.LaneHoldable && q.Most == 1 {
		return r.w.first(p, q, k, lapsed, yield)
	}
	merge, err := r.streams(p, q, k, lapsed, r.w == nil && q.Most > 0)
	if err != nil {
		return err
	}
	if merge.keys {
		return r.page(p, q, merge, lapsed, yield)
	}
	return r.walk(p, q, merge, yield)
}

// ordered gives the project and the order of a walk. In a turn what has lapsed is swept first.
func (r *Reader) ordered(q task.FrontierQuery) (*project, task.Order, error) {
	p, err := r.project(q.Project)
	if err != nil {
		return nil, task.Order{}, err
	}
	order, err := task.NewOrder(q.Policy.Selection)
	if err == nil && r.w != nil {
		_, err = r.w.sweep()
	}
	return p, order, err
}

// kept gives the order of a walk as it is kept, and what has lapsed and is not swept yet.
func (r *Reader) kept(p *project, order task.Order) (keptOrder, []*task.Task, error) {
	lapsed, err := r.lapsed(p)
	if err != nil {
		return keptOrder{}, nil, err
	}
	id, err := r.keptID(p, order)
	return keptOrder{id, order}, lapsed, err
}

// keptID finds a kept order; a turn builds one that is new.
func (r *Reader) keptID(p *project, order task.Order) (int64, error) {
	if r.w != nil {
		return r.w.policyOf(p, order)
	}
	if err := r.know(p); err != nil {
		return 0, err
	}
	for _, k := range p.policies {
		if k.order.Same(order) {
			return k.id, nil
		}
	}
	return 0, &unknownOrder{p.rec.Slug, order}
}

// lanes opens a lane's streams: one for each route, and one for what has lapsed and is not swept yet.
func (r *Reader) lanes(p *project, q task.FrontierQuery, k keptOrder, lapsed []*task.Task) (*merged, error) {
	return r.streams(p, q, k, lapsed, false)
}

// streams is lanes whose streams read keys alone where there are several of them, if that will do: see page.
func (r *Reader) streams(p *project, q task.FrontierQuery, k keptOrder, lapsed []*task.Task, keys bool) (*merged, error) {
	if err := r.know(p); err != nil {
		return nil, err
	}
	m := &merged{}
	for _, id := range p.routesOf(q) {
		m.streams = append(m.streams, &stream{r: r, p: p, of: m, policy: k.id, route: id, q: &q})
	}
	var loose []step
	for _, t := range lapsed {
		if !slices.Contains(places[q.Lane], held) && belongs(q, t) {
			loose = append(loose, stepOf(p, q, k.order, t))
		}
	}
	slices.SortFunc(loose, step.compare)
	for _, s := range m.streams {
		s.beside = len(m.streams) - 1
	}
	m.keys = q.Form == keysForm || keys && len(m.streams) > 1
	if err := m.begin(r.c); err != nil {
		return nil, err
	}
	m.streams = append(m.streams, &stream{steps: loose, done: true})
	if q.Until != nil {
		until := stepOf(p, q, k.order, q.Until)
		m.until = &until
	}
	return m, nil
}

// routesOf lists where the tasks of a lane stand: each has an order of its own. The project's routes are known.
func (p *project) routesOf(q task.FrontierQuery) (out []int64) {
	for _, place := range places[q.Lane] {
		if !p.empty(place) {
			out = append(out, place)
		}
	}
	for _, key := range sortedKeys(p.routes) {
		if rt := p.routes[key]; wanted(q, rt.autonomy, rt.mayExecute) {
			out = append(out, rt.id)
		}
	}
	return out
}

// empty tells that nothing stands in a place, as far as the project's own counts say.
func (p *project) empty(place int64) bool {
	n := &p.rec.Tasks
	switch place {
	case held:
		return p.rec.Held == 0
	case unheld:
		return n.InProgress == p.rec.Held
	case inReview:
		return n.InReview == 0
	default:
		return false
	}
}

// Standstill counts what a walk of the passed-over lane would meet, by the counts that are kept.
func (r *Reader) Standstill(q task.FrontierQuery) (task.Standstill, error) {
	var out task.Standstill
	p, err := r.project(q.Project)
	if err != nil {
		return out, err
	}
	shown, err := r.shown(p)
	if err != nil {
		return out, err
	}
	out.Held = shown.Held
	ready, asked, err := r.ReadyBy(q.Project)
	if err != nil {
		return out, err
	}
	out.Questioned = asked
	for _, rt := range ready {
		if q.Policy.MayHold(q.Actor, rt.Autonomy, rt.MayExecute) == nil {
			continue
		}
		out.NotForYou += rt.Ready
		if q.Policy.TaskAutonomy(rt.Autonomy) == task.HumanOnly && !q.Actor.Human {
			out.HumanOnly += rt.Ready
		}
	}
	out.NextExpiry, err = r.nextExpiry(p, out.Held)
	return out, err
}

// fewHeld is how many held tasks of a project are looked at for the lease that ends next.
const fewHeld = 200

// nextExpiry is when the next lease of a project ends, zero where none does. Where few of its tasks are held those are
// looked at. Else one of them comes up soon among the leases of all projects in the order of their ends, which index
// task_lease alone gives: the project stands in the condition in a form that no index serves.
func (r *Reader) nextExpiry(p *project, held int) (end task.Time, err error) {
	if held > fewHeld {
		err = r.c.Query(`SELECT expires_at FROM task WHERE expires_at>0 AND expires_at>$2 AND (id>>`+strconv.Itoa(shift)+`)=$1
			ORDER BY expires_at LIMIT 1`, []any{p.id, r.head.Now}, func(row db.Row) error {
			end = task.Time(row.Int(0))
			return nil
		})
		return end, err
	}
	err = r.c.Query(`SELECT expires_at FROM task WHERE project=$1 AND holder IS NOT NULL`, []any{p.id}, func(row db.Row) error {
		if at := task.Time(row.Int(0)); at > r.Now() && (end == 0 || at < end) {
			end = at
		}
		return nil
	})
	return end, err
}

// places are where the tasks of a lane stand, besides the routes of ready ones.
var places = map[task.Lane][]int64{
	task.LanePassedOver: {held, questioned},
	task.LaneOpen:       {questioned, waiting},
	task.LaneWaiting:    {waiting},
	task.LaneInProgress: {held, unheld},
	task.LaneInReview:   {inReview},
}

// wanted tells whether ready tasks of a route belong to the lane.
func wanted(q task.FrontierQuery, autonomy task.Opt, mayExecute []string) bool {
	switch q.Lane {
	case task.LaneHoldable:
		return q.Policy.MayHold(q.Actor, autonomy, mayExecute) == nil
	case task.LanePassedOver:
		return q.Policy.MayHold(q.Actor, autonomy, mayExecute) != nil
	default:
		return q.Lane == task.LaneReady || q.Lane == task.LaneOpen
	}
}

// belongs tells whether a task, as it counts now, is on the lane: a lapsed lease changes that before it is swept.
func belongs(q task.FrontierQuery, t *task.Task) bool {
	at, ready := standing(t)
	switch {
	case ready:
		return wanted(q, t.Autonomy, t.MayExecute)
	default:
		return slices.Contains(places[q.Lane], at)
	}
}

// walk yields the tasks of the steps, as they count now.
func (r *Reader) walk(p *project, q task.FrontierQuery, m *merged, yield func(*task.Task) bool) error {
	for {
		s, err := r.step(p, q, m)
		if err != nil || s == nil || !yield(s.rec) {
			return err
		}
	}
}

// step gives the next step whose task, as it counts now, is on the lane: one that has lapsed and is not swept yet may
// stand on another. It is nil at the end.
func (r *Reader) step(p *project, q task.FrontierQuery, m *merged) (*step, error) {
	for {
		s, err := m.next()
		if err != nil || s == nil {
			return nil, err
		}
		if s.rec, err = r.counted(p, s.task, s.rec); err != nil || belongs(q, s.rec) {
			return s, err
		}
	}
}

// frontierUnder sorts what is ready below a task: it costs what is below, not what is beside.
func (r *Reader) frontierUnder(p *project, q task.FrontierQuery, order task.Order, yield func(*task.Task) bool) error {
	_, root, err := r.refOf(q.Under)
	if err != nil {
		return err
	}
	below, err := r.some(p, `WITH RECURSIVE below(id) AS (
			SELECT id FROM task WHERE parent=$1 UNION ALL SELECT c.id FROM below CROSS JOIN task c WHERE c.parent=below.id)
		SELECT `+rows.TaskColumnsT+` FROM below CROSS JOIN task t
		WHERE t.id=below.id AND t.status<>'done' AND t.status<>'cancelled'`, root)
	if err != nil {
		return err
	}
	lane := below[:0]
	for _, t := range below {
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
