//go:build !unix

package proc

import "os/exec"

// Elsewhere there are no process groups: the command itself ends, and what it started is its own affair.

func ownGroup(*exec.Cmd) {}

func stopGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(*exec.Cmd) {}
