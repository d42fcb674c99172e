//go:build !unix

package child

import "os"

var handed = []os.Signal{os.Interrupt}

func typed(os.Signal) bool { return true }

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
