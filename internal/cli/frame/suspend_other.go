//go:build !unix

package frame

// suspend does nothing: terminals do not suspend processes on this system.
func suspend(func(suspend func())) {}
