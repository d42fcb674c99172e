// Package child starts processes, and no other package does. What a process is for decides which of our credentials it is
// given; secrets are masked in what it prints; and it ends with us. Run puts it into a process group of its own, so that whatever
// it starts ends with it; Attached gives it our terminal. Both tell its exit code apart from not having run at all.
package child

import (
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

// Command is what to run. What it is for decides which of our credentials it is given, whatever Env holds. Output gets what it
// prints on both streams, a write at a time; nil throws it away. Where Errors is set, it gets what is printed on standard error
// instead.
type Command struct {
	For    purpose.Purpose
	Args   []string // the program and its arguments; no shell is between
	Dir    string
	Env    []string // all of its environment, but for our credentials
	Stdin  io.Reader
	Output io.Writer
	Errors io.Writer
	Secret []string // values that are masked in what it prints, except by Attached, whose streams are the user's own
	// Brief is for a program that ends soon by itself: nothing is started to guard its group, which would cost as much as the
	// program. Where this process is killed, only the program itself ends with it, and only on Linux.
	Brief bool
}

// ErrNotFound is the cause of the error where there is no such program.
var ErrNotFound = exec.ErrNotFound

// Result is how a command ended.
type Result struct {
	ExitCode int           // -1 where a signal ended it
	Took     time.Duration // from its start to its end
}

// How long a group may take to end by itself once it is told to.
const (
	grace      = 5 * time.Second
	briefGrace = time.Second
)

// Run runs the command to its end. An error means that it did not run; how it ended is in the result, also where ctx
// ended it: then its group is told to stop, and killed where it does not. What it started and left behind is killed
// when it ends: nobody would look after it. Where this process is killed, the group is told to stop all the same.
func Run(ctx context.Context, c Command) (Result, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...) //nolint:gosec // running what it is given is what it is for
	unmask := c.masked()
	c.attach(cmd)
	var g *group
	if c.Brief {
		cmd.WaitDelay, g = briefGrace, briefGroup(cmd)
		runtime.LockOSThread() // it ends with the thread that started it
		defer runtime.UnlockOSThread()
	} else {
		cmd.WaitDelay, g = grace, newGroup(cmd)
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

// masked puts maskers before the streams of a command that is given secrets, and returns what writes the rest at its end.
func (c *Command) masked() (end func()) {
	if len(c.Secret) == 0 {
		return func() {}
	}
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
			_ = m.end() // a writer that fails has ended the command's own writes before
		}
	}
}

// attach gives a command its directory, its environment and its streams. An environment of nothing is not ours.
func (c Command) attach(cmd *exec.Cmd) {
	cmd.Dir, cmd.Env = c.Dir, c.For.Environment(c.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Output, c.Output // the same writer: one goroutine writes to it
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

// inner is the operating system's own word.
func inner(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
