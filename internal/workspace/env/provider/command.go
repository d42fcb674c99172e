package provider

import (
	"context"
	"io"

	"tasker/internal/child/tail"
	"tasker/internal/fault"
)

// Command is a program to run.
type Command struct {
	Args   []string // the program and its arguments, without a shell
	Dir    string
	Env    []string // its whole environment
	Output io.Writer
	Errors io.Writer
}

// Runner runs a command until it and everything it started have ended. An error means that it did
// not run. If ctx ends first, the command is stopped and its exit code is not 0.
type Runner func(ctx context.Context, c Command) (exitCode int, err error)

// Git asks git about the repository of a directory without running anything that the repository
// names, and returns at most 1 MiB of output. yes reports whether git succeeded; an error means
// that it gave no answer.
type Git func(ctx context.Context, dir string, env []string, args ...string) (out string, yes bool, err error)

// Printed is the output of a command. Neither stream may be shown to anybody: both may hold values.
type Printed struct {
	Output   string
	Errors   string // the first 64 KiB
	ExitCode int
}

const (
	maxOutput = 1 << 20
	maxErrors = 64 << 10
)

// Capture runs a command and returns its output.
func (run Runner) Capture(ctx context.Context, c Command) (Printed, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	out, errs := tail.NewStart(maxOutput, cancel), tail.NewStart(maxErrors, func() {})
	c.Output, c.Errors = out, errs
	code, err := run(inner, c)
	switch {
	case ctx.Err() != nil:
		return Printed{}, ctx.Err()
	case out.Cut():
		return Printed{}, fault.Bad("printed more than 1 MiB")
	case err != nil:
		return Printed{}, err
	}
	return Printed{out.String(), errs.String(), code}, nil
}
