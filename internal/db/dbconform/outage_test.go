package dbconform

import (
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// If a database fails in the middle of a turn, since a right was lost or the disk fails, that is an outage and not the
// caller's fault: the write is not declined.
func TestARightThatIsLostInATurnIsAnOutage(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		lose := `SET LOCAL ROLE pg_monitor`
		if d.lite {
			lose = `PRAGMA query_only = ON`
		}
		for name, write := range map[string]func(*db.Turn) error{
			"a statement": func(t *db.Turn) error { return t.Exec(1, `INSERT INTO item (id, name) VALUES (2, 'x')`) },
			"rows": func(t *db.Turn) error {
				return t.Bulk("item", []string{"id", "name"}, 1, func(int) []any { return []any{2, "x"} })
			},
			"the end of the turn": func(t *db.Turn) error { t.LastEvent++; return nil },
			"a query that changes": func(t *db.Turn) error {
				return t.Query(`DELETE FROM item RETURNING id`, nil, func(db.Row) error { return nil })
			},
		} {
			err := d.open().Write(ctx, true, then(func(t *db.Turn) error { return t.Exec(db.Any, lose) }, write))
			if !fault.Is(err, fault.Unavailable) {
				d.t.Errorf("%s returns %v", name, err)
			}
		}
		if got := p.items(); len(got) != 1 {
			d.t.Errorf("there are %v", got)
		}
		p.write(add(2))
	})
}
