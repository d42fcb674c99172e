package linkdb

import (
	"cmp"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// The rows that do not belong to a system.
const (
	ownership = "ownership"
	loop      = "loop"
)

// detail reads one row of a project's links, and reports whether it exists.
func detail(tx *store.Tx, project, system string, into any) (found bool, err error) {
	p, err := tx.Find(project)
	if err != nil {
		return false, err
	}
	err = tx.C.Query(`SELECT detail FROM linked WHERE project=$1 AND system=$2`, []any{p.ID, system}, db.Scan1(func(text []byte) error {
		found = true
		return json.Unmarshal(text, into)
	}))
	return found, err
}

func saveDetail(tx *store.Tx, project, system string, v any) error {
	p, err := tx.Find(project)
	if err != nil {
		return err
	}
	text, err := encoded(v)
	if err != nil {
		return err
	}
	return tx.C.Exec(1, `INSERT INTO linked (project, system, detail) VALUES ($1,$2,$3)
		ON CONFLICT (project, system) DO UPDATE SET detail=excluded.detail`, p.ID, system, text)
}

// Ownership returns a project's decisions about who owns which field.
func Ownership(tx *store.Tx, project string) (out merge.Ownership, err error) {
	_, err = detail(tx, project, ownership, &out)
	return out, err
}

// SaveOwnership stores the ownership of a project.
func SaveOwnership(tx *store.Tx, project string, o merge.Ownership, ev ...task.Draft) error {
	if err := saveDetail(tx, project, ownership, o); err != nil {
		return err
	}
	return tx.Record(project, "", ev...)
}

// Health returns the state of a link of a project.
func Health(tx *store.Tx, project, system string) (out merge.Health, err error) {
	_, err = detail(tx, project, system, &out)
	return out, err
}

// SaveHealth stores the state of a link. A success has no event, because nothing has changed.
func SaveHealth(tx *store.Tx, project, system string, h merge.Health, ev ...task.Draft) error {
	for _, d := range ev {
		id, err := tx.Append(project, "", d)
		if err != nil {
			return err
		}
		h.Event = cmp.Or(h.Event, id)
	}
	return saveDetail(tx, project, system, h)
}

// Loop returns the background loop of a project, or nil if none ever ran.
func Loop(tx *store.Tx, project string) (*merge.Loop, error) {
	out := &merge.Loop{}
	found, err := detail(tx, project, loop, out)
	if !found {
		return nil, err
	}
	return out, err
}

// SaveLoop stores the background loop of a project. A lease is no record of the project, so it has no event.
func SaveLoop(tx *store.Tx, project string, l merge.Loop) error {
	return saveDetail(tx, project, loop, l)
}
