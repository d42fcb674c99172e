package core_test

import (
	"testing"
	"time"

	"tasker/internal/core"
)

func TestDriftIsDueOnceASecond(t *testing.T) {
	now := time.Now()
	g := &core.Guide{Where: func() (project, root string) { return "demo", "/demo" }, Now: func() time.Time { return now }}
	if !g.Due() || g.Due() {
		t.Error("Due should report true once")
	}
	now = now.Add(999 * time.Millisecond)
	if g.Due() {
		t.Error("Due reports true again too soon")
	}
	now = now.Add(time.Millisecond)
	if !g.Due() {
		t.Error("Due reports false after a second")
	}
	if none := (&core.Guide{Where: func() (project, root string) { return "", "" }}); none.Due() || (*core.Guide)(nil).Due() {
		t.Error("drift is due without a repository")
	}
}
