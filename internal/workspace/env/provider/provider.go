// Package provider gives workspaces their environment: a chain of providers, each a source of variables and files, of
// which later ones override earlier ones.
//
// Each kind of provider is a package below this one and declares a Kind. No error of a provider holds a value, a
// credential or a word of what a server or command answered: errors reach terminals, logs and models.
package provider

import (
	"context"

	"tasker/internal/config"
	"tasker/internal/workspace/env/fetch"
)

// Provider is a source of environment values.
type Provider interface {
	// Values returns what the workspace of the request gets. An error is a fault that reads on after the provider's name;
	// Chain puts the name before it.
	Values(ctx context.Context, r Request) (Result, error)
}

// Request says for whom values are asked.
type Request struct {
	Root   string   // of the repository
	Dir    string   // the workspace: Root itself where work is done in place
	Task   string   // its id
	Branch string   // that the workspace is on
	Env    []string // the environment so far, as NAME=VALUE: what commands are run with, and where settings are looked up

	own []string // the environment without what providers gave
}

// Named returns what variables of the process's own environment name: nothing that a provider before this one gave, since
// that may be a file of the repository.
func (r Request) Named(names ...string) (out []string) {
	own := Request{Env: r.own}
	for _, name := range names {
		if value := own.First(name); value != "" {
			out = append(out, value)
		}
	}
	return out
}

// Own returns the request as it is without what providers gave.
func (r Request) Own() Request {
	r.Env = r.own
	return r
}

// Lookup returns a variable of the environment so far.
func (r Request) Lookup(name string) (string, bool) {
	for i := len(r.Env) - 1; i >= 0; i-- { // the last one counts
		if n := len(name); len(r.Env[i]) > n && r.Env[i][n] == '=' && r.Env[i][:n] == name {
			return r.Env[i][n+1:], true
		}
	}
	return "", false
}

// First returns the first of the variables that is set and not empty, "" where none is.
func (r Request) First(names ...string) string {
	for _, name := range names {
		if value, _ := r.Lookup(name); value != "" {
			return value
		}
	}
	return ""
}

// Result is what one provider gives.
type Result struct {
	Values map[string]string
	Files  []File
}

// File is a file that belongs into the workspace. Whoever writes it gives it the mode 0600 and keeps it out of version
// control.
type File struct {
	Path string // below the workspace, with slashes
	Text []byte
}

// Parts are what providers reach the world by.
type Parts struct {
	Run    Runner
	Git    Git
	Client fetch.Client
}

// Kind declares one kind of provider: what of the configuration it reads, and how one is made.
type Kind struct {
	Type    string
	Keys    []string // of the configuration, beside type and options
	Options []string // its own; every kind also has CommonOptions
	Passes  bool     // it runs a program that is given the options which it does not know itself, as optionPrefix and the name
	New     func(c config.Provider, p Parts) (Provider, error)
	Writes  func(c config.Provider) []string // the files that it may write into a workspace, below its root; nil: none
}
