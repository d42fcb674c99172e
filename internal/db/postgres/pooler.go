package postgres

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/fault"
)

// atStart are the parameters that can be given only when a connection is made, or that every pooler lets through then.
var atStart = []string{"application_name", "client_encoding", "options", "replication"}

// settings takes from the parameters of new connections those that can also be set afterwards, and returns the statements
// that do so. PgBouncer refuses a connection that begins with any of them, or, told to ignore them, drops them.
func settings(params map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if slices.Contains(atStart, name) {
			continue
		}
		b.WriteString("SELECT set_config(" + quoted(name) + ", " + quoted(params[name]) + ", false); ")
		delete(params, name)
	}
	return b.String()
}

// quoted quotes a text of the URL for a statement.
func quoted(text string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", "").Replace(text) + "'"
}

// poolers knows the hosts whose pooler gives a client one connection for as long as it stays.
type poolers struct {
	mu   sync.Mutex
	fine map[string]bool
}

func (p *poolers) isFine(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fine[host]
}

func (p *poolers) setFine(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fine == nil {
		p.fine = map[string]bool{}
	}
	p.fine[host] = true
}

// notSupported is the code of PgBouncer's refusal of a transaction where it gives out connections for a statement.
const notSupported = "08P01"

// looks is how often a pooler is watched giving out connections: others may take the one that we wait to see again.
const looks = 3

// checkPooler refuses a connection through a pooler that lends it for a transaction or a statement only: what we prepare, set
// and listen to would be another client's. Without a pooler it asks nothing, because the server's process then has the number
// that the driver was given. backend is that of the first connection.
func (e *Engine) checkPooler(ctx context.Context, first *pgconn.PgConn, backend uint32) error {
	host := routeOf(first).host
	if backend == first.PID() || e.poolers.isFine(host) {
		return nil
	}
	config := e.config.ConnConfig.Copy()
	if err := e.prepare(ctx, config); err != nil {
		return err
	}
	second, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return e.explain(err)
	}
	defer func() { _ = second.Close(ctx) }()
	for range looks {
		lent, err := lends(ctx, first, second.PgConn(), backend)
		switch {
		case ctx.Err() != nil:
			return fault.Unready("the pooler in front of %s has no connection left for us", placeOf(host)).
				WithHint("give it a larger pool: a server of tasker keeps up to %d connections (PgBouncer: default_pool_size)", e.most()).WithCause(err)
		case code(err) == notSupported || err == nil && lent:
			return fault.Decline("%s is behind a pooler that lends a connection for one transaction or statement, and tasker keeps its connections", placeOf(host)).
				WithHint("have the pooler lend them for a session (PgBouncer: pool_mode = session, and room for %d connections for each server), "+
					"or name PostgreSQL itself in TASKER_DB", e.most())
		case err != nil:
			return e.explain(err)
		}
	}
	e.poolers.setFine(host)
	return nil
}

// lends reports whether a transaction of the second connection was given the server's process of the first, or whether the
// first has another one by now.
func lends(ctx context.Context, first, second *pgconn.PgConn, backend uint32) (bool, error) {
	got, err := backendOf(ctx, second, "BEGIN; ")
	if err != nil || got == backend {
		return err == nil, err
	}
	if got, err = backendOf(ctx, first, ""); err != nil {
		return false, err
	}
	_, err = second.Exec(ctx, "ROLLBACK").ReadAll()
	return got != backend, err
}

// backendOf returns the number of the server's process that a connection has now. It stays in a transaction that before begins.
func backendOf(ctx context.Context, c *pgconn.PgConn, before string) (uint32, error) {
	results, err := c.Exec(ctx, before+"SELECT pg_backend_pid()").ReadAll()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(results[len(results)-1].Rows[0][0]), 10, 32)
	return uint32(n), err
}

// most returns how many connections a server keeps at most: of the pool, one that listens to changes, one that asks
// whether the server hangs, and for moments one that finds out who holds the turn.
func (e *Engine) most() int { return int(e.config.MaxConns) + 3 }
