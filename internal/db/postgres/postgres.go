// Package postgres is the engine over a PostgreSQL schema. In its pool of connections one writes at a time, while the others
// read. Processes and servers queue on the row that every turn locks first.
package postgres

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Engine implements db.Engine.
type Engine struct {
	config *pgxpool.Config
	setup  db.Setup
	world  db.World
	hello  string // what is sent first on each connection

	turn  sync.Locker   // held from Begin to Commit or Rollback: guards the next two
	turns int           // that have ended, up to enoughTurns
	kept  *pgxpool.Conn // for the next turn; nil: it takes one of the pool

	mu       sync.Mutex
	pool     *pgxpool.Pool         // created on first use
	sessions map[*session]struct{} // that are open
	ending   <-chan struct{}       // closed when the connection of the last snapshot that ended is free; nil: none has
	at       string                // the place of the last server that was reached

	hosts   hosts
	pulse   pulse
	poolers poolers

	damage db.Damage
}

var _ db.Engine = (*Engine)(nil)

// connectTimeout is how long connecting to one server may take where the URL does not say: two lost packets.
const connectTimeout = 3 * time.Second

// Open returns the engine of a postgres:// URL; search_path in its query chooses the schema. It connects on first use. It
// ignores the clock of the setup and uses the database's own.
func Open(url string, setup db.Setup) (*Engine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fault.Bad("the URL of the database is not one that PostgreSQL understands").
			WithHint("it looks like postgres://user@host:5432/database?search_path=schema").WithCause(err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = int32(2*runtime.GOMAXPROCS(0) + 2)
	}
	config.MaxConns++ // for the turn: see Readers
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	// Each of our statements is written for one index, and most want a few rows in its order. So it is planned once,
	// without looking at values or at statistics, which new tables do not have: guessing without them, the planner would
	// sort whole projects for the first of their tasks. A table without a usable index then seems so expensive that the
	// planner would compile the statement, which takes longer than running it.
	for name, value := range map[string]string{"application_name": "tasker", "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_bitmapscan": "off",
		"enable_mergejoin": "off", "enable_hashjoin": "off", "jit": "off"} {
		if config.ConnConfig.RuntimeParams[name] == "" {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	config.ConnConfig.DialFunc = dial
	setup = setup.Filled()
	e := &Engine{config: config, setup: setup, world: setup.World, turn: setup.World.Locks.Mutex(), sessions: map[*session]struct{}{}}
	e.hello = settings(config.ConnConfig.RuntimeParams) + hello
	e.pulse.start()
	config.BeforeConnect = e.prepare
	config.AfterConnect = e.greet
	config.BeforeClose = func(c *pgx.Conn) { sessionOf(c).end() }
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > time.Minute }
	return e, nil
}

// Setup returns the setup that the engine was opened with, with defaults filled in.
func (e *Engine) Setup() db.Setup { return e.setup }

// Latest returns the newest schema that this binary knows.
func (e *Engine) Latest() int { return len(e.setup.Migrations) }

// Place names the cluster, the database in it and the schema. A standby has them in common with its primary.
func (e *Engine) Place() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.at
}

// Tidy has nothing to do: the server looks after itself.
func (e *Engine) Tidy() {}

// Absent returns false: only the server could tell.
func (e *Engine) Absent() bool { return false }

// Room is not known: the disk is the server's.
func (e *Engine) Room() (bytes int64, known bool) { return 0, false }

// Doubt returns nil: nobody copies the files of a server by hand.
func (e *Engine) Doubt() error { return nil }

// Accept has nothing to do.
func (e *Engine) Accept(context.Context) error { return nil }

// Close closes every connection.
func (e *Engine) Close() error {
	e.turn.Lock()
	defer e.turn.Unlock()
	if e.kept != nil {
		e.kept.Release()
	}
	e.mu.Lock()
	pool := e.pool
	e.mu.Unlock()
	if pool != nil {
		pool.Close()
	}
	e.pulse.stop(e.world.Waiting)
	return nil
}
