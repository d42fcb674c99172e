package httpapi

import (
	"net/netip"
	"sync"
	"time"
)

// A credential has 256 random bits: guessing finds none, so no address has to wait because of what it sent, and every
// credential is looked up. The cost of guessing is limited instead: how many lookups run at once, and how much of it is
// logged.
const (
	// maxGuesses is how many wrong credentials of an address are logged in a window and the one before it.
	maxGuesses  = 20
	guessWindow = time.Minute
	// maxLookups is how many lookups run at once for all addresses that sent more wrong credentials than that.
	maxLookups = 2
	// maxRemembered limits how many addresses are remembered.
	maxRemembered = 10_000
)

// address returns what a request is counted under: a machine or, for IPv6, its network, because a machine has many
// addresses.
func address(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{} // not TCP: counted together
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
}

// many reports whether the address has sent more wrong credentials than are logged.
func (g *guesses) many(from netip.Prefix) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn()
	return g.these[from]+g.last[from] >= maxGuesses
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
	return g.these[from]+g.last[from] == maxGuesses
}

// turn begins a new window when this one is over.
func (g *guesses) turn() {
	switch passed := g.now().Sub(g.since); {
	case passed < guessWindow && passed >= 0:
	case passed < 2*guessWindow && passed >= 0:
		g.since, g.last, g.these = g.since.Add(guessWindow), g.these, map[netip.Prefix]int{}
	default: // or the clock was set back
		g.since, g.last, g.these = g.now(), nil, map[netip.Prefix]int{}
	}
}
