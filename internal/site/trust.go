package site

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// Trust says where credentials may go: to hosts named in the process's own environment, to a vendor's own hosts, and to
// hosts that a person has confirmed on this machine. A file in a repository cannot add one. The zero value trusts no host.
type Trust struct{ hosts, vendors []string }

// Trusting returns trust in the hosts of addresses. It ignores anything that is not an address.
func Trusting(addresses ...string) Trust { return Trust{}.And(addresses...) }

// And returns t with trust in more hosts.
func (t Trust) And(addresses ...string) Trust {
	out := Trust{slices.Clone(t.hosts), t.vendors}
	for _, a := range addresses {
		if host, err := HostOf(a); err == nil {
			out.hosts = append(out.hosts, host)
		}
	}
	return out
}

// Vendors returns t with trust, over TLS only, in every host below the names, which belong to a vendor.
func (t Trust) Vendors(names ...string) Trust {
	return Trust{t.hosts, append(slices.Clone(t.vendors), names...)}
}

// Goes reports whether a credential may go to an address.
func (t Trust) Goes(address string) bool {
	host, err := HostOf(address)
	return err == nil && (slices.Contains(t.hosts, host) || slices.ContainsFunc(t.vendors, func(name string) bool {
		return strings.HasSuffix(host, "."+name)
	}))
}

// Check refuses an address that no credential may be sent to. system names the credential's owner, such as Vault or the
// tracker, and variable is the environment variable that names its site.
func (t Trust) Check(system, address, variable string) error {
	if t.Goes(address) {
		return nil
	}
	host, err := HostOf(address)
	if err != nil {
		return err
	}
	return fault.Decline("the credentials for %s are not sent to %s: the environment of this process does not name it, and nobody has confirmed it on this machine",
		system, host).
		WithHint("if it is the right one, a person sets %s, or confirms the host: %s", variable, hint.Command("sync trust "+words.Shell(host)))
}

// HostOf returns the host of an address, or of a bare host name, in lower case. It includes the port unless that is the
// default for TLS.
func HostOf(address string) (string, error) {
	text := strings.TrimSpace(address)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(u.Hostname(), " \t/\\%*") {
		return "", fault.Bad("%s is not a host", words.Quoted(words.Redacted(address))).WithHint("give a host such as jira.example.com or jira.example.com:8443, or its address")
	}
	host, port := strings.ToLower(strings.TrimSuffix(u.Host, ":"+u.Port())), u.Port()
	if port == "" && u.Scheme == "http" {
		port = "80"
	}
	if port != "" && (port != "443" || u.Scheme == "http") {
		host += ":" + port
	}
	return host, nil
}

// Loopback reports whether a host is this machine.
func Loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
