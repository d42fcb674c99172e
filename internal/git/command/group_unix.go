//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// alone gives git a process group of its own, so that whatever it starts ends with it: a transport waits for a remote that does
// not answer, and holds git's output open.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
