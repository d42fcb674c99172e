package faults

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// lifeline creates a named pipe that a process holds open for as long as it lives. begun waits for the first line written
// to it, and ended waits until nobody holds it any more.
func (w *world) lifeline() (path string, begun, ended func() error) {
	w.Helper()
	path = filepath.Join(w.TempDir(), "line")
	w.must(syscall.Mkfifo(path, 0o600))
	opened := make(chan *os.File, 1)
	go func() {
		if f, err := os.Open(path); err == nil { // waits for the writer
			opened <- f
		}
	}()
	var f *os.File
	var lines *bufio.Reader
	begun = func() error {
		select {
		case f = <-opened:
		case <-time.After(patience):
			return errors.New("nobody opened the line")
		}
		w.Cleanup(func() { _ = f.Close() })
		lines = bufio.NewReader(f)
		if err := f.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		_, err := lines.ReadString('\n')
		return err
	}
	return path, begun, func() error {
		_, err := io.Copy(io.Discard, lines)
		return err
	}
}

// A worker that is killed, or stopped, ends the command that works for it and everything that the command has started.
// The claim of a killed worker lasts as long as its lease; a stopped worker releases it.
func TestAWorkerThatEndsEndsItsCommand(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGTERM, "interrupted": syscall.SIGINT} {
		for kind, deaf := range map[string]string{"willing": "", "deaf": `trap "" TERM INT; `} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				either(t, each, func(w *world) {
					w.apply(plain(1))
					path, begun, ended := w.lifeline()
					work := deaf + `exec 3>` + path + `; sleep 1000 & echo begun >&3; wait; sleep 1000`
					cmd := w.command(t.Context(), "bot", "run", "--", "sh", "-c", work)
					w.must(cmd.Start())
					w.must(begun())
					w.must(cmd.Process.Signal(sig))
					_ = cmd.Wait() // how it ended is the test's own doing
					if err := ended(); err != nil {
						t.Errorf("the command still runs: %v", err)
					}
					shown := string(w.tasker("bot", "show", "demo-1", "--json"))
					if held := !strings.Contains(shown, `"claim":null`); held != (sig == syscall.SIGKILL) {
						t.Errorf("the task is held: %t\n%s", held, shown)
					}
				})
			})
		}
	}
}
