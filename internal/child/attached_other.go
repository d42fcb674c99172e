//go:build !unix

package child

import (
	"os"
	"os/exec"
)

var handed = []os.Signal{os.Interrupt}

func typed(os.Signal) bool { return true }

func tied(*exec.Cmd) {}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
