package child

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"
)

// Attached runs a command on the terminal and streams of this process, as a shell would. It stays in our process group, so
// that it is in the foreground when we are, can read what is typed, and stops and continues with us. Signals from the
// terminal, such as an interrupt, reach the command directly, and we wait for its reaction; we forward any other signal. As
// in shells, the exit code of a command that a signal ended is 128 plus the signal's number. If this process is killed,
// Linux stops the command too, but not its children: we may share a group with the process that started us.
func Attached(c Command, terminal bool) (Result, error) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // running what it is given is its purpose; it ends by itself
	c.attach(cmd)
	tied(cmd)
	runtime.LockOSThread() // the command ends with the thread that started it
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
