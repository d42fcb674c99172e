//go:build !unix

package db

import "context"

// queue does nothing here: processes wait for each other in the engine's own busy handling.
type queue struct{}

func openQueue(string) (Queue, error) { return &queue{}, nil }

func (*queue) Take(context.Context, Asking) error { return nil }
func (*queue) Holder() Holder                     { return Holder{} }
func (*queue) Give()                              {}
func (*queue) Close()                             {}
func (*queue) Stay()                              {}
func (*queue) Others() bool                       { return false }

func staying(string) bool { return false }
