//go:build unix

package frame

import (
	"os"
	"os/signal"
	"syscall"
)

// suspend calls pause on Ctrl-Z, so that a process in the middle of a write turn finishes it first: otherwise others
// would wait for a stopped process.
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
				// The kernel may stop the threads a moment after kill returns. Until the process continues, none of its
				// threads may start a turn.
				if syscall.Kill(os.Getpid(), syscall.SIGSTOP) == nil {
					<-resumed
				}
			})
		}
	}()
}
