package textindex

import (
	"slices"
	"strings"
	"sync"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Introduce adds an actor's name to the index the first time it writes to a project; event is the event of that write,
// and since is when the project was created.
func (w Writer) Introduce(project int64, since task.Time, name string, event int64) error {
	if name == "" {
		return nil
	}
	key := acting{project, since, name}
	if w.state.acted[key] || w.actors.has(key) {
		return nil
	}
	known, err := db.Value[int64](w.turn, `SELECT id FROM actor WHERE project=$1 AND name=$2`, project, name)
	if err != nil {
		return err
	}
	if known != 0 {
		if known <= w.began { // committed before this turn, so no rollback removes it
			w.actors.add(key)
		}
		return nil
	}
	if w.state.acted == nil {
		w.state.acted = map[acting]bool{}
	}
	w.state.acted[key] = true
	w.turn.Undo(func() { delete(w.state.acted, key) })
	db.Exec(w.turn, 1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, event, project, name, w.turn.Now)
	w.add(db.Doc{ID: doc(project, search.Actor, event), Words: search.Words(name, "")})
	return nil
}

// acting is an actor in a project; since distinguishes the project from an earlier one with the same id.
type acting struct {
	project int64
	since   task.Time
	name    string
}

// Actors caches which actors are in the index, for all turns of a process. It saves a statement for every write that is
// not a claim ("transitions" of make bench).
type Actors struct {
	mu    sync.Mutex
	known map[acting]bool
}

// maxActors limits the cache.
const maxActors = 4096

func (a *Actors) has(key acting) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[key]
}

// Forget empties the cache.
func (a *Actors) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = nil
}

func (a *Actors) add(key acting) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= maxActors {
		a.known = map[acting]bool{}
	}
	a.known[key] = true
}

// introduce adds every actor that has written to a project to the index, from its events.
func introduce(c db.Conn, project int64) error {
	found, err := introduced(c, project)
	for _, a := range found {
		db.Exec(c, 1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, a.id, project, a.name, int64(a.at))
	}
	return err
}

// firstAct is an actor's first event in a project.
type firstAct struct {
	id   int64
	name string
	at   task.Time
}

// introduced returns the first event, other than a claim, of every actor that has written to a project.
func introduced(c db.Conn, project int64) ([]firstAct, error) {
	all, err := db.All(c, `SELECT MIN(id), actor, MIN(at) FROM event WHERE project=$1 AND kind NOT IN ('task.claimed','claim.renewed','claim.expired')
		GROUP BY actor ORDER BY MIN(id)`, []any{project}, db.Read3(func(event int64, actor string, moment int64) firstAct {
		name, _, _ := strings.Cut(actor, "/")
		return firstAct{event, name, task.Time(moment)}
	}))
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(a firstAct) bool {
		again := known[a.name]
		known[a.name] = true
		return again
	}), err
}
