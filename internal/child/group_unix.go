//go:build unix

package child

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// group is the process group of a command: the command, whatever it starts, and a guard, which leads it. The guard ends the
// group when this process has ended without doing so, since one that is killed can do nothing any more. It is a shell that
// reads from us: its input ends either after the group, or with this process.
type group struct {
	command, guard *exec.Cmd // without a guard, the command leads
	input          io.Closer // of the guard
}

// guarding gives a group as long to end in order as Run does.
const guarding = `trap "" TERM INT HUP; read -r word || { kill -s TERM 0; sleep 5; kill -s KILL 0; }`

// newGroup starts the guard of a group that a command joins. Where there is no shell, nobody guards it.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, in, err := os.Pipe() // closed in every program that is started
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
	leader := g.command
	if g.guard != nil {
		leader = g.guard
	}
	if leader.Process == nil {
		return os.ErrProcessDone // it never started
	}
	return syscall.Kill(-leader.Process.Pid, sig)
}

// stop asks everything in the group to end.
func (g *group) stop() error { return g.signal(syscall.SIGTERM) }

// end ends what is left of the group; where nothing is, there is nobody to tell. It is called once: then the group's
// number may be another's.
func (g *group) end() {
	_ = g.signal(syscall.SIGKILL)
	if g.guard != nil {
		_ = g.input.Close()
		_ = g.guard.Wait() // how it ended changes nothing
	}
}
