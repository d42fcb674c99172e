package httpapi

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// maxGuesses is how many wrong credentials an address may send within a window, and in the one before it.
	maxGuesses  = 20
	guessWindow = time.Minute
	// guessEvery is how often one more is looked up from an address that sent too many: a session that this process has not
	// met yet (it was started a moment ago) shares the address, behind a proxy with everybody.
	guessEvery = time.Second
	// maxRemembered bounds how many addresses, and how many good credentials, are remembered.
	maxRemembered = 10_000
)

// address returns what a request is counted under: a machine, or its network for IPv6, where a machine has many addresses.
func address(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{} // no TCP: all of those together
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// guesses counts wrong credentials by address, in this window and the one before it.
type guesses struct {
	now func() time.Time

	mu          sync.Mutex
	since       time.Time // when this window began
	these, last map[netip.Prefix]int
	tried       map[netip.Prefix]time.Time // when an address that sent too many was last looked up
}

// wait returns how long the address must wait before it may try again.
func (g *guesses) wait(from netip.Prefix) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	if g.these[from]+g.last[from] < maxGuesses {
		return 0
	}
	if tried, ok := g.tried[from]; ok && g.now().Sub(tried) >= guessEvery {
		g.tried[from] = g.now()
		return 0
	}
	left := guessWindow - g.now().Sub(g.since)
	if g.these[from] >= maxGuesses {
		left += guessWindow // this window's stay for the next one too
	}
	return max(left, time.Second)
}

// add counts one guess and reports whether it reached the limit.
func (g *guesses) add(from netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	if _, ok := g.these[from]; !ok && len(g.these) >= maxRemembered {
		g.last, g.these = g.these, map[netip.Prefix]int{}
	}
	g.these[from]++
	if g.these[from]+g.last[from] != maxGuesses {
		return false
	}
	if g.tried == nil || len(g.tried) >= maxRemembered {
		g.tried = map[netip.Prefix]time.Time{}
	}
	g.tried[from] = g.now()
	return true
}

// turn begins a new window when this one is over.
func (g *guesses) turn() {
	switch passed := g.now().Sub(g.since); {
	case passed < guessWindow && passed >= 0:
	case passed < 2*guessWindow && passed >= 0:
		g.since, g.last, g.these = g.since.Add(guessWindow), g.these, map[netip.Prefix]int{}
	default: // or a clock that was set back
		g.since, g.last, g.these = g.now(), nil, map[netip.Prefix]int{}
	}
}

// recent remembers up to twice maxRemembered things, and forgets the older half of them when it is full.
type recent[K comparable] struct {
	mu          sync.Mutex
	these, last map[K]struct{}
}

func (m *recent[K]) has(k K) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, now := m.these[k]
	_, before := m.last[k]
	return now || before
}

func (m *recent[K]) add(k K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.these[k]; ok {
		return
	}
	if m.these == nil || len(m.these) >= maxRemembered {
		m.last, m.these = m.these, map[K]struct{}{}
	}
	m.these[k] = struct{}{}
}
