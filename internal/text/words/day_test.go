package words_test

import (
	"testing"
	"time"

	"tasker/internal/text/words"
)

func TestDay(t *testing.T) {
	monday := time.Date(2026, 11, 16, 23, 30, 0, 0, time.FixedZone("", -8*3600))
	for text, want := range map[string]string{
		"today": "2026-11-16", "tomorrow": "2026-11-17", "Tomorrow": "2026-11-17",
		"tue": "2026-11-17", "fri": "2026-11-20", "Friday": "2026-11-20", "sun": "2026-11-22", "mon": "2026-11-23",
		"+0d": "2026-11-16", "+3d": "2026-11-19", "+2w": "2026-11-30", "+45d": "2026-12-31",
		"2026-12-01": "2026-12-01", "": "", "+": "+", "+d": "+d", "+3x": "+3x", "-3d": "-3d", "+-3d": "+-3d", "su": "su", "frida y": "frida y",
	} {
		if got := words.Day(text, monday); got != want {
			t.Errorf("Day(%q) = %q, want %q", text, got, want)
		}
	}
}
