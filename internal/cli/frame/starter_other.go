//go:build !linux

package frame

// starter cannot be told here.
func starter() string { return "" }
