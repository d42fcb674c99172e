package core

import (
	"io"
	"sync"
)

// Services are the operations over one store, in one process.
type Services struct {
	Store    Store
	Settings Settings
	Binary   string // the binary's semver
	Config   int    // the configuration format that it speaks
	// Random gives the bits of credentials.
	Random io.Reader
	// Guide reads tracked guidance; nil where there is no repository to read it from.
	Guide Guide

	// Memo is where composed reads keep what is costly to count, each with the version that it was counted from.
	Memo sync.Map
}
