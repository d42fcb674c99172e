package render

import (
	"strings"
	"testing"
	"time"

	"tasker/internal/task"
)

func TestTimesAreToldRelativeToNow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
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
		if got := Ago(task.TimeOf(now.Add(-c.before)), now); got != c.want {
			t.Errorf("%v before: %q, want %q", c.before, got, c.want)
		}
	}
	if got := Until(task.TimeOf(now.Add(2*time.Hour)), now); got != "for 2h" {
		t.Errorf("until = %q", got)
	}
	if got := Until(0, now); got != "until released" {
		t.Errorf("until without expiry = %q", got)
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
