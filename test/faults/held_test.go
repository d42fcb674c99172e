package faults

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tasker/internal/db"
)

// hold takes the turn in this process, like somebody's operation that hangs.
func (w *world) hold(who string) db.Tx {
	w.Helper()
	e := w.engine()
	tx, err := e.Begin(w.Context(), e.Setup().Asking(who))
	w.must(err)
	w.Cleanup(tx.Rollback)
	return tx
}

// A command that waits for a turn names the holder, and obeys a signal to stop; it writes nothing.
func TestACommandThatWaitsSaysForWhomAndCanBeStopped(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		tx := w.hold("apply by bot-2")
		cmd := w.command(t.Context(), "bot", "note", "demo-1", "late")
		complaint, err := cmd.StderrPipe()
		w.must(err)
		w.must(cmd.Start())
		line, err := bufio.NewReader(complaint).ReadString('\n')
		w.must(err)
		if want := fmt.Sprintf("waiting for apply by bot-2, pid %d", os.Getpid()); !strings.Contains(line, want) {
			t.Errorf("the message is %q, want %q", line, want)
		}
		w.must(cmd.Process.Signal(syscall.SIGTERM))
		_, _ = io.Copy(io.Discard, complaint)
		if err := cmd.Wait(); err == nil {
			t.Error("the command succeeds")
		}
		tx.Rollback()
		if out := w.tasker("bot", "show", "demo-1", "--json"); strings.Contains(string(out), `"late"`) {
			t.Errorf("the note was written: %s", out)
		}
	})
}

// A server that cannot get a turn answers 503 and names the holder, and stops on a signal.
func TestAServerWhoseTurnIsHeldAnswersAndStops(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		s := w.serve("bot")
		tx := w.hold("apply by bot-2")
		var got reply
		var err error
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			got, err = s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "late"})
		}()
		for _, path := range []string{"/v1/tasks/demo-1", "/v1/tasks?project=demo", "/v1/projects/demo/board", "/v1/projects/demo/work"} {
			if read, err := s.call(who{}, path, nil); err != nil || read.status != 200 {
				w.Fatalf("next to a writer that hangs, %s is answered with %d, %v: %s", path, read.status, err, read.body)
			}
		}
		<-answered
		w.must(err)
		if got.status != 503 || !strings.Contains(string(got.body), "apply by bot-2") || !strings.Contains(string(got.body), strconv.Itoa(os.Getpid())) {
			w.Errorf("the request was answered with %d: %s", got.status, got.body)
		}
		s.stop()
		if !strings.Contains(s.log.String(), "waiting for apply by bot-2") {
			w.Errorf("the log does not say for whom it waited: %s", s.log.String())
		}
		tx.Rollback()
	})
}

// Ctrl-Z in the middle of a long apply ends its turn first: others write in the meantime, and it continues afterwards.
func TestASuspendedApplyHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		look := w.engine()
		for i := range often(1, 4) {
			cmd := w.command(t.Context(), "ann", "apply", "-f", "-", "--json")
			cmd.Stdin = strings.NewReader(flat("big"+strconv.Itoa(i), often(1500, 3000)))
			w.must(cmd.Start())
			for stop := time.Now().Add(patience); !w.writes(look, cmd.Process.Pid); time.Sleep(pause / 10) {
				if time.Now().After(stop) {
					t.Fatal("the apply never gets its turn")
				}
			}
			w.must(cmd.Process.Signal(syscall.SIGTSTP))
			w.tasker("bot", "note", "demo-1", "meanwhile")
			w.stopped(cmd.Process.Pid) // its turn ends before it stops, and a signal to continue that comes in between is lost
			w.must(cmd.Process.Signal(syscall.SIGCONT))
			if err := cmd.Wait(); err != nil {
				t.Errorf("the suspended apply ended with %v", err)
			}
		}
		w.healthy()
	})
}

// stopped waits until a process is suspended, or has ended before it could be.
func (w *world) stopped(pid int) {
	w.Helper()
	for stop := time.Now().Add(patience); ; time.Sleep(pause) {
		state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		w.must(err)
		if strings.HasPrefix(string(state), "T") || strings.HasPrefix(string(state), "Z") {
			return
		}
		if time.Now().After(stop) {
			w.Fatalf("the suspended process is in state %s", state)
		}
	}
}

// writes reports whether a process has the turn, or had it last.
func (w *world) writes(look db.Engine, pid int) bool {
	w.Helper()
	if !w.postgres() {
		word, err := os.ReadFile(w.db + "-turn")
		w.must(err)
		return strings.HasPrefix(string(word), fmt.Sprintf("%d ", pid))
	}
	found := false
	w.query(look, `SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'tasker `+strconv.Itoa(pid)+` %'`, func(db.Row) { found = true })
	return found
}
