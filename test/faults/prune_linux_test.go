package faults

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/transfer/exporter"
)

// prunedTasks is how many tasks have events to remove, so that each prune takes several turns.
const prunedTasks = 400

// longLog makes a log of closed tasks that were changed often, with events of the given size, and returns its events by
// id.
func longLog(w *world, bytes int) map[int64]string {
	w.Helper()
	for _, title := range []string{"First", "Second", "Third"} {
		var tasks []string
		for i := range prunedTasks {
			tasks = append(tasks, fmt.Sprintf(`{"key": "t%d", "title": "%s", "body": "%s%s"}`, i, title, title, strings.Repeat("x", bytes)))
		}
		w.apply(`{"project": "demo", "tasks": [` + strings.Join(tasks, ",") + `]}`)
	}
	got, err := w.try("ann", `{"project": "demo", "tasks": [{"key": "last", "title": "The last"}]}`, "apply", "-f", "-", "--prune", "--yes", "--json")
	w.must(err)
	if got.code != 0 {
		w.Fatalf("the plan is refused: %s", got.err)
	}
	return w.stored()
}

// stored returns the events that the database has.
func (w *world) stored() map[int64]string {
	w.Helper()
	e := w.open()
	defer func() { w.must(e.Close()) }()
	out := map[int64]string{}
	w.query(e, `SELECT id, kind FROM event`, func(r db.Row) { out[r.Int(0)] = r.Text(1) })
	return out
}

// archived reads an archive under its final name: it must be complete.
func (w *world) archived(name string) map[int64]string {
	w.Helper()
	file, err := os.Open(filepath.Join(w.dir, name))
	if os.IsNotExist(err) {
		return nil
	}
	w.must(err)
	defer func() { _ = file.Close() }()
	_, _, err = exporter.CheckEvents(file)
	w.must(err)
	_, err = file.Seek(0, 0)
	w.must(err)
	out := map[int64]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var ev task.Event
		if json.Unmarshal(lines.Bytes(), &ev) == nil && ev.ID > 0 {
			out[ev.ID] = string(ev.Kind)
		}
	}
	return out
}

// nothingLost checks that each event is stored or in a complete archive.
func (w *world) nothingLost(before map[int64]string, archives ...string) {
	w.Helper()
	have := w.stored()
	for _, name := range archives {
		for id, kind := range w.archived(name) {
			have[id] = kind
		}
	}
	for id, kind := range before {
		if have[id] != kind {
			w.Fatalf("event %d was %s, and is %q now", id, kind, have[id])
		}
	}
}

// killedAt runs a command that is killed when one of its threads makes its nth system call of the given kinds, and
// reports whether it was killed.
func (w *world) killedAt(n int, calls string, args ...string) bool {
	w.Helper()
	strace, err := exec.LookPath("strace")
	w.must(err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	with := []string{"-f", "-o", os.DevNull, "-e", "trace=" + calls, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", calls, n), "--", tasker}
	cmd := exec.CommandContext(ctx, strace, append(with, args...)...)
	w.inside(cmd, "ann")
	out, err := cmd.CombinedOutput()
	if killed := cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled(); killed || err == nil {
		return killed
	}
	w.Fatalf("%v: %v\n%s", args, err, out)
	return false
}

// callsOf counts the system calls of the given kinds that a command makes.
func (w *world) callsOf(calls string, args ...string) int {
	w.Helper()
	strace, err := exec.LookPath("strace")
	w.must(err)
	file := filepath.Join(w.dir, "calls")
	cmd := exec.Command(strace, append([]string{"-f", "-o", file, "-e", "trace=" + calls, "--", tasker}, args...)...)
	w.inside(cmd, "ann")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("%v: %v\n%s", args, err, out)
	}
	text, err := os.ReadFile(file)
	w.must(err)
	return len(regexp.MustCompile(`(?m)^\d+ +\w+\(`).FindAll(text, -1))
}

func pruneTo(archive string) []string {
	return []string{"events", "prune", "--older-than", "0", "--archive", archive, "--yes"}
}

// A prune that is killed at any point loses nothing: each event is in the database or in a complete archive. The next
// prune continues. TestAPruneThatEndsBetweenTwoTurnsLosesNoEvent, in internal/admin, ends it after each of its turns.
func TestAPruneThatIsKilledLosesNoEvent(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		const calls = "fsync,fdatasync" // one or more per turn, and those of the archive
		first := newWorld(t, dbtest.SQLite(t))
		before := longLog(first, 10)
		text, err := os.ReadFile(first.db)
		first.must(err)
		all := first.callsOf(calls, pruneTo("whole.jsonl")...)
		first.nothingLost(before, "whole.jsonl")
		if pruned := len(before) - len(first.stored()); pruned < prunedTasks/2 || all < 4 {
			t.Fatalf("%d events were pruned, with %d syncs", pruned, all)
		}
		points := often(3, all)
		for i := range points {
			w := newWorld(t, dbtest.SQLite(t))
			w.must(os.WriteFile(w.db, text, 0o600))
			// One thread may make fewer calls than all of them together: a prune that is not killed must have completed.
			n := 1 + i*(all-1)/points
			if !w.killedAt(n, calls, pruneTo("first.jsonl")...) && (i == 0 || w.archived("first.jsonl") == nil) {
				t.Errorf("it was not killed at sync %d of %d", n, all)
			}
			w.recovers(before)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, dbtest.Postgres(t))
		before := longLog(w, 10)
		points := often(2, 40)
		archives := []string{}
		for i := range points { // each continues where the one before it was killed
			archives = append(archives, fmt.Sprintf("%d.jsonl", i))
			w.killedAt(20+i*240/points, "write", pruneTo(archives[i])...)
			w.nothingLost(before, archives...)
		}
		w.recovers(before, archives...)
	})
}

// recovers checks what a killed prune leaves, and what the next one does.
func (w *world) recovers(before map[int64]string, archives ...string) {
	w.Helper()
	archives = append(archives, "first.jsonl", "second.jsonl")
	w.nothingLost(before, archives...)
	e := w.open()
	w.settled(e)
	w.must(e.Close())
	w.tasker("ann", pruneTo("second.jsonl")...)
	w.nothingLost(before, archives...)
	if left := len(w.stored()); left > len(before)-prunedTasks/2 {
		w.Errorf("%d of %d events are left after the second prune", left, len(before))
	}
	w.healthy()
}

// A stream that a prune overtakes ends with a fault that says so, and skips nothing.
func TestAStreamThatAPruneOvertakesIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	before := longLog(w, 5000)
	s := w.serve("ann")
	// A client that does not read yet: the server cannot continue, because little fits into the buffers.
	narrow := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if other := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) }); other != nil {
			return other
		}
		return err
	}}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DialContext: narrow.DialContext}}
	resp, err := client.Get(s.url + "/v1/events/stream?since_id=0")
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	w.tasker("ann", pruneTo("old.jsonl")...)
	var got []int64
	var problem, kind string
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			kind = value
		case name == "data" && kind == "error":
			problem = value
		case name == "data":
			var ev task.Event
			w.must(json.Unmarshal([]byte(value), &ev))
			got = append(got, ev.ID)
		}
	}
	w.must(lines.Err())
	if !strings.Contains(problem, `"gone"`) || !strings.Contains(problem, "the log begins with event") {
		t.Errorf("the stream ends with %q after %d of %d events", problem, len(got), len(before))
	}
	for i, id := range got {
		if id != int64(i+1) {
			t.Fatalf("event %d came after %v", id, slices.Max(got[:i]))
		}
	}
	s.stop()
}
