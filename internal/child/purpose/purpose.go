// Package purpose says what a process is started for, and which of tasker's own credentials it is given for that.
package purpose

import (
	"net/url"
	"slices"
	"strings"
)

// Purpose is what a process is started for. The zero value is given no credential.
type Purpose int

// What we start processes for.
const (
	Other    Purpose = iota
	Worker           // the command of run, and that of workspace exec: it works on a task through tasker
	Step             // of a workspace's setup or teardown
	Provider         // of a workspace's environment
	Channel          // that delivers inbox items
	Proof            // the command that is evidence where it ends well
	Editor
	Pager
	Git
)

// All lists them.
var All = []Purpose{Other, Worker, Step, Provider, Channel, Proof, Editor, Pager, Git}

func (p Purpose) String() string {
	return [...]string{"other", "worker", "step", "provider", "channel", "proof", "editor", "pager", "git"}[p]
}

// The variables that reach our data, and where it is.
const (
	session  = "TASKER_SESSION"
	token    = "TASKER_TOKEN"
	database = "TASKER_DB"
	server   = "TASKER_URL"
)

// foreign are our credentials for other systems. No process that we start needs them.
var foreign = []string{"TASKER_WEBHOOK_SECRET", "TASKER_TRACKER_TOKEN", "TASKER_CODE_HOST_TOKEN", "TASKER_CODE_HOST_SECRET"}

// Environment leaves out of an environment those of our credentials that a process of this purpose is not given. A worker
// keeps one way to our data: the session, else the token, else the database as it is; the database too where no server is
// named, since the others are for a server. Everybody else keeps none, and the address of a database only where no password
// is in it. The environment that is passed stays as it is.
func (p Purpose) Environment(env []string) []string {
	drop := append([]string{session, token}, foreign...)
	keepDB := false
	if p == Worker {
		drop = foreign
		hasSession, hasToken := last(env, session) != "", last(env, token) != ""
		if hasSession {
			drop = append([]string{token}, foreign...)
		}
		keepDB = !hasSession && !hasToken || last(env, server) == ""
	}
	out := make([]string, 0, len(env))
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(drop, name) || name == database && !keepDB && hasPassword(value) {
			continue
		}
		out = append(out, entry)
	}
	return out
}

// last returns a variable of an environment, in which a later entry counts more.
func last(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if n, value, _ := strings.Cut(entry, "="); n == name {
			return value
		}
	}
	return ""
}

// hasPassword reports whether the address of a database holds a password, or may hold one: PostgreSQL also takes one as a
// parameter, and as one of its pairs of a key and a value.
func hasPassword(address string) bool {
	if _, after, found := strings.Cut(strings.ToLower(address), "password"); found && strings.Contains(after, "=") {
		return true
	}
	u, err := url.Parse(address)
	if err != nil {
		return strings.Contains(address, "://")
	}
	_, set := u.User.Password()
	return set
}
