//go:build unix

package child_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tasker/internal/child"
	"tasker/internal/child/purpose"
	"tasker/internal/fault"
)

func sh(script string) child.Command {
	return child.Command{Args: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH"), "NAME=value"}}
}

func TestACommandRunsWithWhatItIsGiven(t *testing.T) {
	var out bytes.Buffer
	c := sh(`cat; echo $NAME; pwd; echo told >&2; exit 3`)
	c.Dir, c.Stdin, c.Output = t.TempDir(), strings.NewReader("input\n"), &out
	res, err := child.Run(t.Context(), c)
	if err != nil || res.ExitCode != 3 || res.Took <= 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if got := out.String(); got != "input\nvalue\n"+c.Dir+"\ntold\n" {
		t.Errorf("the output is %q", got)
	}
}

// A process's purpose decides which of our credentials it gets, however it is started.
func TestAProcessIsGivenWhatItIsFor(t *testing.T) {
	ours := []string{
		"TASKER_SESSION=hunter2", "TASKER_TOKEN=hunter2", "TASKER_WEBHOOK_SECRET=hunter2", "TASKER_TRACKER_TOKEN=hunter2",
		"TASKER_CODE_HOST_TOKEN=hunter2", "TASKER_CODE_HOST_SECRET=hunter2", "TASKER_DB=postgres://me:hunter2@db/x", "TASKER_URL=http://s",
	}
	ways := map[string]func(child.Command) (child.Result, error){
		"run":      func(c child.Command) (child.Result, error) { return child.Run(t.Context(), c) },
		"attached": func(c child.Command) (child.Result, error) { return child.Attached(c, false) },
	}
	for name, run := range ways {
		for _, p := range purpose.All {
			want := ""
			if p == purpose.Worker {
				want = "TASKER_SESSION=hunter2\n"
			}
			var out bytes.Buffer
			c := sh(`env | grep hunter2`)
			c.For, c.Env, c.Output = p, append(c.Env, ours...), &out
			if _, err := run(c); err != nil || out.String() != want {
				t.Errorf("%s: a %s sees %q, %v", name, p, out.String(), err)
			}
		}
	}
}

func TestAnEmptyEnvironmentIsNotOurs(t *testing.T) {
	t.Setenv("TASKER_TOKEN", "hunter2")
	var out bytes.Buffer
	c := child.Command{Args: []string{"/bin/sh", "-c", `echo "<$TASKER_TOKEN>"`}, Output: &out}
	if _, err := child.Run(t.Context(), c); err != nil || out.String() != "<>\n" {
		t.Errorf("it sees %q, %v", out.String(), err)
	}
}

func TestStreamsCanBeToldApart(t *testing.T) {
	var out, errs bytes.Buffer
	c := sh(`echo said; echo told >&2`)
	c.Output, c.Errors = &out, &errs
	if res, err := child.Run(t.Context(), c); err != nil || res.ExitCode != 0 || out.String() != "said\n" || errs.String() != "told\n" {
		t.Errorf("%+v, %v: %q and %q", res, err, out.String(), errs.String())
	}
}

func TestACommandThatCannotStartSaysSo(t *testing.T) {
	for _, args := range [][]string{{"no-such-program-of-ours"}, {t.TempDir()}} {
		_, err := child.Run(t.Context(), child.Command{Args: args})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// lifeline returns a named pipe that a process holds open for as long as it lives.
func lifeline(t *testing.T) (path string, ended func() error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "line")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	type opened struct {
		f   *os.File
		err error
	}
	ready := make(chan opened, 1)
	go func() {
		f, err := os.Open(path) // waits for a writer
		ready <- opened{f, err}
	}()
	return path, func() error {
		o := <-ready
		if o.err != nil {
			return o.err
		}
		defer func() { _ = o.f.Close() }()
		if err := o.f.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			return err
		}
		_, err := io.ReadAll(o.f) // ends when no process holds it any more
		return err
	}
}

func TestCancellingTheContextEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	path, ended := lifeline(t)
	c := sh(`exec 3>` + path + `; sleep 1000 & echo started; wait`)
	c.Output = onFirst(cancel)
	res, err := child.Run(ctx, c)
	if err != nil || res.ExitCode == 0 {
		t.Errorf("the command ended with %+v, %v", res, err)
	}
	if err := ended(); err != nil {
		t.Errorf("its child still runs: %v", err)
	}
}

// onFirst calls a function at the first write.
type onFirst func()

func (f onFirst) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestWhatACommandLeavesBehindIsEnded(t *testing.T) {
	path, ended := lifeline(t)
	if res, err := child.Run(t.Context(), sh(`exec 3>`+path+`; sleep 1000 >/dev/null 2>&1 & exit 0`)); err != nil || res.ExitCode != 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if err := ended(); err != nil {
		t.Errorf("its child still runs: %v", err)
	}
}
