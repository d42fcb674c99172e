package task_test

import (
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

const (
	now  = task.Time(1_780_000_000_000_000)
	hour = int64(60 * 60 * 1000)
)

var (
	claude = task.Actor{Name: "claude", Instance: "3", Declared: true}
	other  = task.Actor{Name: "claude", Instance: "4", Declared: true}
	alice  = task.Actor{Name: "alice", Human: true, Declared: true, Roles: []string{"lead"}}
	ghost  = task.Actor{Name: "ghost"}
)

func ptr[T any](v T) *T { return &v }

// open returns a task that anyone may claim.
func open() *task.Task {
	return &task.Task{ID: "demo-1", Project: "demo", Key: "a", Title: "A", Status: task.Open, Version: 4, Fence: 2, UpdatedAt: now - 1}
}

// held returns a task that an actor has held for half of its lease of two hours.
func held(a task.Actor) *task.Task {
	t := open()
	t.Status, t.Fence, t.Version = task.InProgress, 3, 5
	t.Claim = &task.Claim{Task: t.ID, Actor: a.Full(), Fence: 3, Version: 5, ClaimedAt: now.Add(-hour), ExpiresAt: now.Add(hour), LeaseMs: 2 * hour}
	return t
}

func with(t *task.Task, change func(*task.Task)) *task.Task {
	change(t)
	return t
}

// refused checks the kind of an error, and that its message or hint says each of the words.
func refused(t *testing.T, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no refusal, want %s %s", kind.Code(), kind.Reason())
	}
	e := fault.Of(err)
	if e.Kind != kind {
		t.Errorf("kind is %s %s, want %s %s: %s", e.Kind.Code(), e.Kind.Reason(), kind.Code(), kind.Reason(), e.Message)
	}
	if e.Hint == "" {
		t.Errorf("%q has no hint", e.Message)
	}
	for _, w := range words {
		if !strings.Contains(e.Message+"\n"+e.Hint, w) {
			t.Errorf("%q with hint %q does not say %q", e.Message, e.Hint, w)
		}
	}
}

func passes(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
}
