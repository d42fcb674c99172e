package frontier

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// storedOrder is an order that the project's frontier has rows for.
type storedOrder struct {
	id    int64
	order task.Order
}

// maxOrders is how many orders a project has rows for; a new one replaces the oldest.
const maxOrders = 4

// Route is what the tasks of one route declare about who may hold them.
type Route struct {
	ID         Place
	Autonomy   task.Opt
	MayExecute []string
}

// UnknownOrder is the error of a read in an order that the project's frontier has no rows for yet.
type UnknownOrder struct {
	Project string
	Order   task.Order
}

func (u *UnknownOrder) Error() string {
	return "the frontier of " + u.Project + " is not stored by " + u.Order.String()
}

// Know reads the stored orders and the routes of a project, once per transaction and in one round trip.
func (f *Frontier) Know(p *Project) error {
	if p.known {
		return nil
	}
	if err := cmp.Or(f.Ask(p), f.c.Flush()); err != nil {
		return err
	}
	p.Learned()
	return nil
}

// Learned notes that the rows queried by Ask have arrived.
func (p *Project) Learned() { p.known = true }

// Ask queries what Know reads, for callers that query more in the same round trip. They call Learned after the flush.
func (f *Frontier) Ask(p *Project) error {
	p.orders, p.routes = nil, map[string]Route{}
	err := f.c.Ask(`SELECT id, keys FROM policy WHERE project=$1 ORDER BY id`, []any{p.ID}, db.Scan2(func(id int64, keys string) error {
		order, err := parseOrder(keys)
		p.orders = append(p.orders, storedOrder{id, order})
		return err
	}))
	if err != nil {
		return err
	}
	return f.c.Ask(`SELECT id, autonomy, may_execute FROM route WHERE project=$1`, []any{p.ID}, db.Scan3(func(id int64, autonomy, mayExecute string) error {
		rt := Route{ID: id, Autonomy: task.Opt(autonomy)}
		if err := rows.DecodeJSON(mayExecute, &rt.MayExecute); err != nil {
			return err
		}
		p.routes[autonomy+" "+mayExecute] = rt
		return nil
	}))
}

func parseOrder(keys string) (task.Order, error) {
	list := []task.SelectKey{}
	if keys == "" {
		return task.NewOrder(list)
	}
	for k := range strings.SplitSeq(keys, ",") {
		list = append(list, task.SelectKey(k))
	}
	return task.NewOrder(list)
}

// Order returns the id of a stored order. If the order is new, a turn writes all of its rows first, and a snapshot
// returns an UnknownOrder.
func (f *Frontier) Order(p *Project, order task.Order) (int64, error) {
	if err := f.Know(p); err != nil {
		return 0, err
	}
	if id := p.orderID(order); id != 0 {
		return id, nil
	}
	if f.turn == nil {
		return 0, &UnknownOrder{p.Rec.Slug, order}
	}
	id, err := db.Value[int64](f.c, `SELECT COALESCE(MAX(id), 0) + 1 FROM policy`)
	if err != nil {
		return 0, err
	}
	before := p.orders
	f.turn.Undo(func() { p.orders = before })
	stored := slices.Clone(before)
	if len(stored) >= maxOrders {
		for _, sql := range []string{`DELETE FROM frontier WHERE policy=$1`, `DELETE FROM policy WHERE id=$1`} {
			db.Exec(f.c, db.Any, sql, stored[0].id)
		}
		stored = stored[1:]
	}
	k := storedOrder{id, order}
	p.orders = append(stored, k)
	db.Exec(f.c, 1, `INSERT INTO policy (id, project, keys) VALUES ($1,$2,$3)`, id, p.ID, order.String())
	return id, f.build(p, k)
}

// build writes the rows of a new order.
func (f *Frontier) build(p *Project, k storedOrder) error {
	if p.Rec.NextNumber == 1 {
		return nil
	}
	lo, hi := rows.KeyOf(p.ID, 0), rows.KeyOf(p.ID, rows.MaxNumber)
	var standing [][]any
	on, err := db.All(f.c, `SELECT `+rows.TaskColumns+` FROM task WHERE id BETWEEN $1 AND $2
		AND status<>'done' AND status<>'cancelled'`, []any{lo, hi}, rows.TaskOf(p.Rec.Slug, rows.ReadTask))
	if err != nil {
		return err
	}
	for _, t := range on {
		route, err := f.place(p, t)
		if err != nil {
			return err
		}
		standing = append(standing, frontierRow(k, route, p.key(t), t))
	}
	return f.c.Bulk("frontier", frontierCols, len(standing), func(i int) []any { return standing[i] })
}

var frontierCols = []string{"policy", "route", "k1", "pref", "k2", "task"}

func frontierRow(k storedOrder, route, ref int64, t *task.Task) []any {
	s := spotOf(k, route, t)
	return []any{k.id, route, s.k1, s.pref, s.k2, ref}
}

// key returns the key of a task of the project.
func (p *Project) key(t *task.Task) int64 { return rows.KeyIn(p.ID, t.ID) }

// Routes returns the routes of a project, which must be known, in a fixed order.
func (p *Project) Routes() []Route {
	out := make([]Route, 0, len(p.routes))
	for _, key := range sortedKeys(p.routes) {
		out = append(out, p.routes[key])
	}
	return out
}

// orderID returns the id of a stored order, or 0.
func (p *Project) orderID(order task.Order) int64 {
	for _, k := range p.orders {
		if k.order.Same(order) {
			return k.id
		}
	}
	return 0
}

// Delete removes the whole frontier of a project.
func (f *Frontier) Delete(project int64) {
	for _, sql := range []string{
		`DELETE FROM frontier WHERE policy IN (SELECT id FROM policy WHERE project=$1)`,
		`DELETE FROM policy WHERE project=$1`,
		`DELETE FROM route WHERE project=$1`,
	} {
		db.Exec(f.c, db.Any, sql, project)
	}
}

// routeKey returns the name of a task's route: what it declares, with lists sorted and without duplicates.
func routeKey(t *task.Task) (key, list string, may []string, err error) {
	may = slices.Clone(t.MayExecute)
	slices.Sort(may)
	may = slices.Compact(may)
	list, err = rows.EncodeList(may)
	return string(t.Autonomy) + " " + list, list, may, err
}

// RouteID returns the id of the route that the columns of a task's row declare, and adds the route if it is new. It is
// for migrations, which run outside of turns.
func RouteID(c db.Conn, project int64, autonomy, mayExecute string) (id int64, err error) {
	t := &task.Task{Autonomy: task.Opt(autonomy)}
	if err := rows.DecodeJSON(mayExecute, &t.MayExecute); err != nil {
		return 0, err
	}
	_, list, _, err := routeKey(t)
	if err != nil {
		return 0, err
	}
	id, err = db.Value[int64](c, `SELECT id FROM route WHERE project=$1 AND autonomy=$2 AND may_execute=$3`, project, autonomy, list)
	if err != nil || id != 0 {
		return id, err
	}
	if id, err = db.Value[int64](c, `SELECT COALESCE(MAX(id), 0) + 1 FROM route`); err != nil {
		return 0, err
	}
	return id, c.Exec(1, `INSERT INTO route (id, project, autonomy, may_execute) VALUES ($1,$2,$3,$4)`, id, project, autonomy, list)
}

// routeOf returns the id of a task's route, and adds the route if it is new.
func (f *Frontier) routeOf(p *Project, t *task.Task) (int64, error) {
	if err := f.Know(p); err != nil {
		return 0, err
	}
	key, list, may, err := routeKey(t)
	if err != nil {
		return 0, err
	}
	if rt, ok := p.routes[key]; ok {
		return rt.ID, nil
	}
	id, err := db.Value[int64](f.c, `SELECT COALESCE(MAX(id), 0) + 1 FROM route`)
	if err != nil {
		return 0, err
	}
	p.routes[key] = Route{id, t.Autonomy, may}
	f.turn.Undo(func() { delete(p.routes, key) })
	return id, f.c.Exec(1, `INSERT INTO route (id, project, autonomy, may_execute) VALUES ($1,$2,$3,$4)`, id, p.ID, string(t.Autonomy), list)
}
