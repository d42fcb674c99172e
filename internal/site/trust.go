package site

import (
	"net/url"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// Trust is where credentials may go: to hosts that the process's own environment names, to a vendor's own, and to those that a
// person has confirmed on this machine. A file of a repository names none. The zero value trusts nobody.
type Trust struct{ hosts, vendors []string }

// Trusting returns trust in the hosts of addresses. What is no address is no host.
func Trusting(addresses ...string) Trust { return Trust{}.And(addresses...) }

// And returns trust in more hosts.
func (t Trust) And(addresses ...string) Trust {
	out := Trust{slices.Clone(t.hosts), t.vendors}
	for _, a := range addresses {
		if host, err := HostOf(a); err == nil {
			out.hosts = append(out.hosts, host)
		}
	}
	return out
}

// Vendors returns trust in every host below some names too, by TLS: those are a vendor's own.
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

// Check refuses an address that no credential may go to. system is whose the credential is, such as Vault or the tracker, and variable what names its site.
func (t Trust) Check(system, address, variable string) error {
	if t.Goes(address) {
		return nil
	}
	host, err := HostOf(address)
	if err != nil {
		return err
	}
	return fault.Decline("the credentials of %s do not go to %s: the environment of this process does not name it, and nobody has confirmed it on this machine",
		system, host).
		WithHint("where it is the right one, a person sets %s, or confirms the host: %s", variable, hint.Command("sync trust "+words.Shell(host)))
}

// HostOf returns the host of an address, or of what is a host alone, in small letters, with its port where that is not the
// usual one of TLS.
func HostOf(address string) (string, error) {
	text := strings.TrimSpace(address)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || strings.ContainsAny(u.Hostname(), " \t/\\%*") {
		return "", fault.Bad("%s is no host", words.Quoted(words.Redacted(address))).WithHint("such as jira.example.com, jira.example.com:8443, or an address of it")
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
