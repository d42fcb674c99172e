//go:build unix

package frame

import (
	"os"
	"os/signal"
	"syscall"
)

// suspend has pause called on Ctrl-Z, so that a process that holds the turn to write ends it first: others would wait for
// one that is stopped.
func suspend(pause func(suspend func())) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTSTP)
	go func() {
		for range asked {
			pause(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) })
		}
	}()
}
