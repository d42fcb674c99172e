// Package pgserver starts a private PostgreSQL for tests: a fresh cluster in a temporary directory, reachable on loopback
// and on a socket in that directory, with a collation other than C and with durable commits, unless EnvSync says
// otherwise.
//
// A small shell script (watch.sh) watches the server and holds the other end of a pipe. When the process that called
// Start ends, however it ends, the pipe closes, and the script stops the server and removes its directory.
package pgserver

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// EnvURL is the variable that names the database that tests use instead of a private one.
const EnvURL = "TASKER_TEST_POSTGRES"

// EnvSync is the variable that, as "off", makes a server let the operating system decide when files reach the disk. No
// test cuts the power, and making and dropping a thousand databases would wait for the disk each time. Benchmarks do not
// set it.
const EnvSync = "TASKER_TEST_FSYNC"

// Template is the database that the tests' databases are copied from, on a server that has it.
const Template = "tasker_template"

// superuser is the user that tests connect as, and also the name of the database.
const superuser = "tasker"

//go:embed watch.sh
var watch string

// Server is a running private PostgreSQL. Keep it reachable for as long as the server is needed: it ends with the pipe
// that Server holds.
type Server struct {
	// URL is a postgres:// URL of a superuser in an empty database.
	URL string

	cmd   *exec.Cmd
	stdin io.Closer
}

// Start makes a cluster and starts a server on it; it returns when the server accepts connections. If there is no
// PostgreSQL on this machine, the error says what to install.
func Start() (*Server, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	locale, err := bin.localeFlags()
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	sweep()
	dir, err := makeDir(owner)
	if err != nil {
		return nil, err
	}
	s, err := run(bin, dir, rand.Text(), owner, locale)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// Standby starts a server that copies this one, and follows it by streaming replication: a standby, until somebody
// promotes it.
func (s *Server) Standby() (*Server, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	of, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := makeDir(owner)
	if err != nil {
		return nil, err
	}
	password, _ := of.User.Password()
	standby, err := run(bin, dir, password, owner, nil, "PRIMARY="+of.Port())
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return standby, nil
}

// Stop stops the server and removes its directory.
func (s *Server) Stop() error {
	// The watcher stops at the end of its input.
	if err := s.stdin.Close(); err != nil {
		return fmt.Errorf("telling the private PostgreSQL to stop: %w", err)
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the private PostgreSQL did not stop cleanly: %w", err)
	}
	return nil
}

// run starts the watcher, which starts the server, and waits for its report. From here on the directory belongs to the
// watcher.
func run(bin binaries, dir, password string, owner *syscall.Credential, locale []string, env ...string) (*Server, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string]string{"password": password, "watch.sh": watch} {
		if err := write(filepath.Join(dir, name), content, owner); err != nil {
			return nil, err
		}
	}

	args := append([]string{"watch.sh", dir, bin.dir, superuser, strings.Join(ports, " ")}, locale...)
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = dir // the server's user may have no access to the caller's working directory
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C", "FSYNC=" + sync()}
	cmd.Env = append(cmd.Env, env...)
	// A group of its own protects the watcher from Ctrl-C and from the group kill of a test runner: it must outlive both.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: owner}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe to the watcher of PostgreSQL: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe from the watcher of PostgreSQL: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the watcher of PostgreSQL: %w", err)
	}
	s := &Server{cmd: cmd, stdin: stdin}

	// The watcher writes "ready PORT" once, or else what went wrong, and then closes its output.
	said, err := io.ReadAll(out)
	port, ok := bytes.CutPrefix(said, []byte("ready "))
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("the private PostgreSQL of %s did not start:\n%s", bin.dir, said), err, s.Stop())
	}
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, password),
		Host:     net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(port))),
		Path:     "/" + superuser,
		RawQuery: "sslmode=disable",
	}
	s.URL = u.String()
	return s, nil
}

// sync returns whether the server waits for the disk, as a value of its configuration.
func sync() string {
	if os.Getenv(EnvSync) == "off" {
		return "off"
	}
	return "on"
}

func write(path, content string, owner *syscall.Credential) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return fmt.Errorf("preparing the private PostgreSQL: %w", err)
	}
	return chown(path, owner)
}

// freePorts returns n ports that nobody listens on now. Somebody may take one before the server does, so the watcher
// tries one after another.
func freePorts(n int) ([]string, error) {
	ports := make([]string, 0, n)
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		defer l.Close() // all at the end, so that the ports differ
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		ports = append(ports, port)
	}
	return ports, nil
}
