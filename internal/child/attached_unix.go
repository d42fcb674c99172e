//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// handed are the signals that we forward.
var handed = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

// typed reports whether a signal comes from the keyboard of a terminal, which sends it to the whole foreground group.
func typed(s os.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }

// tied makes a command end with us, if the system supports that.
func tied(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	endsWithUs(cmd.SysProcAttr)
}

func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
