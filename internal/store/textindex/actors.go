package textindex

import (
	"strings"
	"sync"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Introduce adds an actor's name to the index the first time that it writes to a project; event is the event of that
// write, and since is when the project was created.
func (w Writer) Introduce(project int64, since task.Time, name string, event int64) error {
	if name == "" {
		return nil
	}
	key := acting{project, since, name}
	if w.state.acted[key] || w.actors.has(key) {
		return nil
	}
	known := int64(0)
	if err := w.turn.Query(`SELECT id FROM actor WHERE project=$1 AND name=$2`, []any{project, name},
		db.Scan1(func(id int64) error { known = id; return nil })); err != nil {
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
	if err := w.turn.Exec(1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, event, project, name, w.turn.Now); err != nil {
		return err
	}
	return w.add(db.Doc{ID: doc(project, search.Actor, event), Words: search.Words(name, "")})
}

// acting is an actor in a project; since tells the project from an earlier one with the same id.
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

// introduce adds everybody who has written to a project to the index, from its events.
func introduce(c db.Conn, project int64) error {
	found, err := introduced(c, project)
	if err != nil {
		return err
	}
	for _, a := range found {
		if err := c.Exec(1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, a.id, project, a.name, int64(a.at)); err != nil {
			return err
		}
	}
	return nil
}

// firstAct is an actor's first event in a project.
type firstAct struct {
	id   int64
	name string
	at   task.Time
}

// introduced returns the first event, other than a claim, of everybody who has written to a project.
func introduced(c db.Conn, project int64) ([]firstAct, error) {
	var out []firstAct
	at := map[string]int{}
	err := c.Query(`SELECT MIN(id), actor, MIN(at) FROM event WHERE project=$1 AND kind NOT IN ('task.claimed','claim.renewed','claim.expired')
		GROUP BY actor ORDER BY MIN(id)`, []any{project}, db.Scan3(func(event int64, actor string, moment int64) error {
		name, _, _ := strings.Cut(actor, "/")
		if _, known := at[name]; !known {
			at[name] = len(out)
			out = append(out, firstAct{event, name, task.Time(moment)})
		}
		return nil
	}))
	return out, err
}
