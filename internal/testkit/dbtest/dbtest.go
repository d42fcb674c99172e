// Package dbtest gives each test a database of its own: a fresh SQLite file, or a fresh database or schema in PostgreSQL.
//
// It uses the PostgreSQL server that TASKER_TEST_POSTGRES names (`make test` starts one and sets the variable), or else a
// private server that this package starts once per test binary. On a machine without PostgreSQL the test fails: otherwise
// half of the promises would silently go untested.
package dbtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/testkit/dbtest/pgserver"
)

// Each runs fn as the subtests "sqlite" and "postgres", each with a fresh database without records. The argument db is a
// value for TASKER_DB: a path or a postgres:// URL.
func Each(t *testing.T, fn func(t *testing.T, db string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, Postgres(t)) })
}

// EachEmpty is Each with databases that have no tables either.
func EachEmpty(t *testing.T, fn func(t *testing.T, db string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, Empty(t)) })
}

// SQLite returns the path of a database file that does not exist yet, in a directory of the test.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "tasker.db")
}

// Postgres returns the URL of a database without records that only this test uses: one from the pool, whose databases are
// copies of the server's template and already have the tables. If the server has no template it is an empty schema,
// dropped at the end of the test.
func Postgres(tb testing.TB) string {
	tb.Helper()
	base := serverURL(tb)
	if there, err := templated(); err != nil {
		tb.Fatal(err)
	} else if !there {
		return Empty(tb)
	}
	return pooled(tb, base)
}

// Pair starts two PostgreSQL servers of the test's own, a primary with an empty database and a standby that streams from it,
// and returns them. A test may stop either; Exec with "SELECT pg_promote()" promotes the standby.
func Pair(tb testing.TB) (primary, standby *pgserver.Server) {
	tb.Helper()
	begin := func(start func() (*pgserver.Server, error)) *pgserver.Server {
		tb.Helper()
		s, err := start()
		if err != nil {
			tb.Fatalf("this test needs PostgreSQL with a standby: %v", err)
		}
		tb.Cleanup(func() { _ = s.Stop() }) // the test may have stopped it
		return s
	}
	primary = begin(pgserver.Start)
	return primary, begin(primary.Standby)
}

// newIdentity gives a database of the pool a number that no other database has or had, so that a server that an earlier
// test left running notices that this is not its database.
const newIdentity = `UPDATE turn SET instance = 1 + ('x' || substr(md5(random()::text || clock_timestamp()::text), 1, 15))::bit(60)::bigint`

// untilNobodyIsThere ends the connections to a database. It fails if a transaction in it does not end: a killed process
// leaves one open for a moment.
const untilNobodyIsThere = `DO $$ DECLARE open int; there int; BEGIN
	FOR i IN 1..2000 LOOP
		PERFORM pg_stat_clear_snapshot();
		SELECT count(*) FILTER (WHERE xact_start IS NOT NULL AND backend_type = 'client backend'), count(*) INTO open, there
			FROM pg_stat_activity WHERE datname = '%[1]s';
		IF there = 0 THEN
			RETURN;
		END IF;
		IF open = 0 THEN
			PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%[1]s';
		END IF;
		PERFORM pg_sleep(0.01);
	END LOOP;
	RAISE EXCEPTION 'a transaction is open';
END $$`

// Empty returns the URL of a fresh, empty schema, which is the search_path of every connection made with it. The schema
// is dropped at the end of the test: connections to it must be closed by then.
func Empty(tb testing.TB) string {
	tb.Helper()
	base := serverURL(tb)
	schema := fresh()
	if err := exec(base, "CREATE SCHEMA "+schema); err != nil {
		tb.Fatalf("making a schema for the test: %v", err)
	}
	tb.Cleanup(func() {
		if err := exec(base, "SET lock_timeout = '20s'", "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			tb.Errorf("dropping the test's schema (is a connection of the test still in a transaction?): %v", err)
		}
	})
	with, err := withSearchPath(base, schema)
	if err != nil {
		tb.Fatal(err)
	}
	return with
}

// fresh returns an unused name.
func fresh() string { return "t_" + strings.ToLower(rand.Text()[:16]) }

func serverURL(tb testing.TB) string {
	tb.Helper()
	s, err := server()
	if err != nil {
		tb.Fatalf("this test needs PostgreSQL: %v", err)
	}
	return s.URL
}

// templated reports whether the server has a database to copy.
var templated = sync.OnceValues(func() (there bool, err error) {
	s, err := server()
	if err != nil {
		return false, err
	}
	err = connected(s.URL, func(ctx context.Context, c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", pgserver.Template).Scan(&there)
	})
	return there, err
})

func withSearchPath(base, schema string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("%s is not a URL: %w", pgserver.EnvURL, err)
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// server finds or starts, once, the server whose database holds the schemas. The value is kept, because a private server
// ends with it.
var server = sync.OnceValues(func() (*pgserver.Server, error) {
	s := &pgserver.Server{URL: os.Getenv(pgserver.EnvURL)}
	if s.URL == "" {
		var err error
		if s, err = pgserver.Start(); err != nil {
			return nil, err
		}
	}
	return s, checkCollation(s.URL)
})

// checkCollation refuses a database that sorts text by its bytes: there, a query that forgets to ask for byte order
// passes every test and fails for users.
func checkCollation(base string) error {
	return connected(base, func(ctx context.Context, c *pgx.Conn) error {
		var languages bool
		if err := c.QueryRow(ctx, "SELECT 'a' < 'B'").Scan(&languages); err != nil {
			return err
		}
		if !languages {
			return fmt.Errorf("the database of %s sorts text by bytes, and the tests need another collation: "+
				"make one with CREATE DATABASE … TEMPLATE template0 LOCALE 'en_US.UTF-8', or unset the variable", pgserver.EnvURL)
		}
		return nil
	})
}

func exec(base string, statements ...string) error {
	return connected(base, func(ctx context.Context, c *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := c.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// connected does not take the test's context: cleanups use it too, and they run after that context is cancelled.
func connected(base string, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, base)
	if err != nil {
		return fmt.Errorf("connecting to the PostgreSQL of the tests: %w", err)
	}
	defer c.Close(ctx)
	return fn(ctx, c)
}

// Exec changes a PostgreSQL database behind the back of its users.
func Exec(tb testing.TB, db string, statements ...string) {
	tb.Helper()
	if err := exec(db, statements...); err != nil {
		tb.Fatal(err)
	}
}
