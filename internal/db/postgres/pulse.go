package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"tasker/internal/db"
)

// missed is how many questions in a row a server leaves unanswered before it counts as hanging: a busy machine, ours or
// its own, may miss one.
const missed = 3

// pulse is how an engine finds out whether a server that keeps a round trip waiting still answers anybody: a stopped server
// acknowledges what it is sent, so neither keepalive probes nor TCP timeouts notice.
type pulse struct {
	line chan struct{} // holds one while something is asked on s

	mu     sync.Mutex
	s      *session             // on which to ask; nil: none is open
	asking map[string]bool      // the hosts that are being asked
	heard  map[string]time.Time // when a host last answered

	life  context.Context
	end   context.CancelFunc
	under db.Underway
}

func (p *pulse) start() {
	p.line = make(chan struct{}, 1)
	p.asking, p.heard = map[string]bool{}, map[string]time.Time{}
	p.life, p.end = context.WithCancel(context.Background())
}

// stop ends all questions, and closes the connection.
func (p *pulse) stop(w db.Waiting) {
	p.end()
	p.under.Drain(w)
	p.put(nil)
}

// begin reports whether a host is to be asked now: nobody is asking it, and it has not just answered.
func (p *pulse) begin(host string, now time.Time, pause time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil || p.asking[host] || now.Sub(p.heard[host]) < pause {
		return false
	}
	p.asking[host] = true
	p.under.Begin()
	return true
}

func (p *pulse) over(host string, answered bool, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asking, host)
	if answered {
		p.heard[host] = now
	}
	p.under.End()
}

// to returns the open connection, if it is to this host.
func (p *pulse) to(host string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.s != nil && p.s.route.host == host && !p.s.pg.IsClosed() {
		return p.s
	}
	return nil
}

// keep keeps a connection for later questions, unless another one is open, and reports whether it does.
func (p *pulse) keep(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.s != nil && !p.s.pg.IsClosed() {
		return false
	}
	if p.s != nil {
		p.s.end()
	}
	p.s = s
	return true
}

// put keeps a connection for later questions, in place of the one that was there.
func (p *pulse) put(s *session) {
	p.mu.Lock()
	was := p.s
	p.s = s
	p.mu.Unlock()
	if was != nil && was != s {
		p.line <- struct{}{}
		defer func() { <-p.line }()
		was.close()
	}
}

// ask asks on a connection, which others may use for that too. It waits for them no longer than its context lasts: what they
// ask a server that hangs gets no answer before somebody has found out that it hangs.
func (p *pulse) ask(ctx context.Context, s *session, sql string) error {
	select {
	case p.line <- struct{}{}:
		defer func() { <-p.line }()
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := s.value(ctx, sql)
	return err
}

// doubt asks a server that keeps a round trip waiting whether it still answers, and leaves it if it does not. It returns
// at once.
func (e *Engine) doubt(host string) {
	if !e.pulse.begin(host, e.world.Clock.Now(), e.setup.Patience.Answer/missed) {
		return
	}
	e.world.Start.Go(func() {
		alive := e.alive(host)
		if !alive {
			e.leave(host)
		}
		e.pulse.over(host, alive, e.world.Clock.Now())
	})
}

// alive reports whether a server answers. Where no connection to it is open, making one gets more time.
func (e *Engine) alive(host string) bool {
	patience := e.setup.Patience.Answer
	if e.pulse.to(host) == nil {
		patience = max(patience, e.config.ConnConfig.ConnectTimeout)
	}
	ctx, cancel := context.WithCancel(e.pulse.life)
	defer cancel()
	answered, ended := make(chan struct{}), make(chan struct{})
	e.world.Start.Go(func() {
		defer close(ended)
		for !e.answers(ctx, host) {
			if e.world.Waiting.Sleep(ctx, patience/missed) != nil {
				return
			}
		}
		close(answered)
	})
	for range missed {
		limited, done := context.WithTimeout(ctx, patience/missed)
		err := e.world.Waiting.Wait(limited, answered)
		done()
		if err == nil {
			break
		}
	}
	cancel()
	_ = e.world.Waiting.Wait(context.Background(), ended)
	select {
	case <-answered:
		return true
	default:
		return e.pulse.life.Err() != nil
	}
}

// answers asks a server once. Whatever it says, it answers.
func (e *Engine) answers(ctx context.Context, host string) bool {
	s := e.pulse.to(host)
	if s == nil {
		var err error
		if s, err = e.connectTo(ctx, host); err != nil {
			return code(err) != ""
		}
		s.route.mute.Store(true)
		if !e.pulse.keep(s) {
			defer s.close()
		}
	}
	err := e.pulse.ask(ctx, s, "SELECT 1")
	return err == nil || code(err) != ""
}

// connectTo opens a connection to one of the hosts.
func (e *Engine) connectTo(ctx context.Context, host string) (*session, error) {
	config := e.config.ConnConfig.Copy()
	all := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	config.Fallbacks = nil
	for i, first := len(all)-1, true; i >= 0; i-- {
		if f := all[i]; nameOf(f.Host, f.Port) == host {
			if !first {
				config.Fallbacks = append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
			}
			config.Host, config.Port, config.TLSConfig, first = f.Host, f.Port, f.TLSConfig, false
		}
	}
	return e.open(ctx, config)
}

// leave closes every connection to a server that hangs. What ran there gets an error; of a commit, the server that takes
// over is asked what became of it.
func (e *Engine) leave(host string) {
	e.hosts.fails(host, silent)
	e.setup.Notice(placeOf(host) + " does not answer: its connections are closed")
	e.mu.Lock()
	var all []*session
	for s := range e.sessions {
		if s.route.host == host {
			all = append(all, s)
		}
	}
	e.mu.Unlock()
	for _, s := range all {
		s.route.mute.Store(true)
		s.cut()
	}
}
