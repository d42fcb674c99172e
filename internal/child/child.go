// Package child starts processes, and no other package does. A process's purpose decides which of our credentials it gets.
// Secrets are masked in what it prints, and it ends with us. Run puts it into a process group of its own, so that
// everything it starts ends with it; Attached gives it our terminal. Both distinguish its exit code from a failure to
// start.
package child

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"tasker/internal/child/purpose"
	"tasker/internal/fault"
)

// Command describes what to run. For decides which of our credentials it gets, whatever Env holds. Output receives both
// streams, one write at a time; nil discards them. If Errors is set, it receives standard error instead.
type Command struct {
	For    purpose.Purpose
	Args   []string // the program and its arguments; no shell in between
	Dir    string
	Env    []string // its whole environment, except our credentials
	Stdin  io.Reader
	Output io.Writer
	Errors io.Writer
	Secret []string // values to mask in its output; Attached does not, because its streams are the user's own
	// Brief is for a program that ends soon by itself: no guard is started for its group, which would cost as much as the
	// program. If this process is killed, only the program itself ends with it, and only on Linux.
	Brief bool
	// Grace is how long its group may take to end by itself when asked to; 0: five seconds, and one if it is brief.
	Grace time.Duration
}

// ErrNotFound is the cause of the error if the program does not exist.
var ErrNotFound = exec.ErrNotFound

// Result says how a command ended.
type Result struct {
	ExitCode int           // -1 if a signal ended it
	Took     time.Duration // from start to end
}

// How long a group may take to end by itself when asked to.
const (
	grace      = 5 * time.Second
	briefGrace = time.Second
)

// Run runs the command to its end. An error means that it did not run. The result says how it ended, also if ctx ended it:
// then its group is asked to stop, and killed if it does not. When the command ends, everything that it started and left
// behind is killed, because nothing would look after it. If this process is killed, the group is still asked to stop.
func Run(ctx context.Context, c Command) (Result, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...) //nolint:gosec // running what it is given is its purpose
	unmask := c.masked()
	c.attach(cmd)
	var g *group
	if c.Brief {
		cmd.WaitDelay, g = cmp.Or(c.Grace, briefGrace), briefGroup(cmd)
		runtime.LockOSThread() // the command ends with the thread that started it
		defer runtime.UnlockOSThread()
	} else {
		cmd.WaitDelay, g = cmp.Or(c.Grace, grace), newGroup(cmd)
	}
	cmd.Cancel = g.stop
	start := time.Now()
	if err := cmd.Start(); err != nil {
		g.end()
		return Result{}, unstarted(c, err)
	}
	err := cmd.Wait()
	g.end()
	unmask()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		return Result{}, fault.New(fault.Internal, "%s cannot be followed: %v", filepath.Base(c.Args[0]), err).WithCause(err)
	}
	return Result{ExitCode: cmd.ProcessState.ExitCode(), Took: took}, nil
}

// masked puts maskers in front of the streams of a command that gets secrets, and returns a function that writes the rest
// at its end.
func (c *Command) masked() (end func()) {
	var maskers []*masker
	for _, stream := range []*io.Writer{&c.Output, &c.Errors} {
		if *stream == nil {
			continue
		}
		if m := newMasker(*stream, c.Secret); m != nil {
			maskers, *stream = append(maskers, m), m
		}
	}
	return func() {
		for _, m := range maskers {
			_ = m.end() // if a writer fails, the command's own writes have failed before
		}
	}
}

// attach sets a command's directory, environment and streams. An empty environment does not mean ours.
func (c Command) attach(cmd *exec.Cmd) {
	cmd.Dir, cmd.Env = c.Dir, c.For.Environment(c.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Output, c.Output // the same writer, so one goroutine writes to it
	if c.Errors != nil {
		cmd.Stderr = c.Errors
	}
}

func unstarted(c Command, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fault.Bad("there is no program %s", c.Args[0]).WithHint("give its path, or put it on PATH").WithCause(err)
	}
	return fault.Bad("%s cannot be started: %v", c.Args[0], inner(err)).WithHint("check the path and its permissions").WithCause(err)
}

// inner returns the operating system's own error.
func inner(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
