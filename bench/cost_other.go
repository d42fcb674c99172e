//go:build !unix

package main

// processorTime returns 0, because the system does not report it.
func processorTime() float64 { return 0 }
