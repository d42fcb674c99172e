package provider

import (
	"bytes"
	"context"
	"io"

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
	out, errs := &bounded{limit: maxOutput, full: cancel}, &bounded{limit: maxErrors}
	c.Output, c.Errors = out, errs
	code, err := run(inner, c)
	switch {
	case ctx.Err() != nil:
		return Printed{}, ctx.Err()
	case out.cut:
		return Printed{}, fault.Bad("printed more than 1 MiB")
	case err != nil:
		return Printed{}, err
	}
	return Printed{out.text.String(), errs.text.String(), code}, nil
}

// bounded is a buffer that stops growing.
type bounded struct {
	text  bytes.Buffer // not embedded: its ReadFrom has no limit
	limit int
	full  func() // called when something does not fit; may be nil
	cut   bool
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.limit-b.text.Len())
	b.text.Write(p[:n])
	if n < len(p) {
		b.cut = true
		if b.full != nil {
			b.full()
		}
	}
	return len(p), nil
}
