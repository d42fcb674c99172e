package store

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Where an open task stands on the frontier's table: the routes of ready tasks count from 1.
const (
	nowhere    int64 = -9 // it is closed
	inReview   int64 = -4
	unheld     int64 = -3 // in progress, and nobody holds it
	waiting    int64 = -2 // for dependencies, or for its own live children
	questioned int64 = -1 // ready but for a blocking question
	held       int64 = 0
)

// keptOrder is an order that the project's frontier rows are kept in.
type keptOrder struct {
	id    int64
	order task.Order
}

// keptOrders is how many orders a project keeps rows for; the oldest makes room.
const keptOrders = 4

// route is what routing asks of an actor.
type route struct {
	id         int64
	autonomy   task.Opt
	mayExecute []string
}

// unknownOrder says that the frontier of a project is not kept in an order yet.
type unknownOrder struct {
	project string
	order   task.Order
}

func (u *unknownOrder) Error() string {
	return "the frontier of " + u.project + " is not kept by " + u.order.String()
}

// spot is one frontier row of a task under one order.
type spot struct {
	route  int64
	k1, k2 []byte
	pref   string
}

// level tells that two spots lie at the same height of their routes.
func (s spot) level(o spot) bool {
	return s.pref == o.pref && bytes.Equal(s.k1, o.k1) && bytes.Equal(s.k2, o.k2)
}

// know reads the orders that a project keeps and its routes, once a transaction and in one round trip.
func (r *Reader) know(p *project) error {
	if p.known {
		return nil
	}
	if err := cmp.Or(r.askKnown(p), r.c.Flush()); err != nil {
		return err
	}
	p.known = true
	return nil
}

// askKnown asks for what know reads; it is known after the next flush.
func (r *Reader) askKnown(p *project) error {
	p.policies, p.routes = nil, map[string]route{}
	err := r.c.Ask(`SELECT id, keys FROM policy WHERE project=$1 ORDER BY id`, []any{p.id}, func(row db.Row) error {
		order, err := parseOrder(row.Text(1))
		p.policies = append(p.policies, keptOrder{row.Int(0), order})
		return err
	})
	if err != nil {
		return err
	}
	return r.c.Ask(`SELECT id, autonomy, may_execute FROM route WHERE project=$1`, []any{p.id}, func(row db.Row) error {
		rt := route{id: row.Int(0), autonomy: task.Opt(row.Text(1))}
		if err := rows.DecodeJSON(row.Text(2), &rt.mayExecute); err != nil {
			return err
		}
		p.routes[row.Text(1)+" "+row.Text(2)] = rt
		return nil
	})
}

func parseOrder(keys string) (task.Order, error) {
	var list []task.SelectKey
	for k := range strings.SplitSeq(keys, ",") {
		list = append(list, task.SelectKey(k))
	}
	return task.NewOrder(list)
}

// policyOf finds the kept order, or builds it: every row of the project's frontier once.
func (w *Writer) policyOf(p *project, order task.Order) (int64, error) {
	if err := w.know(p); err != nil {
		return 0, err
	}
	for _, k := range p.policies {
		if k.order.Same(order) {
			return k.id, nil
		}
	}
	id, err := w.nextOf(`SELECT COALESCE(MAX(id), 0) + 1 FROM policy`)
	if err != nil {
		return 0, err
	}
	before := p.policies
	w.turn.Undo(func() { p.policies = before })
	kept := slices.Clone(before)
	if len(kept) >= keptOrders {
		for _, sql := range []string{`DELETE FROM frontier WHERE policy=$1`, `DELETE FROM policy WHERE id=$1`} {
			if err := w.c.Exec(db.Any, sql, kept[0].id); err != nil {
				return 0, err
			}
		}
		kept = kept[1:]
	}
	k := keptOrder{id, order}
	p.policies = append(kept, k)
	if err := w.c.Exec(1, `INSERT INTO policy (id, project, keys) VALUES ($1,$2,$3)`, id, p.id, order.String()); err != nil {
		return 0, err
	}
	return id, w.build(p, k)
}

// build writes the rows of a new order.
func (w *Writer) build(p *project, k keptOrder) error {
	if p.rec.NextNumber == 1 {
		return nil
	}
	lo, hi := p.span()
	var standing [][]any
	var on []*task.Task
	s := rows.Scanner{Slug: p.rec.Slug}
	err := w.c.Query(`SELECT `+rows.TaskColumns+` FROM task WHERE id BETWEEN $1 AND $2
		AND status<>'done' AND status<>'cancelled'`, []any{lo, hi}, func(row db.Row) error {
		t, err := s.Whole(row)
		on = append(on, t)
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range on {
		route, err := w.place(p, t)
		if err != nil {
			return err
		}
		standing = append(standing, frontierRow(k, route, p.refOf(t), t))
	}
	return w.c.Bulk("frontier", frontierCols, len(standing), func(i int) []any { return standing[i] })
}

var frontierCols = []string{"policy", "route", "k1", "pref", "k2", "task"}

func frontierRow(k keptOrder, route, ref int64, t *task.Task) []any {
	k1, k2 := k.order.SortKey(t)
	return []any{k.id, route, k1, string(t.PreferredActor), k2, ref}
}

func (p *project) refOf(t *task.Task) int64 {
	_, n, _ := task.ParseID(string(t.ID))
	return p.ref(n)
}

// place is where a task belongs on the frontier's table, as its row is now.
func (w *Writer) place(p *project, t *task.Task) (int64, error) {
	at, ready := standing(t)
	if !ready {
		return at, nil
	}
	return w.routeOf(p, t)
}

// standing is where a task stands as far as its row alone says; a ready one goes to its route.
func standing(t *task.Task) (at int64, ready bool) {
	switch {
	case t.Status.Closed():
		return nowhere, false
	case t.Claim != nil:
		return held, false
	case t.Status == task.InReview:
		return inReview, false
	case t.Status == task.InProgress:
		return unheld, false
	case t.OpenDeps > 0 || t.LiveChildren > 0:
		return waiting, false
	case t.Questions > 0:
		return questioned, false
	default:
		return 0, true
	}
}

// routeKey names a route: what a task declares, lists in order and without repetition.
func routeKey(t *task.Task) (key, list string, may []string, err error) {
	may = slices.Clone(t.MayExecute)
	slices.Sort(may)
	may = slices.Compact(may)
	list, err = rows.EncodeList(may)
	return string(t.Autonomy) + " " + list, list, may, err
}

// routeOf interns what a task declares for routing.
func (w *Writer) routeOf(p *project, t *task.Task) (int64, error) {
	if err := w.know(p); err != nil {
		return 0, err
	}
	key, list, may, err := routeKey(t)
	if err != nil {
		return 0, err
	}
	if rt, ok := p.routes[key]; ok {
		return rt.id, nil
	}
	id, err := w.nextOf(`SELECT COALESCE(MAX(id), 0) + 1 FROM route`)
	if err != nil {
		return 0, err
	}
	p.routes[key] = route{id, t.Autonomy, may}
	w.turn.Undo(func() { delete(p.routes, key) })
	return id, w.c.Exec(1, `INSERT INTO route (id, project, autonomy, may_execute) VALUES ($1,$2,$3,$4)`, id, p.id, string(t.Autonomy), list)
}

// relocate moves a task's frontier rows from where before puts it to where after does. before must be what the
// rows were written from: a row that is not found there is a fault of ours, and fails the write.
func (w *Writer) relocate(p *project, before, after *task.Task) error {
	from := nowhere
	if before != nil {
		var err error
		if from, err = w.place(p, before); err != nil {
			return err
		}
	}
	to, err := w.place(p, after)
	if err != nil {
		return err
	}
	w.tally(p, from, to, before, after)
	if from == nowhere && to == nowhere {
		return nil
	}
	if err := w.know(p); err != nil {
		return err
	}
	id := p.refOf(after)
	w.keepCourse(id, to)
	for _, k := range p.policies {
		var old, now spot
		if from != nowhere {
			old = spotOf(k, from, before)
		}
		if to != nowhere {
			now = spotOf(k, to, after)
		}
		level := old.level(now)
		if from == to && level {
			continue
		}
		switch {
		case to == nowhere:
			err = w.c.Exec(1, `DELETE FROM frontier WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id)
		case from == nowhere:
			err = w.c.Exec(1, `INSERT INTO frontier (policy, route, k1, pref, k2, task) VALUES ($1,$2,$3,$4,$5,$6)`,
				k.id, now.route, now.k1, now.pref, now.k2, id)
		case level:
			err = w.c.Exec(1, `UPDATE frontier SET route=$7
				WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id, now.route)
		default:
			err = w.c.Exec(1, `UPDATE frontier SET route=$7, k1=$8, pref=$9, k2=$10
				WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id, now.route, now.k1, now.pref, now.k2)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tally keeps the project's counts of ready, held and blocked tasks.
func (w *Writer) tally(p *project, from, to int64, before, after *task.Task) {
	if from != to {
		w.count(p, tallyRoute, from, -one(from > 0 || from == questioned))
		w.count(p, tallyRoute, to, one(to > 0 || to == questioned))
	}
	ready, holds := one(to > 0)-one(from > 0), one(to == held)-one(from == held)
	blocked := one(waits(after)) - one(before != nil && waits(before))
	if ready == 0 && holds == 0 && blocked == 0 {
		return
	}
	w.touch(p)
	p.rec.Ready += ready
	p.rec.Held += holds
	p.rec.Blocked += blocked
}

func waits(t *task.Task) bool { return !t.Status.Closed() && t.OpenDeps > 0 }

func spotOf(k keptOrder, route int64, t *task.Task) spot {
	k1, k2 := k.order.SortKey(t)
	return spot{route: route, k1: k1, k2: k2, pref: string(t.PreferredActor)}
}
