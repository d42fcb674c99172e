//go:build !unix

package command

import "os/exec"

// alone does nothing: there are no process groups here.
func alone(*exec.Cmd) {}
