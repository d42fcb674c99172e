//go:build unix

package child

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// group is the process group of a command: the command, everything that it starts, and a guard, which leads it. The guard
// ends the group if this process dies without doing so: a process that is killed can no longer act. The guard is a shell
// that reads from us: its input ends either after the group, or with this process.
type group struct {
	command, guard *exec.Cmd // without a guard, the command leads
	input          io.Closer // the guard's
}

// guarding gives a group as much time to end as Run does.
const guarding = `trap "" TERM INT HUP; read -r word || { kill -s TERM 0; sleep 5; kill -s KILL 0; }`

// newGroup starts the guard of a group for a command to join. Without a shell, the group has no guard.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, in, err := os.Pipe() // closed in every program that we start
	if err != nil {
		return &group{command: cmd}
	}
	defer func() { _ = out.Close() }()
	guard := exec.Command("/bin/sh", "-c", guarding) //nolint:noctx // it outlives every context: it ends with the pipe
	guard.Stdin, guard.Dir, guard.Env = out, "/", []string{"PATH=/usr/bin:/bin"}
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if guard.Start() != nil {
		_ = in.Close()
		return &group{command: cmd}
	}
	cmd.SysProcAttr.Pgid = guard.Process.Pid
	return &group{cmd, guard, in}
}

// briefGroup returns a group that a command leads, without a guard.
func briefGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endsWithUs(cmd.SysProcAttr)
	return &group{command: cmd}
}

// signal sends a signal to everything in the group.
func (g *group) signal(sig syscall.Signal) error {
	leader := cmp.Or(g.guard, g.command)
	if leader.Process == nil {
		return os.ErrProcessDone // it never started
	}
	return syscall.Kill(-leader.Process.Pid, sig)
}

// stop asks everything in the group to end.
func (g *group) stop() error { return g.signal(syscall.SIGTERM) }

// end ends what is left of the group, if anything. It is called only once: afterwards the group's number may belong to
// another.
func (g *group) end() {
	_ = g.signal(syscall.SIGKILL)
	if g.guard != nil {
		_ = g.input.Close()
		_ = g.guard.Wait() // how it ended does not matter
	}
}
