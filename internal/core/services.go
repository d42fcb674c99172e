package core

// Services are the operations over one store, in one process.
type Services struct {
	Store    Store
	Settings Settings
	Binary   string // the binary's semver
	Config   int    // the configuration format that it speaks
}
