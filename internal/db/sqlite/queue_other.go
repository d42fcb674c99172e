//go:build !unix

package sqlite

// queue does nothing here: processes wait for each other in the engine's own busy handling.
type queue struct{}

func openQueue(string) (*queue, error) { return &queue{}, nil }

func (*queue) take() error { return nil }
func (*queue) give()       {}
func (*queue) close()      {}
