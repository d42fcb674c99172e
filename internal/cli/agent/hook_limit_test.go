package agent

import (
	"testing"
	"time"
)

func TestWhenALimitEndsByWhatTheAgentSaysOfIt(t *testing.T) {
	now := time.Date(2026, 3, 1, 14, 10, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"You've hit your limit · resets 5pm (UTC)":        time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC),
		"limit reached, resets at 9:30 am":                time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
		"Try again in 2 hours 5 minutes.":                 now.Add(2*time.Hour + 5*time.Minute),
		"try again in 45m":                                now.Add(45 * time.Minute),
		"usage limit reached|1772380800":                  time.Unix(1772380800, 0),
		"quota will reset after 2026-03-01T18:00:00Z":     time.Date(2026, 3, 1, 18, 0, 0, 0, time.UTC),
		"it was over at 2026-02-01T18:00:00Z":             now.Add(unknownLimit),
		"":                                                now.Add(unknownLimit),
		"429 too many requests for key 12345678901234567": now.Add(unknownLimit),
		"resets at 99:99 pm":                              now.Add(unknownLimit),
	} {
		if got := limitEnd(text, now); !got.Equal(want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
