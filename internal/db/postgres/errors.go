package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Classes and codes of the server's errors that we handle.
const (
	undefinedTable = "42P01"
	dataCorrupted  = "XX001"
	indexCorrupted = "XX002"
	cachedPlan     = "0A000" // a prepared statement that a migration changed
	noSuchStmt     = "26000"
	lockTimeout    = "55P03"
)

// errMoved means that the schema was migrated under a session.
var errMoved = errors.New("the schema was migrated")

// explain turns a driver's error into one that a person can act on. An error that did not come from the server is a lost
// connection.
func (e *Engine) explain(err error) error { return e.explainAt("", err) }

// explainAt is explain for an error of a connection to this host; "": of any.
func (e *Engine) explainAt(host string, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	var connecting *pgconn.ConnectError
	unconnected := errors.As(err, &connecting)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && !(unconnected && len(e.names()) > 1 && passing(err)) {
		if pg.Code == lockTimeout {
			err = errors.Join(db.ErrHeld, err)
		}
		e.met(pg)
		return e.explainCode(host, pg).WithCause(err)
	}
	switch {
	case unconnected:
		return e.unreachable(away, err)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return fault.Of(err)
	case host != "":
		return unusable(host, e.hosts.matter(host), err)
	}
	return fault.Unready("%s cannot be reached", e.place()).
		WithHint("check that it runs and that TASKER_DB names it correctly").WithCause(err)
}

func (e *Engine) explainCode(host string, pg *pgconn.PgError) *fault.Error {
	place := e.place()
	if host != "" {
		place = placeOf(host)
	}
	switch pg.Code {
	case cachedPlan, noSuchStmt:
		return fault.Unready("the database was migrated in the middle of the request").WithHint("send it again")
	case "42501":
		return fault.Decline("the database refuses it: %s", pg.Message).WithHint("grant the user of TASKER_DB the right")
	case dataCorrupted, indexCorrupted:
		return e.damaged()
	case undefinedTable:
		return fault.Unready("the database lacks a table: %s", pg.Message).
			WithHint("put back what was there, and check that the user of TASKER_DB may use the schema")
	case "3D000":
		return fault.Decline("%s has no database %q", place, e.config.ConnConfig.Database).
			WithHint("create it, for example with createdb, or name another one in TASKER_DB")
	case "25006":
		return fault.Unready("%s cannot be written to now", place).WithHint("name the primary in TASKER_DB")
	case lockTimeout:
		return fault.Unready("another process holds a lock on the database for too long").
			WithHint("send it again; see pg_stat_activity and pg_locks for which one it is")
	case "54000":
		return fault.Bad("a value is larger than the database can keep")
	}
	switch pg.Code[:2] {
	case "40":
		return fault.Unready("the database could not carry it out together with other changes").WithHint("send it again")
	case "53":
		return fault.Unready("%s has no room for it: %s", place, pg.Message).WithHint("make room on the server; nothing was written")
	case "57", "08":
		return fault.Unready("%s is not available: %s", place, pg.Message).WithHint("send it again")
	case "28":
		return fault.Decline("%s refuses the login: %s", place, pg.Message).WithHint("check the user and the password in TASKER_DB")
	case "58", "XX":
		return fault.Unready("%s has an internal problem: %s", place, pg.Message).WithHint("check the server's log")
	}
	return fault.New(fault.Internal, "something unexpected happened in the database: %s (%s)", pg.Message, pg.Code)
}

// passing reports whether an error of the server says that it is on its way up or down.
func passing(err error) bool {
	return strings.HasPrefix(code(err), "57") || strings.HasPrefix(code(err), "08")
}

// code returns the server's code of an error, or "" for any other error.
func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
