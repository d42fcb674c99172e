//go:build !unix

package frame

// suspend has nothing to do: no terminal suspends a process here.
func suspend(func(suspend func())) {}
