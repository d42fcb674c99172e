package frontier

import (
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Reading cards separately is an optimisation: it reads only the columns and the tasks that a board shows. Without it,
// "GET board" of make bench takes 47 % more processor time and allocates three times as much (PostgreSQL: 43 %, and
// twice as much); without inOneOrder it takes 18 % more and allocates 43 % more (12 % and 28 %). To remove it, walk
// each lane and make cards of its tasks with task.CardOf.

// Cards returns the cards of a project's board, by status in the order of task.Statuses. A lane that is stored in one
// order is read along it. For the others, it merges the keys first, which decides the tasks and their order, and then
// reads the tasks at once.
func (f *Frontier) Cards(p *Project, q query.Cards, order task.Order, lapsed []*task.Task) ([][]task.Card, error) {
	walk := query.Frontier{Project: q.Project, Policy: q.Policy, Actor: q.Actor, Limit: q.Limit}
	k, err := f.stored(p, order)
	if err != nil {
		return nil, err
	}
	cards := make([][]task.Card, len(task.Statuses))
	byRef := make(map[int64]*task.Card, 2*q.Limit)
	var held, others []int64
	for i, status := range task.Statuses {
		var steps []*step
		if cards[i], steps, err = f.column(p, walk, k, status, lapsed); err != nil {
			return nil, err
		}
		if cards[i] != nil {
			continue
		}
		cards[i] = make([]task.Card, len(steps))
		for j, s := range steps {
			if s.rec != nil {
				cards[i][j] = task.CardOf(s.rec)
				continue
			}
			cards[i][j].Status = status
			byRef[s.task] = &cards[i][j]
			if status == task.InProgress {
				held = append(held, s.task)
			} else {
				others = append(others, s.task)
			}
		}
	}
	if err := f.deal(p, rows.CardColumns, others, byRef, rows.ReadCard); err != nil {
		return nil, err
	}
	return cards, f.deal(p, rows.HeldCardColumns, held, byRef, rows.ReadHeldCard)
}

// column returns the cards of a status, if they can be read along one order, and otherwise its first steps.
func (f *Frontier) column(p *Project, q query.Frontier, k storedOrder, status task.Status, lapsed []*task.Task) ([]task.Card, []*step, error) {
	if status.Closed() {
		steps, err := f.newestClosed(p, status, q.Limit)
		return nil, steps, err
	}
	q.Lane = laneOf[status]
	if len(lapsed) == 0 {
		cards, err := f.inOneOrder(p, q, k, status)
		followed := status == task.Open && len(cards) < min(q.Limit, p.Rec.Tasks.Open) // by tasks that are not ready
		if err != nil || cards != nil && !followed {
			return cards, nil, err
		}
	}
	steps, err := f.keysOf(p, q, k, lapsed)
	if err != nil || status != task.Open || len(steps) >= q.Limit {
		return nil, steps, err
	}
	q.Lane, q.Limit = query.LaneNotReady, q.Limit-len(steps)
	behind, err := f.keysOf(p, q, k, lapsed)
	return nil, append(steps, behind...), err
}

// inOneOrder returns the cards of a lane that is stored in the caller's order: all its tasks are in one place, prefer
// nobody, and have not lapsed. It returns nil for any other lane.
func (f *Frontier) inOneOrder(p *Project, q query.Frontier, k storedOrder, status task.Status) ([]task.Card, error) {
	routes := p.routesOf(q)
	if len(routes) != 1 {
		return nil, nil
	}
	if some, err := f.prefers(p, k.id); err != nil || some {
		return nil, err
	}
	s, out := rows.Scanner{Slug: p.Rec.Slug, Limit: q.Limit}, make([]task.Card, 0, q.Limit)
	cols, scan := rows.CardColumns, rows.ReadCard
	if status == task.InProgress {
		cols, scan = rows.HeldCardColumns, rows.ReadHeldCard
	}
	err := f.c.Query(`SELECT `+cols+` FROM frontier f CROSS JOIN task t WHERE t.id=f.task AND f.policy=$1 AND f.route=$2
		ORDER BY f.k1, f.pref, f.k2, f.task LIMIT `+strconv.Itoa(q.Limit), []any{k.id, routes[0]}, func(row db.Row) error {
		out = append(out, task.Card{Status: status})
		return scan(&s, row, &out[len(out)-1])
	})
	return out, err
}

// laneOf is the lane that a column begins with; of open tasks, the ready ones come first.
var laneOf = map[task.Status]query.Lane{task.Open: query.LaneReady, task.InProgress: query.LaneInProgress, task.InReview: query.LaneInReview}

// newestClosed returns the tasks of a status that were closed last, newest first.
func (f *Frontier) newestClosed(p *Project, status task.Status, limit int) ([]*step, error) {
	return db.All(f.c, `SELECT id FROM task WHERE project=$1 AND status='`+string(status)+`' AND closed_at>0
		ORDER BY closed_at DESC, id DESC LIMIT `+strconv.Itoa(limit), []any{p.ID}, db.Read1(func(ref int64) *step { return &step{task: ref} }))
}

// deal reads tasks into their cards.
func (f *Frontier) deal(p *Project, cols string, refs []int64, cards map[int64]*task.Card, scan func(*rows.Scanner, db.Row, *task.Card) error) error {
	s := rows.Scanner{Slug: p.Rec.Slug, Limit: len(refs)}
	return db.EachIn(f.c, `SELECT `+cols+` FROM task WHERE id IN KEYS`, refs, func(row db.Row) error {
		return scan(&s, row, cards[rows.Ref(row)])
	})
}
