package channel

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"tasker/internal/text/words"
)

// refusal is an address that nothing is posted to.
type refusal struct{ why string }

func (r refusal) Error() string { return r.why }

// dialer returns what connects to a host. It looks at each address before it connects, after names were resolved, so that no
// name can lead elsewhere between the look and the connection.
func (s Sender) dialer(host string) *net.Dialer {
	return &net.Dialer{
		Resolver: s.Resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return refusal{"nothing is posted to an address that cannot be read"}
			}
			return s.check(host, at.Addr())
		},
	}
}

// check refuses an address that a host may not have. Its own network is reached by who writes a private address, localhost or
// a host that the environment names, and not by who owns a name in the public one. Link-local addresses are nobody's: clouds
// give credentials there.
func (s Sender) check(host string, at netip.Addr) error {
	at = inner(at)
	var why string
	switch {
	case at.IsLinkLocalUnicast(), at.IsLinkLocalMulticast():
		return refusal{fmt.Sprintf("%s is the link-local address %s, to which nothing is posted, whatever TASKER_WEBHOOK_HOSTS names", words.Quoted(host), at)}
	case at.IsUnspecified(), at.IsMulticast(), at == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return refusal{fmt.Sprintf("%s is the address %s, which is no host", words.Quoted(host), at)}
	case at.IsLoopback():
		why = "loopback"
	case at.IsPrivate(), shared.Contains(at):
		why = "private"
	default:
		return nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" && why == "loopback" || slices.Contains(s.Hosts, name) {
		return nil
	}
	return refusal{fmt.Sprintf("%s resolves to %s, a %s address: where that is meant, name the host in TASKER_WEBHOOK_HOSTS", words.Quoted(host), at, why)}
}

// shared is the space of carriers' networks, translated as the prefix behind which IPv6 hides an address of IPv4 is.
var (
	shared     = netip.MustParsePrefix("100.64.0.0/10")
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

// inner returns the address of IPv4 that one of IPv6 stands for, and any other as it is.
func inner(at netip.Addr) netip.Addr {
	at = at.Unmap().WithZone("")
	if b := at.As16(); at.Is6() && translated.Contains(at) {
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return at
}
