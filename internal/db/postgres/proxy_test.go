package postgres

import (
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// proxy stands between an engine and the server, counts the engine's round trips, and can cut the connection at a commit.
type proxy struct {
	t        *testing.T
	to       string // network and address of the server
	network  string
	listener net.Listener
	syncs    atomic.Int64
	cancels  atomic.Int64 // requests to cancel what a connection does
	made     atomic.Int64 // connections
	deaf     atomic.Bool  // accepts no new connections
	mu       sync.Mutex
	atCommit cut
	stopped  chan struct{} // until it is closed, nothing goes in either direction; nil: the proxy works
	lines    []net.Conn
	running  sync.WaitGroup
}

// cut is what happens to the connection that sends COMMIT.
type cut int

const (
	none   cut = iota
	before     // the server never sees it
	after      // the server carries it out, and its answer is lost
	hung       // the server never sees it, and the connection stays open
)

// engineBehindProxy opens an engine on a fresh schema through a proxy.
func engineBehindProxy(t *testing.T) (*Engine, *proxy) {
	t.Helper()
	return openBehindProxy(t, db.Setup{})
}

// openBehindProxy is engineBehindProxy with another patience or clock.
func openBehindProxy(t *testing.T, setup db.Setup) (*Engine, *proxy) {
	t.Helper()
	setup.Migrations = store.Schema()
	e, err := Open(dbtest.Postgres(t), setup)
	if err != nil {
		t.Fatal(err)
	}
	config := e.config.ConnConfig
	p := proxyTo(t, e)
	config.Host, config.Fallbacks, config.TLSConfig = "127.0.0.1", nil, nil
	config.Port = p.port()
	return e, p
}

// port is where the proxy listens.
func (p *proxy) port() uint16 { return uint16(p.listener.Addr().(*net.TCPAddr).Port) }

// proxyTo starts a proxy in front of the server that an engine uses.
func proxyTo(t *testing.T, e *Engine) *proxy {
	t.Helper()
	config := e.config.ConnConfig
	p := &proxy{t: t}
	p.network, p.to = "tcp", net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	if config.Host[0] == '/' {
		p.network, p.to = "unix", config.Host+"/.s.PGSQL."+strconv.Itoa(int(config.Port))
	}
	var err error
	p.listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.hangUp()
		p.running.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.deaf.Load() {
			_ = client.Close()
			continue
		}
		p.made.Add(1)
		server, err := net.Dial(p.network, p.to)
		if err != nil {
			p.t.Error(err)
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.lines = append(p.lines, client, server)
		p.mu.Unlock()
		silent := &atomic.Bool{} // nothing more goes to the client
		p.running.Go(func() { p.up(client, server, silent) })
		p.running.Go(func() { p.down(client, server, silent) })
	}
}

// stop makes the proxy accept everything and forward nothing, like a stopped server, until the returned function is called.
func (p *proxy) stop() (goOn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stopped := make(chan struct{})
	p.stopped = stopped
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stopped = nil
		close(stopped)
	}
}

// wait returns when the proxy works.
func (p *proxy) wait() {
	p.mu.Lock()
	stopped := p.stopped
	p.mu.Unlock()
	if stopped != nil {
		<-stopped
	}
}

// hangUp cuts every connection.
func (p *proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.lines {
		_ = c.Close()
	}
	p.lines = nil
}

// up forwards the client's messages.
func (p *proxy) up(client, server net.Conn, silent *atomic.Bool) {
	defer server.Close()
	defer client.Close()
	for first := true; ; first = false {
		kind, message, err := read(client, first)
		if err != nil {
			return
		}
		p.wait()
		if kind == 'P' && string(message[5:]) == "\x00COMMIT\x00\x00\x00" {
			p.mu.Lock()
			what := p.atCommit
			p.atCommit = none
			p.mu.Unlock()
			switch what {
			case before:
				return
			case after:
				silent.Store(true)
			case hung:
				_, _ = io.Copy(io.Discard, client)
				return
			}
		}
		if kind == 'S' {
			p.syncs.Add(1)
		}
		if first && binary.BigEndian.Uint32(message[4:]) == cancelRequest {
			p.cancels.Add(1)
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// down forwards the server's messages until it is silenced: then it waits for the end of the transaction.
func (p *proxy) down(client, server net.Conn, silent *atomic.Bool) {
	defer server.Close()
	defer client.Close()
	for {
		kind, message, err := read(server, false)
		if err != nil {
			return
		}
		p.wait()
		if silent.Load() {
			if kind == 'Z' && message[5] == 'I' {
				return
			}
			continue
		}
		if _, err := client.Write(message); err != nil {
			return
		}
	}
}

// cancelRequest is the code that the first message of a connection has in place of a version.
const cancelRequest = 80877102

// read returns one complete message; the first one of a client has no kind.
func read(from net.Conn, first bool) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	size := int(binary.BigEndian.Uint32(head[len(head)-4:])) - 4
	message = make([]byte, len(head)+size)
	copy(message, head)
	_, err = io.ReadFull(from, message[len(head):])
	return head[0], message, err
}
