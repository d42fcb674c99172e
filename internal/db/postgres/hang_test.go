package postgres

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// hasty gives up on a server that hangs so soon that a test can wait for it, and on nothing else.
var hasty = db.Patience{Tell: 100 * time.Millisecond, GiveUp: time.Minute, Connect: time.Second, Answer: 600 * time.Millisecond, Commit: 900 * time.Millisecond}

// soonEnough is far below hasty.GiveUp, after which the guard of a connection ends every wait.
const soonEnough = 20 * time.Second

// A stopped server keeps nobody waiting for long: it is asked on another connection, and left. Once it runs again it is used
// again.
func TestAServerThatHangsIsLeft(t *testing.T) {
	e, p := openBehindProxy(t, db.Setup{Patience: hasty})
	e.config.ConnConfig.ConnectTimeout = time.Second
	d := opened(t, e)
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	events(t, d)
	for e.pool.Stat().AcquiredConns() > 0 { // the next read takes this connection, and does not make one
		runtime.Gosched()
	}
	goOn := p.stop()
	began := time.Now()
	var all sync.WaitGroup
	for i := range 3 * e.Readers() {
		all.Go(func() {
			err := d.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil })
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "does not answer") {
				t.Errorf("a read says %v", err)
			}
		})
		all.Go(func() {
			if err := d.Write(ctx, db.Request{Alone: i%2 == 0}, record); !fault.Is(err, fault.Unavailable) {
				t.Errorf("a write says %v", err)
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > soonEnough {
		t.Errorf("the answers took %s", took)
	}
	goOn()
	for d.Write(ctx, db.Request{}, record) != nil {
	}
	if last, count := events(t, d); last != count {
		t.Errorf("%d events, the last is %d", count, last)
	}
	if n := p.cancels.Load(); n != 0 {
		t.Errorf("a server that hangs was sent %d requests to cancel", n)
	}
}

// A long statement is no outage while the server answers others.
func TestAServerThatIsOnlySlowIsNotLeft(t *testing.T) {
	e, _ := openBehindProxy(t, db.Setup{Patience: hasty})
	d := opened(t, e)
	err := d.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
		return c.Query(`SELECT pg_sleep(2)::text`, nil, func(db.Row) error { return nil })
	})
	if err != nil {
		t.Error(err)
	}
}

// Of several hosts the one that worked last is tried first, and one that hangs last: it would cost every new connection a
// timeout.
func TestTheHostThatWorkedLastIsTriedFirst(t *testing.T) {
	e, first := openBehindProxy(t, db.Setup{Patience: hasty})
	second := proxyTo(t, mustOpen(t))
	e.config.ConnConfig.ConnectTimeout = 300 * time.Millisecond
	e.config.ConnConfig.Fallbacks = []*pgconn.FallbackConfig{{Host: "127.0.0.1", Port: second.port()}}
	d := opened(t, e)
	if err := d.Write(ctx, db.Request{}, record); err != nil {
		t.Fatal(err)
	}
	if second.made.Load() != 0 {
		t.Error("the second host was tried although the first works")
	}
	goOn := first.stop()
	defer goOn()
	for d.Write(ctx, db.Request{}, record) != nil {
	}
	tried := first.made.Load()
	for range 3 {
		second.hangUp()
		for d.Write(ctx, db.Request{}, record) != nil {
		}
	}
	if again := first.made.Load() - tried; again != 0 {
		t.Errorf("the host that hangs was tried %d times more", again)
	}
	second.deaf.Store(true)
	second.hangUp()
	err := d.Write(ctx, db.Request{}, record)
	for _, want := range []string{fmt.Sprintf("127.0.0.1:%d does not answer", first.port()), fmt.Sprintf("127.0.0.1:%d ", second.port())} {
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("with no server, a write says %v, want %q", err, want)
		}
	}
}

// mustOpen returns an engine on the tests' server.
func mustOpen(t *testing.T) *Engine {
	t.Helper()
	e, err := Open(dbtest.Empty(t), db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
