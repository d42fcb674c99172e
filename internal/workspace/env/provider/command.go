package provider

import (
	"bytes"
	"context"
	"io"

	"tasker/internal/fault"
)

// Command is a program to run.
type Command struct {
	Args   []string // the program and its arguments; no shell is between
	Dir    string
	Env    []string // all of its environment
	Output io.Writer
	Errors io.Writer
}

// Runner runs a command to its end, and all that it started. An error means that it did not run. Where ctx ends first it
// is stopped; its exit code is then not 0.
type Runner func(ctx context.Context, c Command) (exitCode int, err error)

// Git asks git about the repository of a directory, in the one way in which nothing runs that a repository names, and returns
// what it printed, 1 MiB at most. It reports whether git said yes; an error means that it did not answer.
type Git func(ctx context.Context, dir string, env []string, args ...string) (out string, yes bool, err error)

// Printed is what a command printed. Neither stream may be shown to anybody: both may hold values.
type Printed struct {
	Output   string
	Errors   string // the first 64 KiB
	ExitCode int
}

const (
	maxOutput = 1 << 20
	maxErrors = 64 << 10
)

// Capture runs a command and returns what it printed.
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
	text  bytes.Buffer // not embedded: its ReadFrom knows no limit
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
