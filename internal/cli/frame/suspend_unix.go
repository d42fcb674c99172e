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
	asked, resumed := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTSTP)
	signal.Notify(resumed, syscall.SIGCONT)
	go func() {
		for range asked {
			select {
			case <-resumed: // from an earlier stop
			default:
			}
			pause(func() {
				// The kernel may stop the threads a moment after kill has returned. Until the process goes on again, nothing
				// of it may run on into a turn.
				if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
					<-resumed
				}
			})
		}
	}()
}
