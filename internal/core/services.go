package core

import "sync"

// Services are the operations over one store, in one process.
type Services struct {
	Store    Store
	Settings Settings
	Binary   string // the binary's semver
	Config   int    // the configuration format that it speaks

	// Memo is where composed reads keep what is costly to count, each with the version that it was counted from.
	Memo sync.Map
}
