package dbconform

import (
	"context"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// If a database fails in the middle of a turn, because a permission was lost or the disk fails, that is an outage and not
// the caller's fault: the write is not declined.
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
			"the end of the turn": func(t *db.Turn) error { t.Record(); return nil },
			"a query that changes": func(t *db.Turn) error {
				return t.Query(`DELETE FROM item RETURNING id`, nil, func(db.Row) error { return nil })
			},
		} {
			err := d.open().Write(ctx, db.Request{Alone: true}, then(func(t *db.Turn) error { return t.Exec(db.Any, lose) }, write))
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

// meets is an engine on which a turn, once breaks is set, runs into unknown damage.
type meets struct {
	db.Engine
	breaks bool
	found  error
}

func (m *meets) Begin(ctx context.Context, a db.Asking) (db.Tx, error) {
	if m.breaks {
		m.found = fault.Unready("a page is damaged")
		return nil, m.found
	}
	return m.Engine.Begin(ctx, a)
}

func (m *meets) Damage() error { return m.found }

// Readiness names damage first, even if its own test write was the first to find it.
func TestReadinessTellsOfDamageThatItsOwnWriteMeets(t *testing.T) {
	each(t, func(d *database) {
		e := &meets{Engine: d.engine(db.Setup{})}
		p := db.New(e, db.Hooks{})
		defer func() { _ = p.Close() }()
		if err := p.Write(ctx, db.Request{Alone: true}, add(1)); err != nil {
			d.t.Fatal(err)
		}
		if got := p.Ready(ctx); len(got) != 0 {
			d.t.Errorf("a whole database has %v", got)
		}
		e.breaks = true
		if got := p.Ready(ctx); len(got) == 0 || got[0].About != "the database is damaged" {
			d.t.Errorf("readiness reports %v", got)
		}
	})
}
