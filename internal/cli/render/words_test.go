package render

import (
	"strings"
	"testing"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

func TestTimesAreToldRelativeToNow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := &frame.Factory{Process: frame.Process{Now: func() time.Time { return now }}}
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{0, "just now"},
		{30 * time.Second, "30s ago"},
		{80 * time.Minute, "1h 20m ago"},
		{2*time.Hour - time.Second, "2h ago"},
		{5 * time.Hour, "5h ago"},
		{72 * time.Hour, "3d ago"},
		{-10 * time.Minute, "in 10m"},
	} {
		if got := Ago(f, task.TimeOf(now.Add(-c.before))); got != c.want {
			t.Errorf("%v before: %q, want %q", c.before, got, c.want)
		}
	}
	if got := Until(f, task.TimeOf(now.Add(2*time.Hour))); got != "for 2h" {
		t.Errorf("until = %q", got)
	}
	if got := Until(f, task.TimeOf(now.Add(1960*time.Millisecond))); got != "for 2s" {
		t.Errorf("until the end of a lease of 2s = %q", got)
	}
	if got := Until(f, 0); got != "until released" {
		t.Errorf("until without expiry = %q", got)
	}
	f.Flags.Exact = true
	if got := Ago(f, task.TimeOf(now)); got != "2026-03-01 12:00:00Z" {
		t.Errorf("exactly = %q", got)
	}
	if got := Until(f, task.TimeOf(now.Add(2*time.Hour))); got != "until 2026-03-01 14:00:00Z" {
		t.Errorf("exactly until = %q", got)
	}
}

func TestEveryStatusHasAGlyphAndAWord(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range task.Statuses {
		glyph, word, ok := strings.Cut(Status(s).Text, " ")
		if !ok || glyph == "?" || seen[glyph] || strings.ReplaceAll(word, " ", "_") != string(s) {
			t.Errorf("%s is shown as %q", s, Status(s).Text)
		}
		seen[glyph] = true
	}
}
