package store

import (
	"tasker/internal/fault"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Search counts the documents of every kind that a query finds, and loads the candidates for the hits. A query that is
// the id of a task finds it.
func (tx *Tx) Search(a search.Ask) (search.Result, error) {
	out, err := tx.searchIndex(a)
	slug, _, ok := task.ParseID(a.Text)
	if err != nil || !ok || a.Project != "" && a.Project != slug {
		return out, err
	}
	t, err := tx.Task(task.ID(a.Text))
	if fault.Is(err, fault.NotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	_, key, err := tx.KeyOf(t.ID)
	addNamed(a, t, key, tx.Now(), &out)
	return out, err
}
