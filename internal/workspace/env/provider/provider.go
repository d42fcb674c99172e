// Package provider gives workspaces their environment through a chain of providers. Each is a
// source of variables and files, and later ones override earlier ones.
//
// Each kind of provider has its own package and declares a Kind. No error of a provider contains a
// value, a credential or any text that a server or command returned: errors reach terminals, logs
// and models.
package provider

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/workspace/env/fetch"
)

// Provider is a source of environment values.
type Provider interface {
	// Values returns what the workspace of the request gets. An error is a fault that continues a
	// sentence; Chain puts the provider's name before it.
	Values(ctx context.Context, r Request) (Result, error)
}

// Request says which workspace the values are for.
type Request struct {
	Root string   // of the repository
	Dir  string   // the workspace; Root itself if work is done in place
	Task string   // its id
	Env  []string // the environment so far, as NAME=VALUE: commands run with it, and settings are looked up in it

	own []string // the environment without what providers gave
}

// Named returns the values of variables in the process's own environment. It ignores what earlier
// providers gave, since that may come from a file of the repository.
func (r Request) Named(names ...string) (out []string) {
	for _, name := range names {
		if value := r.Own().First(name); value != "" {
			out = append(out, value)
		}
	}
	return out
}

// Own returns the request without what providers gave.
func (r Request) Own() Request {
	r.Env = r.own
	return r
}

// Lookup returns a variable of the environment so far.
func (r Request) Lookup(name string) (string, bool) {
	for _, entry := range slices.Backward(r.Env) { // the last one wins
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// First returns the first of the variables that is set and not empty, or "".
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

// File is a file for the workspace. The code that writes it must set the mode 0600 and keep it out
// of version control.
type File struct {
	Path string // below the workspace, with slashes
	Text []byte
}

// Parts are the means by which providers reach the outside.
type Parts struct {
	Run    Runner
	Git    Git
	Client fetch.Client
}

// Kind declares one kind of provider: which parts of the configuration it reads, and how to make
// one.
type Kind struct {
	Type    string
	Keys    []string // of the configuration, besides type and options
	Options []string // its own; every kind also has CommonOptions
	Passes  bool     // it runs a program and passes it unknown options as variables: optionPrefix and the name
	New     func(c config.Provider, p Parts) (Provider, error)
	Writes  func(c config.Provider) []string // the files that it may write into a workspace, below its root; nil: none
}
