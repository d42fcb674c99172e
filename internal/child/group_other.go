//go:build !unix

package child

import "os/exec"

// group is of nobody here: there are no process groups. The command itself ends, and what it started is its own affair; so
// is the command where this process is killed.
type group struct{ command *exec.Cmd }

func newGroup(cmd *exec.Cmd) *group   { return &group{cmd} }
func briefGroup(cmd *exec.Cmd) *group { return &group{cmd} }
func (g *group) stop() error          { return g.command.Process.Kill() }
func (*group) end()                   {}
