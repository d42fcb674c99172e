package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/site"
	"tasker/internal/text/words"
)

// maxConfirmed limits the size of the list of confirmed hosts, in bytes.
const maxConfirmed = 64 << 10

// confirmedPath returns the file that lists, one per line, the hosts that a person has confirmed on this machine; "" if the
// user has no home directory. The list is a decision and not a cache, so it is never kept among temporary files,
// where others could write it first.
func confirmedPath() string { return kept("trusted") }

// confirmed returns the hosts that a person has allowed credentials to be sent to. It refuses a file that others may write
// to.
func confirmed() ([]string, error) {
	path := confirmedPath()
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unread(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unread(err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 {
		return nil, fault.Decline("others may write to %s, which names the hosts that credentials go to", words.Quoted(confirmedPath())).
			WithHint("check what is in it, and then remove their permission to write: chmod 600 %s", words.Shell(confirmedPath()))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfirmed))
	if err != nil {
		return nil, unread(err)
	}
	return strings.Fields(string(text)), nil
}

func unread(err error) error {
	return fault.Unready("the list of hosts that credentials may go to cannot be read: %v", err).WithHint("check %s", words.Quoted(confirmedPath()))
}

// trusted returns trust in the sites that the environment names, and in the confirmed hosts.
func trusted(named ...string) (site.Trust, error) {
	hosts, err := confirmed()
	return site.Trusting(append(named, hosts...)...), err
}

// confirm adds a host to the confirmed ones, or removes it, and returns it as stored.
func confirm(address string, remove bool) (host string, changed bool, err error) {
	if host, err = site.HostOf(address); err != nil {
		return "", false, err
	}
	if confirmedPath() == "" {
		return host, false, fault.Decline("there is no home directory to keep the confirmed hosts in").WithHint("set HOME or XDG_STATE_HOME")
	}
	hosts, err := confirmed()
	if err != nil {
		return host, false, err
	}
	if slices.Contains(hosts, host) != remove {
		return host, false, nil
	}
	if remove {
		hosts = slices.DeleteFunc(hosts, func(h string) bool { return h == host })
	} else {
		hosts = append(hosts, host)
	}
	text := strings.Join(hosts, "\n") + "\n"
	if len(text) > maxConfirmed {
		return host, false, fault.New(fault.TooLarge, "more hosts are confirmed than the list can hold").WithHint("remove some from %s", words.Quoted(confirmedPath()))
	}
	if err := os.MkdirAll(filepath.Dir(confirmedPath()), 0o700); err != nil {
		return host, false, frame.Unwritable(confirmedPath(), err)
	}
	return host, true, frame.WritePrivate(confirmedPath(), []byte(text))
}
