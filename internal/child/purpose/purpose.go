// Package purpose says what a process is started for, and which of tasker's own credentials it gets.
package purpose

import (
	"net/url"
	"slices"
	"strings"
)

// Purpose is what a process is started for. A process with the zero value gets no credential.
type Purpose int

// The purposes of the processes that we start.
const (
	Other    Purpose = iota
	Worker           // the command of run or workspace exec: it works on a task through tasker
	Step             // sets up a workspace or tears it down
	Provider         // provides a workspace's environment
	Channel          // delivers inbox items
	Proof            // a command whose success is evidence, for the first time or again
	Editor
	Pager
	Git
)

// All lists the purposes.
var All = []Purpose{Other, Worker, Step, Provider, Channel, Proof, Editor, Pager, Git}

func (p Purpose) String() string {
	return [...]string{"other", "worker", "step", "provider", "channel", "proof", "editor", "pager", "git"}[p]
}

// The variables that give access to our data, and say where it is.
const (
	session  = "TASKER_SESSION"
	token    = "TASKER_TOKEN"
	database = "TASKER_DB"
	server   = "TASKER_URL"
)

// foreign are our credentials for other systems. No process that we start needs them.
var foreign = []string{"TASKER_WEBHOOK_SECRET", "TASKER_TRACKER_TOKEN", "TASKER_CODE_HOST_TOKEN", "TASKER_CODE_HOST_SECRET"}

// Environment returns env without the credentials that a process of this purpose must not get. A worker keeps one way to
// our data: the session, or else the token, or else the database as it is. If no server is named it keeps the database too,
// because the others are for a server. Every other purpose keeps none, and the address of a database only if it contains no
// password. env itself does not change.
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
	return slices.DeleteFunc(append([]string{}, env...), func(entry string) bool { // never nil, which would mean ours
		name, value, _ := strings.Cut(entry, "=")
		return slices.Contains(drop, name) || name == database && !keepDB && hasPassword(value)
	})
}

// Provided is the variable that names the variables that providers supply, separated by commas.
const Provided = "TASKER_PROVIDED"

// theirs are the credentials with which providers of a workspace's environment are asked.
var theirs = []string{
	"VAULT_TOKEN", "VAULT_SECRET_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "OP_SERVICE_ACCOUNT_TOKEN", "GITHUB_TOKEN", "GH_TOKEN",
}

// Secrets returns the values in an environment that nothing may show: our credentials, those of providers, what providers
// supplied, and the password of the database.
func Secrets(env []string) []string {
	names := slices.Concat([]string{session, token}, foreign, theirs, strings.Split(last(env, Provided), ","))
	var out []string
	for _, name := range names {
		if value := last(env, name); name != "" && value != "" {
			out = append(out, value)
		}
	}
	if db := last(env, database); hasPassword(db) {
		out = append(out, db)
		if u, err := url.Parse(db); err == nil {
			if password, set := u.User.Password(); set {
				out = append(out, password)
			}
		}
	}
	return out
}

// last returns a variable of an environment; later entries win.
func last(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if n, value, _ := strings.Cut(entry, "="); n == name {
			return value
		}
	}
	return ""
}

// hasPassword reports whether the address of a database contains a password, or may contain one: PostgreSQL also accepts a
// password as a parameter, and in its key=value form.
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
