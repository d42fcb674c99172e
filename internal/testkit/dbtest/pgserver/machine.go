package pgserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrNotFound says that there is no PostgreSQL on this machine that can be started.
var ErrNotFound = errors.New("no PostgreSQL server (initdb, pg_ctl, postgres) was found on PATH or in /usr/lib/postgresql: " +
	"run `make test`, which installs it, or name a database in " + EnvURL)

// oldest is the oldest major version that the project supports.
const oldest = 13

// binaries is one installation of the server's programs.
type binaries struct {
	dir   string
	major int
}

// find looks for the server's programs on PATH first, then where Debian keeps them, newest version first.
func find() (binaries, error) {
	var dirs []string
	if path, err := exec.LookPath("initdb"); err == nil {
		// Resolve the link: the programs next to the real one belong together.
		if program, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(program))
		}
	}
	debian, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return binaries{}, fmt.Errorf("looking for PostgreSQL: %w", err)
	}
	slices.SortFunc(debian, func(a, b string) int { return versionIn(b) - versionIn(a) })

	old := 0
	for _, dir := range append(dirs, debian...) {
		b := binaries{dir: dir}
		if !b.complete() {
			continue
		}
		if b.major, err = b.version(); err != nil {
			return binaries{}, err
		}
		if b.major >= oldest {
			return b, nil
		}
		old = b.major
	}
	if old > 0 {
		return binaries{}, fmt.Errorf("only PostgreSQL %d is installed here, and %d is the oldest that is supported: "+
			"install a newer one, or name a database in %s", old, oldest, EnvURL)
	}
	return binaries{}, ErrNotFound
}

// versionIn reads the version from a path such as /usr/lib/postgresql/15/bin; 0 if there is none.
func versionIn(dir string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0
	}
	return n
}

func (b binaries) complete() bool {
	for _, name := range []string{"initdb", "pg_ctl", "postgres", "psql"} {
		if _, err := os.Stat(filepath.Join(b.dir, name)); err != nil {
			return false
		}
	}
	return true
}

func (b binaries) version() (int, error) {
	out, err := exec.Command(filepath.Join(b.dir, "initdb"), "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("asking %s/initdb for its version: %w", b.dir, err)
	}
	_, rest, _ := strings.Cut(string(out), ") ") // "initdb (PostgreSQL) 15.18 (Debian …)"
	digits := strings.TrimRightFunc(strings.SplitN(rest, ".", 2)[0], func(r rune) bool { return r < '0' || r > '9' })
	major, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("%s/initdb says %q, which names no version", b.dir, out)
	}
	return major, nil
}

// localeFlags returns the options of initdb that select a collation other than C, so that a query that forgets to ask for
// byte order fails in tests as it would for users. ICU is built in since 15; before that, the machine must have a locale.
func (b binaries) localeFlags() ([]string, error) {
	if b.major >= 15 {
		return []string{"--locale=C", "--locale-provider=icu", "--icu-locale=en-US"}, nil
	}
	out, err := exec.Command("locale", "-a").Output()
	if err != nil {
		return nil, fmt.Errorf("asking for the locales of this machine: %w", err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		language, charset, _ := strings.Cut(strings.ToLower(name), ".")
		if language != "c" && language != "posix" && (charset == "utf8" || charset == "utf-8") {
			return []string{"--locale=" + name}, nil
		}
	}
	return nil, fmt.Errorf("PostgreSQL %d needs a UTF-8 locale other than C, and none is installed here: "+
		"run `make test`, which makes one, or `localedef -i en_US -f UTF-8 en_US.UTF-8` as root", b.major)
}

// unprivileged returns the user to run the server as if we are root, which PostgreSQL refuses; nil means ourselves.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("the user %s has no numeric id: %w", name, err)
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("the group of %s has no numeric id: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as: " +
		"run the tests as another user, or name a database in " + EnvURL)
}

// prefix begins the names of the servers' directories.
const prefix = "tasker-pg-"

// Root returns the parent of the servers' directories. It is short, because a socket's path may have at most 107 bytes,
// and accessible to the user that the server runs as.
func Root() string {
	if runtime.GOOS == "linux" {
		return "/tmp"
	}
	return os.TempDir()
}

func makeDir(owner *syscall.Credential) (string, error) {
	dir, err := os.MkdirTemp(Root(), prefix)
	if err != nil {
		return "", fmt.Errorf("making a directory for PostgreSQL: %w", err)
	}
	return dir, chown(dir, owner)
}

func chown(path string, owner *syscall.Credential) error {
	if owner == nil {
		return nil
	}
	if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("giving %s to the user of PostgreSQL: %w", path, err)
	}
	return nil
}

// sweep removes the directories of servers whose watcher was itself killed, or that a crash of the machine left behind. A
// server that continues without its watcher stops within a minute of losing its directory.
func sweep() {
	dirs, err := filepath.Glob(filepath.Join(Root(), prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		if abandoned(dir, time.Now()) {
			// Leave what belongs to another user; that user's runs sweep it.
			_ = os.RemoveAll(dir)
		}
	}
}

// abandoned reports whether nobody watches the directory any more. The process id is not enough if two containers share
// /tmp, so a server that answers keeps its directory for longer than any test runs.
func abandoned(dir string, now time.Time) bool {
	info, err := os.Stat(dir)
	if err != nil || now.Sub(info.ModTime()) < time.Minute { // it is just being made
		return false
	}
	if id, err := os.ReadFile(filepath.Join(dir, "watcher")); err == nil {
		pid, err := strconv.Atoi(strings.TrimSpace(string(id)))
		if err == nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return false
		}
	}
	return !answers(dir) || now.Sub(info.ModTime()) > 6*time.Hour
}

func answers(dir string) bool {
	sockets, err := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*[0-9]"))
	if err != nil {
		return false
	}
	for _, socket := range sockets {
		if c, err := net.Dial("unix", socket); err == nil {
			return c.Close() == nil
		}
	}
	return false
}
