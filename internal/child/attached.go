package child

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"
)

// Attached runs a command on the terminal and the streams of this process, as a shell would: in our own process group, so that
// it is in the foreground where we are, can read what is typed, and stops and goes on with us. What the terminal sends, such as
// an interrupt, reaches the command by itself, and we wait for what it makes of it; any other signal is handed on. The exit code
// of a command that a signal ended is 128 and its number, as shells have it. Where this process is killed, Linux
// stops the command too; its own children are left alone, for we may share a group with the process that started us.
func Attached(c Command, terminal bool) (Result, error) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // running what it is given is what it is for; it ends by itself
	c.attach(cmd)
	tied(cmd)
	runtime.LockOSThread() // it ends with the thread that started it
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, handed...)
	defer signal.Stop(signals)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, unstarted(c, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if !terminal || !typed(s) {
				_ = cmd.Process.Signal(s) // it may have ended by now
			}
		case err := <-ended:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				return Result{}, unstarted(c, err)
			}
			return Result{ExitCode: exitCode(cmd.ProcessState), Took: time.Since(start)}, nil
		}
	}
}
