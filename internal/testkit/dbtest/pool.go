package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/testkit/dbtest/pgserver"
)

// Databases are reused: creating one costs thirty times as much as deleting the rows that a test left, and dropping it
// costs as much again. The pool is a table on the server, because the test binaries of a run share the server.

// uses is how many tests a database serves. The rows they deleted slow each further test down a little.
const uses = 40

const makePool = `CREATE TABLE IF NOT EXISTS pooled (name text PRIMARY KEY, busy bool NOT NULL, uses int NOT NULL)`

// pooled returns the URL of a database without records, and returns the database to the pool at the end of the test.
func pooled(tb testing.TB, base string) string {
	tb.Helper()
	name, err := taken(base)
	if err != nil {
		tb.Fatalf("making a database for the test: %v", err)
	}
	db, err := named(base, name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := giveBack(base, db, name); err != nil {
			tb.Errorf("cleaning the test's database (is a connection of the test still in a transaction?): %v", err)
		}
	})
	return db
}

// taken returns the name of a database of the pool that nobody else is using, and creates one if there is none.
func taken(base string) (name string, err error) {
	if err := poolMade(base); err != nil {
		return "", err
	}
	err = managed(base, func(ctx context.Context, c *pgx.Conn) error {
		err := c.QueryRow(ctx, `UPDATE pooled SET busy = true, uses = uses + 1
			WHERE name = (SELECT name FROM pooled WHERE NOT busy ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name`).Scan(&name)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		name = fresh()
		if _, err := c.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+pgserver.Template+copied(c)); err != nil {
			return err
		}
		if _, err = c.Exec(ctx, "INSERT INTO pooled VALUES ($1, true, 1)", name); err != nil {
			return err
		}
		db, err := named(base, name)
		if err != nil {
			return err
		}
		return exec(db, newIdentity)
	})
	return name, err
}

// copied makes the server copy the template's files, which costs a third of writing each of their pages to its log. Before
// version 15 it did nothing else, and had no word for it.
func copied(c *pgx.Conn) string {
	major, _, _ := strings.Cut(c.PgConn().ParameterStatus("server_version"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 15 {
		return ""
	}
	return " STRATEGY file_copy"
}

// managed is connected to the database that has the pool. It reuses a connection that worked: opening one costs the
// server more than the statements sent over it.
func managed(base string, fn func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var c *pgx.Conn
	select {
	case c = <-idle:
	default:
		var err error
		if c, err = pgx.Connect(ctx, base); err != nil {
			return fmt.Errorf("connecting to the PostgreSQL of the tests: %w", err)
		}
	}
	err := fn(ctx, c)
	if err == nil {
		select {
		case idle <- c:
			return nil
		default:
		}
	}
	_ = c.Close(ctx)
	return err
}

// idle holds connections that nobody is using.
var idle = make(chan *pgx.Conn, 4)

// poolMade creates the table once. Test binaries that start at the same moment may both try: the second finds it there.
func poolMade(base string) error {
	poolOnce.Do(func() {
		if poolErr = exec(base, makePool); poolErr != nil {
			poolErr = exec(base, makePool)
		}
	})
	return poolErr
}

var (
	poolOnce sync.Once
	poolErr  error
)

// giveBack ends the remaining connections to the database, removes the rows of the test, and makes it available to the
// next test. A database that cannot be restored is dropped.
func giveBack(base, db, name string) error {
	var left int
	err := managed(base, func(ctx context.Context, c *pgx.Conn) error {
		if _, err := c.Exec(ctx, fmt.Sprintf(untilNobodyIsThere, name)); err != nil {
			return err
		}
		return c.QueryRow(ctx, "SELECT $2 - uses FROM pooled WHERE name = $1", name, uses).Scan(&left)
	})
	if err != nil {
		return errors.Join(err, drop(base, name))
	}
	if left > 0 && exec(db, pgserver.Reset, newIdentity) == nil {
		return managed(base, func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "UPDATE pooled SET busy = false WHERE name = $1", name)
			return err
		})
	}
	return drop(base, name)
}

func drop(base, name string) error {
	return exec(base, "DELETE FROM pooled WHERE name = '"+name+"'", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
}

// named returns the URL of another database of the server.
func named(base, name string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("%s is not a URL: %w", pgserver.EnvURL, err)
	}
	u.Path = "/" + name
	return u.String(), nil
}
