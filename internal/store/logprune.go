package store

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// LogStart returns where the log begins, from the event of the last pruning, even if the caller may not see everything.
// That event is never pruned, because it is the newest of its kind.
func (tx *Tx) LogStart() (query.LogStart, error) {
	start := query.LogStart{First: 1}
	pruned, err := tx.lastOf(task.EventsPruned)
	if err != nil || pruned == nil {
		return start, err
	}
	var from struct {
		First int64     `json:"firstEvent"`
		Until task.Time `json:"until"`
	}
	err = json.Unmarshal(pruned.Payload, &from)
	return query.LogStart{First: from.First, Until: from.Until}, err
}

// neededEvents are the kinds of events that records refer to for good: overrides, which people see until they put them away;
// disagreements and failures of links; and plans, which tell a later plan what it may cancel.
var neededEvents = []task.Kind{task.OverrideForced, task.ConflictFound, task.SyncFailed, task.PlanApplied}

// storedEvent is an event as pruning sees it.
type storedEvent struct {
	ID, Project int64
	Kind        task.Kind
}

// unneeded looks at up to limit stored events in a range. It returns the events that no record needs, and where to continue,
// or 0 at the end. It keeps the events of open tasks, except renewals; the newest of each kind of every task and
// project; each actor's newest event, and the one that introduced the actor; and the kinds that are needed for good.
func (tx *Tx) unneeded(from, before int64, limit int) (out []storedEvent, next int64, err error) {
	ids, err := db.Values[int64](tx.C, `SELECT id FROM event WHERE id>=$1 AND id<$2 ORDER BY id LIMIT `+strconv.Itoa(limit), from, before)
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	last := ids[len(ids)-1]
	if len(ids) == limit {
		next = last + 1
	}
	// The query compares the kind of a later event as an expression, so that no engine searches a whole project by
	// kind.
	out, err = db.All(tx.C, `SELECT e.id, e.project, e.kind FROM event e WHERE e.id>=$1 AND e.id<=$2
		AND e.kind NOT IN `+rows.Kinds(neededEvents)+`
		AND NOT EXISTS (SELECT 1 FROM actor a WHERE a.id=e.id)
		AND (e.task=0 OR e.kind='claim.renewed' OR NOT EXISTS (SELECT 1 FROM task t WHERE t.id=e.task AND t.status NOT IN ('done','cancelled')))
		AND EXISTS (SELECT 1 FROM event y WHERE y.project=e.project AND y.actor=e.actor AND y.id>e.id)
		AND ((e.task<>0 AND EXISTS (SELECT 1 FROM event x WHERE x.task=e.task AND x.id>e.id AND x.kind||''=e.kind))
			OR (e.task=0 AND EXISTS (SELECT 1 FROM event x WHERE x.project=e.project AND x.kind=e.kind AND x.id>e.id AND x.task=0)))
		ORDER BY e.id`, []any{from, last}, db.Read3(func(id, project int64, kind string) storedEvent { return storedEvent{id, project, task.Kind(kind)} }))
	return out, next, err
}

// Unneeded looks at up to limit stored events in a range. It returns how many of them no record needs, and where to
// continue, or 0 at the end.
func (tx *Tx) Unneeded(from, before int64, limit int) (n int, next int64, err error) {
	found, next, err := tx.unneeded(from, before, limit)
	return len(found), next, err
}

// Prune removes the events that Unneeded counts, and their entries in the text index.
func (tx *Tx) Prune(from, before int64, limit int) (n int, next int64, err error) {
	found, next, err := tx.unneeded(from, before, limit)
	if err != nil {
		return 0, 0, err
	}
	ids := make([]int64, len(found))
	for i, ev := range found {
		ids[i] = ev.ID
		tx.unindexEvent(ev.Project, ev.ID, ev.Kind)
	}
	return len(found), next, db.Batches(ids, func(run []any) error {
		tx.removesEvents()
		return tx.C.Exec(db.Any, `DELETE FROM event WHERE id IN `+db.In(1, len(run)), run...)
	})
}

// removesEvents leaves word that events are removed: a process that remembers one of them still recognizes the log.
func (tx *Tx) removesEvents() {
	tx.Exec(1, `UPDATE turn SET removed=$1 WHERE id=1`, tx.LastEvent())
}
