package postgres

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// What is the matter with a host.
const (
	away    = "cannot be reached"
	silent  = "does not answer"
	standby = "is a standby"
	other   = "cannot be used"
)

// hosts is what is known of the servers that the URL names: which one a connection was last made to, and what is the matter
// with the others. A host's name includes its port.
type hosts struct {
	mu     sync.Mutex
	worked string
	failed map[string]string // absent: nothing is known
}

func nameOf(host string, port uint16) string { return fmt.Sprintf("%s:%d", host, port) }

// works remembers that a connection to a host was made.
func (h *hosts) works(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.worked = host
	delete(h.failed, host)
}

// fails remembers what is the matter with a host.
func (h *hosts) fails(host, what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		h.failed = map[string]string{}
	}
	h.failed[host] = what
}

// matter returns what is the matter with a host; "" if nothing is known.
func (h *hosts) matter(host string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed[host]
}

// order puts the host that worked last first, and those that failed last: each of them may cost a timeout.
func (h *hosts) order(config *pgconn.Config) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	rank := func(f *pgconn.FallbackConfig) int {
		host := nameOf(f.Host, f.Port)
		switch {
		case h.failed[host] != "":
			return 2
		case host == h.worked:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b *pgconn.FallbackConfig) int { return rank(a) - rank(b) })
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = all[0].Host, all[0].Port, all[0].TLSConfig, all[1:]
}

// names returns the hosts of the URL, each once, in its order.
func (e *Engine) names() []string {
	c := e.config.ConnConfig
	out := []string{nameOf(c.Host, c.Port)}
	for _, f := range c.Fallbacks { // one for TLS and one without may be of the same host
		if name := nameOf(f.Host, f.Port); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// placeOf names a server without its secrets.
func placeOf(host string) string { return "PostgreSQL at " + host }

// place names the server that worked last.
func (e *Engine) place() string {
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	return placeOf(cmp.Or(e.hosts.worked, e.names()[0]))
}

// unreachable is the answer if a connection to none of the hosts can be made, and says what is the matter with each: if
// nothing is known of it, what the caller presumes.
func (e *Engine) unreachable(presumed string, cause error) *fault.Error {
	all := e.names()
	said := make([]string, len(all))
	for i, name := range all {
		what := cmp.Or(e.hosts.matter(name), presumed)
		said[i] = name + " " + what
		if what == standby {
			cause = errors.Join(cause, db.ErrStandby)
		}
	}
	if len(all) == 1 {
		return unusable(all[0], cmp.Or(e.hosts.matter(all[0]), presumed), cause)
	}
	return fault.Unready("no server of PostgreSQL can be used: %s", strings.Join(said, "; ")).
		WithHint("check that the primary runs; while another server is being promoted, send it again in some seconds").WithCause(cause)
}

// unusable says what is the matter with one host.
func unusable(host, what string, cause error) *fault.Error {
	switch what {
	case standby:
		return fault.Unready("%s is a standby, and tasker needs the primary", placeOf(host)).
			WithHint("name the primary in TASKER_DB, or all servers (postgres://…@one,two/…), of which it then finds the primary; or promote this one").
			WithCause(errors.Join(cause, db.ErrStandby))
	case silent:
		return fault.Unready("%s does not answer", placeOf(host)).
			WithHint("check that it runs and that nothing is in between; send it again in some seconds").WithCause(cause)
	}
	return fault.Unready("%s cannot be reached", placeOf(host)).
		WithHint("check that it runs and that TASKER_DB names it correctly").WithCause(cause)
}

// silence tells a server that does not answer from one that cannot be reached.
func silence(err error) string {
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return silent
	}
	return away
}
