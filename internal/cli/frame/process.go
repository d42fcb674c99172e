package frame

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"os/user"
	"syscall"
	"time"

	"golang.org/x/term"

	"tasker/internal/child/purpose"
)

// Process holds what the operating system gives a command. Tests fill in their own values.
type Process struct {
	Args    []string                    // without the program's name
	Env     func(string) (string, bool) // looks up a variable
	Dir     string                      // the working directory
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	OutTTY  bool       // standard output is a terminal
	ErrTTY  bool       // standard error is a terminal
	InTTY   bool       // standard input is a terminal
	Width   func() int // columns of the terminal; called only if OutTTY is set
	Height  func() int // lines of the terminal; nil: answers are never paged
	Now     func() time.Time
	User    func() string   // the operating system's user
	Host    func() string   // the machine's name
	Environ func() []string // the whole environment
	Program string          // the path of the running binary
	Starter func() string   // the process that started this one, shells aside; "" if that cannot be told
	// Stop returns a context that ends with SIGINT or SIGTERM; a process that still runs so long after the signal is ended.
	Stop func(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc)
	// Suspend calls pause when the terminal suspends the process (Ctrl-Z), and passes it the function that suspends;
	// nil if the process cannot be suspended.
	Suspend func(pause func(suspend func()))
}

// Foreground returns a command that uses the streams of this process.
func (p *Process) Foreground(what purpose.Purpose, args []string, dir string, env []string) Execution {
	return Execution{
		For: what, Args: args, Dir: dir, Env: env, Whole: true, Stdin: p.Stdin, Output: p.Stdout, Errors: p.Stderr,
		Attached: true, Terminal: p.InTTY || p.OutTTY,
	}
}

// Silent returns the process without its output, for work whose result somebody else prints.
func (p *Process) Silent() Process {
	silent := *p
	silent.Stdout, silent.Stderr = io.Discard, io.Discard
	return silent
}

// WholeScreen returns the terminal's streams, for a full-screen view.
func (p *Process) WholeScreen() (in io.Reader, out io.Writer) { return p.Stdin, p.Stdout }

// OS returns the current process.
func OS() Process {
	dir, _ := os.Getwd()
	program, _ := os.Executable()
	return Process{
		Args: os.Args[1:], Env: os.LookupEnv, Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		InTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		Width: func() int {
			w, _, _ := term.GetSize(int(os.Stdout.Fd())) // negative if it is not known
			return max(w, 0)
		},
		Height: func() int {
			_, h, _ := term.GetSize(int(os.Stdout.Fd()))
			if h <= 0 {
				return math.MaxInt
			}
			return h
		},
		Now:     time.Now,
		User:    osUser,
		Host:    hostname,
		Environ: os.Environ,
		Program: program,
		Starter: starter,
		Stop:    stop,
		Suspend: suspend,
	}
}

// stopWithin is how long a command may take to stop when told to, whatever it is waiting for, unless it needs longer.
const stopWithin = 10 * time.Second

// Stop returns a context that ends when the process is told to stop.
func (f *Factory) Stop(ctx context.Context) (context.Context, context.CancelFunc) {
	return f.Process.Stop(ctx, cmp.Or(f.StopWithin, stopWithin))
}

// stop ends the context on the first signal. A second signal, or the time limit, ends the process.
func stop(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ctx.Done():
			signal.Stop(signals)
			return
		case <-signals:
		}
		signal.Stop(signals)
		cancel()
		time.AfterFunc(within, func() {
			fmt.Fprintf(os.Stderr, "tasker: something hangs, and did not end within %s of the signal to stop; "+
				"whether the last change was made is not known\n", within)
			os.Exit(1)
		})
	}()
	return ctx, cancel
}

func osUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return os.Getenv("USER")
}

// hostname returns the name of the machine.
func hostname() string {
	name, _ := os.Hostname()
	return cmp.Or(name, "localhost")
}
