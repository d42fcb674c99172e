package core

import (
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestTheFormsOfSince(t *testing.T) {
	five := time.Date(2026, 3, 31, 17, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-31T17:00:00Z":         five,
		"2026-03-31T19:00:00.25+02:00": five.Add(250 * time.Millisecond),
		"2026-03-31":                   five.Add(-17 * time.Hour),
		"2026-03-31T17:00:00":          five,
		"2026-03-31T17:00:00.250":      five.Add(250 * time.Millisecond),
		"2026-03-31T17:00":             five,
		"2026-03-31 17:00:00":          five,
		"2026-03-31 17:00":             five,
		"1774976400":                   five,
		"1774976400.25":                five.Add(250 * time.Millisecond),
		"1774976400250":                five.Add(250 * time.Millisecond),
		"0":                            time.UnixMicro(1),
		"1970-01-01T00:00:00Z":         time.UnixMicro(1),
		"99999999999":                  time.Unix(99999999999, 0),
		"100000000000":                 time.UnixMilli(100000000000),
	} {
		if got, err := ParseSince(text); err != nil || got != task.TimeOf(want) {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "yesterday", "17:00", "2026-13-01", "2026-03", "-1", "1.", ".5", "1e9", "1774976400250000", "2026-03-31T17:00:00Zx"} {
		if got, err := ParseSince(text); !fault.Is(err, fault.Invalid) || fault.Of(err).Hint == "" {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}
