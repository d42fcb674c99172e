package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/fault"
)

// oldest is the first PostgreSQL version with pg_current_xact_id.
const oldest = 13

// session is a connection with its prepared statements.
type session struct {
	of      *pgx.Conn
	pg      *pgconn.PgConn
	backend uint32 // the number of the server's process, which a pooler hides from the driver
	stmts   map[string]*stmt
	named   int    // statements so far; a name is never used twice
	schema  int    // schema version that the statements were prepared on; 0: none yet
	stale   bool   // its statements are no longer usable
	used    bool   // by an earlier snapshot or turn
	channel string // of the change feed

	recalled time.Time // when an event of the log was last checked on it

	origin origin
	route  *route

	life  context.Context // of its guard
	end   context.CancelFunc
	trips atomic.Uint64 // round trips begun and ended: odd while one is running
}

// sessionOf returns the session that greet stored.
func sessionOf(c *pgx.Conn) *session { return c.PgConn().CustomData()["tasker"].(*session) }

// connect opens a connection outside the pool.
func (e *Engine) connect(ctx context.Context) (*session, error) {
	return e.open(ctx, e.config.ConnConfig.Copy())
}

func (e *Engine) open(ctx context.Context, config *pgx.ConnConfig) (*session, error) {
	if err := e.prepare(ctx, config); err != nil {
		return nil, err
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, e.explain(err)
	}
	if err := e.greet(ctx, c); err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return sessionOf(c), nil
}

// hello sets up a session and reads what it must know, in one round trip. A transaction that its client forgot (a machine
// that was lost) must not hold the turn for ever, and nobody may wait for ever. None of our processes holds a lock other
// than the turn's for long.
const hello = `SET idle_in_transaction_session_timeout = '60s'; SET lock_timeout = '5s'; SET statement_timeout = 0;
	SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
	SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_schema(), current_setting('server_encoding'),
		current_setting('search_path'),
		concat_ws('/', CASE WHEN has_function_privilege('pg_control_system()', 'execute') THEN (SELECT system_identifier FROM pg_control_system()) END,
			(SELECT oid FROM pg_database WHERE datname = current_database()), current_schema()),
		CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END, pg_backend_pid()`

// greet checks a new connection.
func (e *Engine) greet(ctx context.Context, c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, e.config.ConnConfig.ConnectTimeout)
	defer cancel()
	route := routeOf(c.PgConn())
	results, err := c.PgConn().Exec(ctx, e.hello).ReadAll()
	if err != nil {
		if code(err) == "" && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			e.hosts.fails(route.host, silent)
			return unusable(route.host, silent, err)
		}
		return e.explainAt(route.host, err)
	}
	row := results[len(results)-1].Rows[0]
	version, _ := strconv.Atoi(string(row[0]))
	switch {
	case version/10000 < oldest:
		return fault.Decline("the server runs PostgreSQL %d, and tasker needs %d or later", version/10000, oldest).
			WithHint("upgrade the server, or use an SQLite file")
	case string(row[1]) == "t":
		e.hosts.fails(route.host, standby)
		return unusable(route.host, standby, nil)
	case row[2] == nil:
		return fault.Decline("none of the schemas %q exists in the database", string(row[4])).
			WithHint("create it first: CREATE SCHEMA …, or change search_path in TASKER_DB")
	case string(row[3]) != "UTF8":
		return fault.Decline("the database stores text as %s, and tasker needs UTF8", string(row[3])).
			WithHint("create one with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'")
	}
	backend, _ := strconv.ParseUint(string(row[7]), 10, 32)
	if err := e.checkPooler(ctx, c.PgConn(), uint32(backend)); err != nil {
		return err
	}
	s := &session{
		of:      c,
		pg:      c.PgConn(),
		backend: uint32(backend),
		stmts:   make(map[string]*stmt),
		channel: fmt.Sprintf("tasker_%08x", crc32.ChecksumIEEE(row[2])),
		origin:  origin{place: string(row[5]), timeline: string(row[6])},
		route:   route,
	}
	s.life, s.end = context.WithCancel(context.Background())
	e.mu.Lock()
	e.sessions[s], e.at = struct{}{}, s.origin.place
	e.mu.Unlock()
	e.world.Start.Go(func() {
		s.guard(e)
		e.mu.Lock()
		delete(e.sessions, s)
		e.mu.Unlock()
	})
	c.PgConn().CustomData()["tasker"] = s
	return nil
}

func (s *session) close() {
	s.end()
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	_ = s.pg.Close(ctx)
}
