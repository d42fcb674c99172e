//go:build !unix

package child

import "os/exec"

// group does nothing on systems without process groups. Only the command itself is ended: what it started goes on, and so
// does the command if this process is killed.
type group struct{ command *exec.Cmd }

func newGroup(cmd *exec.Cmd) *group   { return &group{cmd} }
func briefGroup(cmd *exec.Cmd) *group { return &group{cmd} }
func (g *group) stop() error          { return g.command.Process.Kill() }
func (*group) end()                   {}
