package inboxdb

import (
	"strings"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// maxLine is how many characters are shown of why a runner stopped.
const maxLine = 300

// runners finds the runners that stopped by themselves, until one of the same name works on that host. Of those that stopped
// there for the same reason only the first is found: one cause, one item.
func runners(tx *store.Tx, p *store.Project, q waiting.Query, only int64) ([]waiting.Waiting, error) {
	return source{
		`r.task`, `r.event`, `, r.actor, r.host, r.why, r.tasks FROM runner r WHERE r.project=$1 AND r.event>0 AND NOT EXISTS (SELECT 1 FROM runner o
			WHERE o.project=r.project AND o.event>0 AND o.event<r.event AND o.name=r.name AND o.host=r.host AND o.why=r.why)`,
		func(w *waiting.Waiting, row db.Row) {
			tasks := words.Each(strings.Fields(row.Text(5)), func(number string) string { return p.Rec.Slug + "-" + number })
			w.Why = waiting.RunnerStopped(row.Text(2), row.Text(3), words.Cut(row.Text(4), maxLine), tasks)
		},
	}.find(tx, p, q, only)
}

// Dismiss stores that a human has seen that a runner stopped by itself, and so did others there for the same reason.
func Dismiss(tx *store.Tx, of waiting.Waiting) error {
	p, _, err := tx.KeyOf(of.Task)
	if err != nil {
		return err
	}
	like, err := db.First(tx.C, `SELECT name, host, why FROM runner WHERE project=$1 AND event=$2`, []any{p.ID, of.Event}, func(row db.Row) ([]any, error) {
		return []any{row.Text(0), row.Text(1), row.Text(2)}, nil
	})
	if err != nil || like == nil {
		return err
	}
	return tx.C.Exec(db.Any, `UPDATE runner SET task=0, event=0 WHERE project=$1 AND name=$2 AND host=$3 AND why=$4 AND event>0`, append([]any{p.ID}, *like...)...)
}
