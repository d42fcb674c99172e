package postgres

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// bouncer starts PgBouncer in front of a database, and returns the URL of the database through it.
func bouncer(t *testing.T, to, mode string, size int) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().(*net.TCPAddr)
	_ = l.Close()
	dir, err := os.MkdirTemp("", "bouncer") //nolint:usetesting // another user must reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	password, _ := u.User.Password()
	name := strings.TrimPrefix(u.Path, "/")
	config := fmt.Sprintf(`[databases]
%s = host=%s port=%s dbname=%s user=%s password=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = %d
`, name, u.Hostname(), u.Port(), name, u.User.Username(), password, at.Port, mode, size)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"-q", file}
	if os.Getuid() == 0 { // it does not run as root
		args = append([]string{"-u", "nobody"}, args...)
	}
	cmd := exec.Command("pgbouncer", args...)
	cmd.Dir = "/"
	if err := cmd.Start(); err != nil {
		t.Fatalf("this test needs PgBouncer (run it by scripts/test-env): %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		c, err := net.Dial("tcp", at.String())
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatalf("PgBouncer does not listen: %v", err)
		}
	}
	u.Host = at.String()
	return u.String()
}

func TestAPoolerThatLendsConnectionsForATransactionOrStatementIsRefused(t *testing.T) {
	direct := dbtest.Postgres(t)
	for _, mode := range []string{"transaction", "statement"} {
		e, err := Open(bouncer(t, direct, mode, 20), db.Setup{Migrations: store.Schema()})
		if err != nil {
			t.Fatal(err)
		}
		d := opened(t, e)
		for what, err := range map[string]error{
			"a read":  d.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil }),
			"a write": d.Write(ctx, db.Request{}, record),
		} {
			if !fault.Is(err, fault.Declined) || !strings.Contains(fault.Of(err).Hint, "pool_mode = session") {
				t.Errorf("in the mode %s, %s returns %v", mode, what, err)
			}
		}
	}
}

func TestAPoolerThatLendsConnectionsForASessionIsUsed(t *testing.T) {
	e, err := Open(bouncer(t, dbtest.Postgres(t), "session", 40), db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	for range 3 {
		if err := d.Write(ctx, db.Request{}, record); err != nil {
			t.Fatal(fault.Of(err).Message, fault.Of(err).Hint)
		}
	}
	if last, count := events(t, d); last != 3 || count != 3 {
		t.Errorf("there are %d events, the newest is %d", count, last)
	}
	err = d.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error { // PgBouncer would have dropped it
		return c.Query(`SELECT current_setting('plan_cache_mode')`, nil, func(r db.Row) error {
			if got := r.Text(0); got != "force_generic_plan" {
				t.Errorf("plan_cache_mode is %s", got)
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAPoolThatIsTooSmallIsSaid(t *testing.T) {
	e, err := Open(bouncer(t, dbtest.Postgres(t), "session", 1)+"&connect_timeout=1", db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	err = opened(t, e).Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil })
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.Of(err).Hint, fmt.Sprintf("up to %d connections", e.most())) {
		t.Errorf("it returns %v (%s)", err, fault.Of(err).Hint)
	}
}
