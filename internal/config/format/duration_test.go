package format_test

import (
	"testing"
	"time"

	"tasker/internal/config/format"
	"tasker/internal/fault"
)

func TestDurationsAreAWholeNumberAndAUnit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "30m": 30 * time.Minute, "2h": 2 * time.Hour, "1d": 24 * time.Hour, "366d": format.MaxLease,
		"250ms": 250 * time.Millisecond, "45s": 45 * time.Second,
	} {
		if got, err := format.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, suggest := range map[string]string{
		"": "", "m": "", "-5m": "", "+5m": "5m", "30": "30m", "7200000": "7200000ms", "00": "0", "030": "30m", "030m": "30m", "5 m": "5m", "5M": "5m", "2 hours": "2h",
		"10min": "10m", "3 days": "3d",
		"1.5h": "90m", "1h30m": "90m", "1e3s": "", "٣m": "", "5w": "", "99999999999999999999d": "", "5m\n": "5m", "0x5m": "",
	} {
		_, err := format.ParseDuration(text)
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%q is accepted: %v", text, err)
			continue
		}
		want := ""
		if suggest != "" {
			want = "did you mean " + suggest + "?"
		}
		if got := fault.Of(err).Hint; got != want {
			t.Errorf("%q: hint %q, want %q", text, got, want)
		}
	}
}
