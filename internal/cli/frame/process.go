package frame

import (
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

// Process is what the operating system gives a command. Tests fill it with values of their own.
type Process struct {
	Args    []string                    // without the program's name
	Env     func(string) (string, bool) // looks a variable up
	Dir     string                      // the working directory
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	OutTTY  bool       // standard output is a terminal
	ErrTTY  bool       // standard error is one
	InTTY   bool       // standard input is one
	Width   func() int // columns of the terminal; asked only where OutTTY
	Height  func() int // its lines; nil: no answer is too long for it
	Now     func() time.Time
	User    func() string                                               // the operating system's user
	Host    func() string                                               // the machine's name
	Environ func() []string                                             // the whole environment
	Program string                                                      // the path of the running binary
	Stop    func(context.Context) (context.Context, context.CancelFunc) // a context that ends with SIGINT or SIGTERM
	// Suspend has pause called when the terminal suspends the process (Ctrl-Z), with what suspends it; nil: nobody can.
	Suspend func(pause func(suspend func()))
}

// Foreground returns a command that has the streams of this process.
func (p *Process) Foreground(what purpose.Purpose, args []string, dir string, env []string) Execution {
	return Execution{
		For: what, Args: args, Dir: dir, Env: env, Whole: true, Stdin: p.Stdin, Output: p.Stdout, Errors: p.Stderr,
		Attached: true, Terminal: p.InTTY || p.OutTTY,
	}
}

// WholeScreen returns the streams of the terminal, for a view that draws the whole of it.
func (p *Process) WholeScreen() (in io.Reader, out io.Writer) { return p.Stdin, p.Stdout }

// OS returns the running process.
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
			w, _, err := term.GetSize(int(os.Stdout.Fd()))
			if err != nil {
				return 0
			}
			return w
		},
		Height: func() int {
			_, h, err := term.GetSize(int(os.Stdout.Fd()))
			if err != nil || h <= 0 {
				return math.MaxInt
			}
			return h
		},
		Now:     time.Now,
		User:    osUser,
		Host:    hostname,
		Environ: os.Environ,
		Program: program,
		Stop:    stop,
		Suspend: suspend,
	}
}

// stopWithin is how long a command that was told to stop may take, whatever it waits for.
const stopWithin = 10 * time.Second

// stop ends the context with the first signal. The second one, or time, ends the process.
func stop(ctx context.Context) (context.Context, context.CancelFunc) {
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
		time.AfterFunc(stopWithin, func() {
			fmt.Fprintf(os.Stderr, "tasker: something hangs, and did not end within %s of the signal to stop; "+
				"whether the last change was made is not known\n", stopWithin)
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

// hostname returns what the machine is called.
func hostname() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
}
