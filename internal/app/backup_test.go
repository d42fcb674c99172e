package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/admin"
	"tasker/internal/app"
	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func as(ctx context.Context, name string) context.Context {
	name, instance, _ := strings.Cut(name, "/")
	return core.WithCaller(ctx, core.Caller{Actor: task.Actor{Name: name, Instance: instance}, Via: task.Via{Face: "cli"}, Project: "demo"})
}

func opened(t *testing.T, path string) *app.App {
	t.Helper()
	a, err := app.Open(app.Options{DB: path, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// planned applies a plan of n tasks.
func planned(t *testing.T, a *app.App, n int) {
	t.Helper()
	doc := &plan.Document{Project: "demo"}
	for i := range n {
		d := plan.TaskDef{Key: fmt.Sprintf("k%d", i)}
		d.Title, d.Criteria = plan.Give("T"), plan.Give([]string{"one"})
		if i > 0 {
			d.Deps = plan.Give([]string{fmt.Sprintf("k%d", i/2)})
		}
		doc.Tasks = append(doc.Tasks, d)
	}
	if _, err := a.Services.Planning.Apply(as(t.Context(), "ann"), planning.ApplyIn{Doc: doc}); err != nil {
		t.Fatal(err)
	}
}

// crew are writers that rest while pause is locked, so that they write during backups but not while the test examines one.
// If they did, each examination would make the next backup larger.
type crew struct {
	pause sync.RWMutex
	stop  chan struct{}
	wrote chan struct{} // has a capacity of one
	ended chan error    // one value from each writer
}

// work writes, again and again, until it is stopped.
func (c *crew) work(ctx context.Context, a *app.App, name string) error {
	for i := 0; ; i++ {
		select {
		case <-c.stop:
			return nil
		default:
		}
		c.pause.RLock()
		err := worked(as(ctx, name), a, fmt.Sprintf("More of %s, %d", name, i), i%3 == 0)
		c.pause.RUnlock()
		if err != nil {
			return err
		}
		select {
		case c.wrote <- struct{}{}:
		default:
		}
	}
}

// resume lets the writers go on, and returns once one of them has written.
func (c *crew) resume(t *testing.T) {
	t.Helper()
	select {
	case <-c.wrote: // before the pause
	default:
	}
	c.pause.Unlock()
	select {
	case <-c.wrote:
	case err := <-c.ended:
		t.Fatalf("a writer has ended: %v", err)
	}
}

// worked does the next task, or creates one if there is none.
func worked(me context.Context, a *app.App, title string, release bool) error {
	out, err := a.Services.Work.Next(me, work.NextIn{Project: "demo"})
	if err != nil {
		return err
	}
	if out.Task == nil {
		d := plan.TaskDef{}
		d.Title = plan.Give(title)
		_, err := a.Services.Planning.Create(me, planning.CreateIn{Project: "demo", Def: &d})
		return err
	}
	id := string(out.Task.ID)
	if _, err := a.Services.Work.Note(me, work.NoteIn{Task: id, Text: "working on it"}); err != nil {
		return err
	}
	if release {
		_, err = a.Services.Work.Release(me, work.ReleaseIn{Task: id})
	} else {
		_, err = a.Services.Work.Move(me, work.MoveIn{Task: id, To: "done", Force: true})
	}
	return err
}

// described checks that a restored database is exactly what its events describe: every task has the status, the claim and
// the notes that its events left, and a recount finds nothing.
func described(t *testing.T, a *app.App, last int64) {
	t.Helper()
	ctx := as(t.Context(), "ann")
	status, notes, created := map[int64]string{}, map[int64]int{}, 0
	have, noted := map[int64]string{}, map[int64]int{}
	newest := int64(0)
	_, err := a.Services.Admin.Dump(ctx, admin.DumpIn{Begin: func(query.Dumped) error { return nil }, Record: func(rec query.Record) error {
		row := map[string]any{}
		for i, name := range rec.Columns {
			row[name] = rec.Values[i]
		}
		switch rec.Table {
		case "task":
			id, _ := row["id"].(int64)
			have[id], _ = row["status"].(string)
			if row["holder"] != nil {
				t.Errorf("task %d is held after the restore", id)
			}
		case "note":
			id, _ := row["task"].(int64)
			noted[id]++
		case "event":
			return fold(row, &newest, &created, status, notes)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if newest < last || created != len(have) {
		t.Errorf("the newest event is %d and not past %d, or %d tasks were created and %d are there", newest, last, created, len(have))
	}
	for id, is := range have {
		if status[id] != is || notes[id] != noted[id] {
			t.Errorf("task %d is %s with %d notes, and its events say %s with %d", id, is, noted[id], status[id], notes[id])
		}
	}
	out, err := a.Services.Admin.Doctor(ctx, admin.DoctorIn{})
	if err != nil || !out.OK {
		t.Errorf("a recount finds %+v, %v", out.Checks, err)
	}
}

// fold applies an event.
func fold(row map[string]any, newest *int64, created *int, status map[int64]string, notes map[int64]int) error {
	id, _ := row["task"].(int64)
	*newest, _ = row["id"].(int64)
	text, _ := row["payload"].(string)
	var p struct {
		To     string `json:"to"`
		Status any    `json:"status"`
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	kind, _ := row["kind"].(string)
	switch task.Kind(kind) {
	case task.TaskCreated:
		*created++
		status[id] = "open"
	case task.TaskMoved:
		status[id] = p.To
	case task.NoteAdded:
		notes[id]++
	case task.TaskClaimed, task.ClaimReleased, task.ClaimExpired:
		if delta, ok := p.Status.(map[string]any); ok {
			status[id] = fmt.Sprint(delta["to"])
		}
	}
	return nil
}

// Backups taken one after another during writes each restore to a state that some event describes exactly.
func TestBackupsBesideWritersRestoreToWhatOneEventLeft(t *testing.T) {
	databases, writers := 1, 6
	if os.Getenv("TASKER_TEST_LONG") != "" {
		databases, writers = 20, 64 // 200 backups on each kind of database
	}
	for range databases { // writers go on during a backup, so that one database would only grow
		dbtest.Each(t, func(t *testing.T, path string) { backupsDuringWrites(t, path, writers) })
	}
}

// backupsDuringWrites makes ten backups of a new database during writes, and restores each.
func backupsDuringWrites(t *testing.T, path string, writers int) {
	t.Helper()
	a := opened(t, path)
	planned(t, a, 200)
	c := &crew{stop: make(chan struct{}), wrote: make(chan struct{}, 1), ended: make(chan error, writers)}
	other := opened(t, path) // as another process would open it
	c.pause.Lock()
	for i := range writers {
		go func() { c.ended <- c.work(context.Background(), []*app.App{a, other}[i%2], fmt.Sprintf("bot/%d", i)) }()
	}
	dir := t.TempDir()
	before := int64(0)
	for i := range 10 {
		c.resume(t)
		file := filepath.Join(dir, fmt.Sprintf("%d.tar", i))
		made, err := a.Backup(as(t.Context(), "ann"), file)
		if err != nil {
			t.Fatal(err)
		}
		c.pause.Lock()
		if made.LastEvent <= before {
			t.Errorf("backup %d ends with event %d, and one before it with %d", i, made.LastEvent, before)
		}
		before = made.LastEvent
		restored(t, filepath.Join(dir, fmt.Sprintf("%d.db", i)), file, made)
	}
	close(c.stop)
	c.pause.Unlock()
	for range writers {
		if err := <-c.ended; err != nil {
			t.Error(err)
		}
	}
}

// restored checks what a backup restores to.
func restored(t *testing.T, path, file string, made frame.Backup) {
	t.Helper()
	back, err := app.Open(app.Options{DB: path, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := back.Restore(as(t.Context(), "ann"), file)
	if err != nil {
		t.Fatal(err)
	}
	if out.LastEvent != made.LastEvent || out.Events != int(made.LastEvent) || out.Sum != made.Sum {
		t.Errorf("%+v was restored of %+v", out, made)
	}
	described(t, back, made.LastEvent)
	for _, err := range []error{back.Close(), os.Remove(file), os.Remove(path)} {
		if err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".tasker-restore-*")); len(left) > 0 {
		t.Errorf("a restore left %q", left)
	}
}

func TestARestoreIsRefusedOverADatabaseAndOfWhatIsNotWhole(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		ctx := as(t.Context(), "ann")
		a := opened(t, path)
		planned(t, a, 3)
		file := filepath.Join(t.TempDir(), "a.tar")
		if _, err := a.Backup(ctx, file); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Backup(ctx, file); !fault.Is(err, fault.Declined) {
			t.Errorf("a backup replaced a file: %v", err)
		}
		if _, err := a.Restore(ctx, file); !fault.Is(err, fault.Declined) {
			t.Errorf("a restore over a project: %v", err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Clone(text)
		changed[len(changed)/2] ^= 1
		into := filepath.Join(t.TempDir(), "b.db")
		b := opened(t, into)
		for name, bad := range map[string][]byte{"changed": changed, "cut": text[:len(text)/2], "cut at its last byte": text[:len(text)-1], "empty": nil} {
			if err := os.WriteFile(file+".bad", bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Restore(ctx, file+".bad"); !fault.Is(err, fault.Invalid) {
				t.Errorf("a backup that is %s: %v", name, err)
			}
		}
		if left, _ := os.ReadDir(filepath.Dir(into)); len(left) > 0 {
			t.Errorf("%v is left of a restore that was refused", left)
		}
	})
}

// A restored database hands out what the original had, except for claims, fences and the events of the restore.
func TestARestoredDatabaseEndsClaimsAndRaisesFences(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		ctx := as(t.Context(), "ann")
		a := opened(t, path)
		planned(t, a, 3)
		if _, err := a.Services.Work.Claim(ctx, work.ClaimIn{Task: "demo-1"}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "a.tar")
		if _, err := a.Backup(ctx, file); err != nil {
			t.Fatal(err)
		}
		into := dbtest.SQLite(t)
		if strings.Contains(path, "://") {
			into = dbtest.Postgres(t)
		}
		b := opened(t, into)
		if _, err := b.Restore(ctx, file); err != nil {
			t.Fatal(err)
		}
		again := opened(t, into)
		one := int64(1)
		_, err := again.Services.Work.Note(ctx, work.NoteIn{Task: "demo-1", Text: "late", Fence: &one})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("a worker that slept through the restore: %v", err)
		}
		claim, err := again.Services.Work.Claim(ctx, work.ClaimIn{Task: "demo-1"})
		if err != nil || claim.Fence != 1_000_002 {
			t.Errorf("%+v %v, want the fence 1000002", claim, err)
		}
		var kinds []task.Kind
		events, err := again.Services.Reading.Events(ctx, reading.EventsIn{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			kinds = append(kinds, e.Kind)
		}
		if n := len(kinds); n < 3 || kinds[n-3] != task.DatabaseRestored || kinds[n-2] != task.ClaimReleased {
			t.Errorf("the log ends with %v", kinds)
		}
		out, err := again.Services.Admin.Doctor(ctx, admin.DoctorIn{})
		if err != nil || !out.OK {
			t.Errorf("a recount finds %+v, %v", out.Checks, err)
		}
	})
}
