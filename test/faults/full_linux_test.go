package faults

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"tasker/internal/testkit/dbtest"
)

// grow writes notes until one is refused, and returns how many were acknowledged and the refusal.
func (s *server) grow() (acknowledged int, refusal reply) {
	s.w.Helper()
	text := strings.Repeat("x", 50_000)
	for range 200 {
		r, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": text})
		s.w.must(err)
		if !r.ok() {
			return acknowledged, r
		}
		acknowledged++
	}
	s.w.Fatal("nothing is refused")
	return 0, reply{}
}

// holds fails unless the task has exactly this many notes.
func (s *server) holds(notes int) {
	s.w.Helper()
	var events []struct{}
	s.get("/v1/events?since_id=0&limit=1000&kind=note.added&task=demo-1", &events)
	if len(events) != notes {
		s.w.Errorf("%d notes were acknowledged, and %d are there", notes, len(events))
	}
}

// unlimited is the size of a file that has no limit.
const unlimited = math.MaxUint64

// A database that cannot grow refuses what does not fit, and nothing else: reads are answered, no acknowledged write is
// lost, and once there is room again the next write succeeds, without a restart.
func TestADatabaseThatCannotGrowRefusesAndRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(flat("demo", 2))
	s := w.serve("bot")
	s.isReady()
	limit := func(bytes uint64) {
		now := syscall.Rlimit{Cur: bytes, Max: unlimited}
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(s.cmd.Process.Pid), syscall.RLIMIT_FSIZE, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
		if errno != 0 {
			w.Fatal(errno)
		}
	}
	limit(1 << 20)
	n, refusal := s.grow()
	if refusal.status != 503 || !strings.Contains(string(refusal.body), `"unavailable"`) {
		t.Errorf("it is refused with %d %s", refusal.status, refusal.body)
	}
	s.holds(n)
	limit(unlimited)
	s.isReady()
	s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "there is room again"}, nil)
	s.holds(n + 1)
	s.stop()
	w.healthy()
}

// A full disk is an outage that readiness and the log name. Mounting one requires privileges, so only the long form does
// it.
func TestAFullDiskIsAnOutageUntilThereIsRoom(t *testing.T) {
	if often(0, 1) == 0 {
		t.Log("with TASKER_TEST_LONG a small disk is mounted")
		return
	}
	dir := t.TempDir()
	mount := func(flags uintptr, size string) {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, "size="+size); err != nil {
			t.Fatalf("a disk of %s cannot be mounted, which takes root: %v", size, err)
		}
	}
	mount(0, "3m")
	w := newWorld(t, filepath.Join(dir, "tasker.db"))
	t.Cleanup(func() { w.must(syscall.Unmount(dir, syscall.MNT_DETACH)) })
	w.apply(flat("demo", 2))
	s := w.serve("bot")
	n, refusal := s.grow()
	if refusal.status != 503 || !strings.Contains(string(refusal.body), "is full") {
		t.Errorf("it is refused with %d %s", refusal.status, refusal.body)
	}
	if said := s.notReady(); !strings.Contains(said, "no room") {
		t.Errorf("readiness says %s", said)
	}
	s.holds(n)
	mount(syscall.MS_REMOUNT, "40m")
	s.isReady()
	s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "there is room again"}, nil)
	s.holds(n + 1)
	s.stop()
	if log := s.log.String(); !strings.Contains(log, "there is no room to write") || !strings.Contains(log, "works again") {
		t.Errorf("the log says\n%s", log)
	}
	w.healthy()
	_ = os.Remove(w.db)
}

// Globs that take long to compare are compared as far as the budget allows, and every ready task is listed in a batch or
// as not compared; no reader and no writer waits for it without end.
func TestHostileGlobsAreComparedWithinABudget(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	var plan strings.Builder
	plan.WriteString(`{"project":"demo","tasks":[{"key":"plain","title":"Plain","touches":["README"],"priority":3}`)
	for i := range often(50, 200) {
		stars := "*" + strings.Repeat("a*", 300) + strings.Repeat("/?", i%30)
		fmt.Fprintf(&plan, `,{"key":"k%d","title":"T","touches":["%s","b%s","%sb"]}`, i, stars, stars, stars)
	}
	plan.WriteString(`]}`)
	s := w.serve("bot")
	s.post(who{}, "/v1/apply", []byte(plan.String()), nil)
	for _, name := range []string{"one", "two"} {
		s.post(who{instance: name}, "/v1/next", object{"project": "demo", "apart": true}, nil)
	}
	var work struct {
		Frontier    []struct{} `json:"frontier"`
		Batches     []struct{} `json:"batches"`
		NotCompared []string   `json:"notCompared"`
	}
	s.get("/v1/projects/demo/work", &work)
	if len(work.Frontier) == 0 || len(work.Batches)+len(work.NotCompared) == 0 {
		t.Errorf("%d tasks are on the frontier, in %d batches, and %d were not compared", len(work.Frontier), len(work.Batches), len(work.NotCompared))
	}
	s.isReady()
	s.stop()
}
