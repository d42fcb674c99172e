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

// refusal says why nothing is posted to an address.
type refusal struct{ why string }

func (r refusal) Error() string { return r.why }

// dialer returns a dialer for a host. It checks each address before it connects and after names are resolved, so that a
// name cannot lead elsewhere between the check and the connection.
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

// check refuses an address that a host may not have. A private address, localhost or a host that the environment names
// may reach the local network; a name that somebody owns in public DNS may not. Link-local addresses are always
// refused: clouds hand out credentials there.
func (s Sender) check(host string, at netip.Addr) error {
	at = inner(at)
	var why string
	switch {
	case at.IsLinkLocalUnicast(), at.IsLinkLocalMulticast():
		return refusal{fmt.Sprintf("%s is the link-local address %s, to which nothing is posted, whatever TASKER_WEBHOOK_HOSTS names", words.Quoted(host), at)}
	case at.IsUnspecified(), at.IsMulticast(), at == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return refusal{fmt.Sprintf("%s is the address %s, which is not a host", words.Quoted(host), at)}
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
	return refusal{fmt.Sprintf("%s resolves to %s, a %s address: if that is intended, name the host in TASKER_WEBHOOK_HOSTS", words.Quoted(host), at, why)}
}

// shared is the address space of carrier networks; translated is the prefix that embeds an IPv4 address in IPv6.
var (
	shared     = netip.MustParsePrefix("100.64.0.0/10")
	translated = netip.MustParsePrefix("64:ff9b::/96")
)

// inner returns the IPv4 address that an IPv6 address embeds, and any other address unchanged.
func inner(at netip.Addr) netip.Addr {
	at = at.Unmap().WithZone("")
	if b := at.As16(); at.Is6() && translated.Contains(at) {
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return at
}
