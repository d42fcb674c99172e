package postgres

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// met records a server error that indicates damage. One that names a missing object requests an inspection of the schema: a
// table may be gone, or all of them, which is reported differently.
func (e *Engine) met(pg *pgconn.PgError) {
	switch pg.Code {
	case dataCorrupted, indexCorrupted:
		e.damage.Add(pg)
	case undefinedTable:
		e.damage.Suspect()
	}
}

// Damage returns what was found broken or missing, until an inspection finds nothing.
func (e *Engine) Damage() error {
	if found := e.damage.Found(); found != nil {
		return e.damaged().WithCause(found)
	}
	return nil
}

func (e *Engine) damaged() *fault.Error {
	return fault.Unready("%s is damaged: what was there is gone or cannot be read", e.place()).
		WithHint("check the server's log, and restore what it names from a backup; a missing index can be created again")
}

// Examine inspects the database once.
func (e *Engine) Examine(ctx context.Context) error {
	e.damage.Look(ctx, e.inspect)
	return e.Damage()
}

// Inspect inspects the database again and again. It works for a twentieth of its time.
func (e *Engine) Inspect(ctx context.Context) {
	ended := make(chan struct{})
	e.world.Start.Go(func() {
		defer close(ended)
		e.use(ctx)
	})
	e.damage.Watch(ctx, e.world, e.inspect)
	<-ended
}

// inspect checks, on a separate connection, that every table and index is there and every page of the tables can be read,
// and reports whether it saw everything and found it intact.
func (e *Engine) inspect(ctx context.Context) bool {
	s, err := e.connect(ctx)
	if err != nil {
		return false
	}
	defer s.close()
	whole, err := e.shape(ctx, s)
	if err != nil || !whole {
		return false
	}
	for _, table := range e.expected().tables {
		if !e.readable(ctx, s, table) {
			return false
		}
	}
	return true
}

// shape checks that every table and index is there. It leaves it to others to report a schema that is not this binary's, or
// that is missing.
func (e *Engine) shape(ctx context.Context, s *session) (whole bool, err error) {
	ours, _, err := s.tables(ctx)
	if err != nil || !ours {
		return false, err
	}
	version, err := s.value(ctx, `SELECT schema_version FROM turn WHERE id = 1`)
	if err != nil || version != strconv.Itoa(e.Latest()) {
		return false, err
	}
	have, err := s.value(ctx, `SELECT coalesce(string_agg(c.relname, ','), '') FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
		WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p', 'i', 'I') AND coalesce(i.indisvalid, true)`)
	if err != nil {
		return false, err
	}
	there, want := strings.Split(have, ","), e.expected()
	gone := slices.DeleteFunc(slices.Concat(want.tables, want.indexes), func(name string) bool { return slices.Contains(there, name) })
	if len(gone) > 0 {
		e.damage.Add(fmt.Errorf("missing: %s", strings.Join(gone, ", ")))
	}
	return len(gone) == 0, nil
}

// inspectPages is how many pages of a table are read at once: 8 MB.
const inspectPages = 1000

// readable reads a table piece by piece, including long values, and reports whether all of it could be read.
func (e *Engine) readable(ctx context.Context, s *session, table string) bool {
	for from := 0; ; from += inspectPages {
		began := e.world.Clock.Now()
		_, err := s.value(ctx, fmt.Sprintf(`SELECT coalesce(sum(octet_length(t::text)), 0) FROM %s t WHERE t.ctid >= '(%d,0)' AND t.ctid < '(%d,0)'`,
			table, from, from+inspectPages))
		if err != nil {
			_ = e.explain(err) // records the damage
			return false
		}
		size, err := s.value(ctx, `SELECT pg_relation_size('`+table+`'::regclass)/current_setting('block_size')::bigint`)
		if pages, bad := strconv.ParseInt(size, 10, 64); err != nil || bad != nil || pages <= int64(from+inspectPages) {
			return err == nil && bad == nil
		}
		if e.world.Waiting.Sleep(ctx, db.InspectShare*e.world.Clock.Now().Sub(began)) != nil {
			return false
		}
	}
}

// objects are the tables and indexes of a schema, by name.
type objects struct{ tables, indexes []string }

// expected returns the objects that the migrations create.
func (e *Engine) expected() objects {
	made := regexp.MustCompile(`(?is)^(CREATE|DROP)\s+(?:UNIQUE\s+)?(TABLE|INDEX)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(\w+)`)
	tables, indexes := map[string]bool{}, map[string]bool{}
	for _, m := range e.setup.Migrations {
		for _, sql := range m.Statements(db.Postgres) {
			part := made.FindStringSubmatch(sql)
			if part == nil {
				continue
			}
			set := tables
			if strings.EqualFold(part[2], "INDEX") {
				set = indexes
			}
			if name := strings.ToLower(part[3]); strings.EqualFold(part[1], "CREATE") {
				set[name] = true
			} else {
				delete(set, name)
			}
		}
	}
	return objects{slices.Sorted(maps.Keys(tables)), slices.Sorted(maps.Keys(indexes))}
}
