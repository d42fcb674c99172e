package words_test

import (
	"testing"
	"time"

	"tasker/internal/text/words"
)

func TestSentencesTellTimesRelativeToNow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"held by bot until 2026-03-01T14:00:00.000Z (claimed at 2026-03-01T11:30:00.000Z)": "held by bot for 2h (claimed 30m ago)",
		"held by bot until 2026-03-01T11:00:00.000Z":                                       "held by bot until 1h ago",
		"ann took it away at 2026-03-01T11:59:50.000Z":                                     "ann took it away 10s ago",
		"by priority 0, created 2026-02-26T12:00:00.000Z":                                  "by priority 0, created 3d ago",
		"due 2026-03-31T17:00:00Z and Zen":                                                 "due 2026-03-31T17:00:00Z and Zen",
		"at 2026-99-99T11:59:50.000Z":                                                      "at 2026-99-99T11:59:50.000Z",
	} {
		if got := words.Relative(text, now); got != want {
			t.Errorf("%q reads %q, and should read %q", text, got, want)
		}
	}
}
