package task_test

import (
	"strings"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestDueIsADayOrAMoment(t *testing.T) {
	for s, want := range map[string]string{
		"2026-03-31":                     "2026-03-31T23:59:59.999999Z",
		"2024-02-29":                     "2024-02-29T23:59:59.999999Z",
		"2026-03-31T17:00:00Z":           "2026-03-31T17:00:00Z",
		"2026-03-31T17:00:00.25+02:00":   "2026-03-31T15:00:00.25Z",
		"1969-12-31":                     "1969-12-31T23:59:59.999999Z",
		"2026-12-31T23:59:59.123456789Z": "2026-12-31T23:59:59.123456Z",
	} {
		got, err := task.ParseDue(s)
		if err != nil {
			t.Errorf("%q: %v", s, err)
		} else if g := got.Go().Format(time.RFC3339Nano); g != want {
			t.Errorf("%q is %s, want %s", s, g, want)
		}
	}
	for _, s := range []string{
		"", "tomorrow", "2026-02-30", "2026-2-3", "2026-03-31T17:00:00", "2026-03-31 17:00:00Z", "2026-03-31T7:00:00Z",
		"2026-03-31T17:00:00,5Z", "2026-03-31T17:00:00+24:00", "2026-03-31T24:00:00Z", " 2026-03-31", "2026-03-31Z",
		"2026-03-31T17:00:00." + strings.Repeat("0", 50) + "Z",
	} {
		_, err := task.ParseDue(s)
		refused(t, err, fault.Invalid, "2026-03-31T17:00:00Z")
	}
}

func FuzzParseDue(f *testing.F) {
	f.Add("2026-03-31")
	f.Add("2026-03-31T17:00:00.5+02:00")
	f.Fuzz(func(t *testing.T, s string) {
		at, err := task.ParseDue(s)
		if err != nil {
			return
		}
		back, err := task.ParseDue(at.Go().Format(time.RFC3339Nano))
		// An offset may move a moment out of the years that RFC 3339 can write.
		if y := at.Go().Year(); y >= 0 && y <= 9999 && (err != nil || back != at) {
			t.Fatalf("%q is %d, which reads back as %d, %v", s, at, back, err)
		}
	})
}

func TestLease(t *testing.T) {
	week := 7 * 24 * hour
	tooLong := int64(task.MaxLeaseMs) + 1
	for _, c := range []struct {
		name  string
		p     task.Policy
		asked *int64
		want  int64
		bad   bool
	}{
		{name: "two hours where nobody says", want: 2 * hour},
		{name: "the project's", p: task.Policy{LeaseMs: &week}, want: week},
		{name: "the request's before the project's", p: task.Policy{LeaseMs: &week}, asked: ptr(hour), want: hour},
		{name: "none asked for", p: task.Policy{LeaseMs: &week}, asked: ptr(int64(0)), want: 0},
		{name: "none in the project", p: task.Policy{LeaseMs: ptr(int64(0))}, want: 0},
		{name: "the longest", asked: ptr(int64(task.MaxLeaseMs)), want: task.MaxLeaseMs},
		{name: "too long", asked: &tooLong, bad: true},
		{name: "negative", asked: ptr(int64(-1)), bad: true},
		{name: "a faulty project", p: task.Policy{LeaseMs: &tooLong}, bad: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.p.Lease(c.asked)
			if c.bad {
				refused(t, err, fault.Invalid, "366 days")
				return
			}
			if passes(t, err); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limit      int
		says       string
	}{
		{"fits in characters", strings.Repeat("é", task.MaxTitle), task.MaxTitle, ""},
		{"one character too many", strings.Repeat("é", task.MaxTitle+1), task.MaxTitle, "title has 501 characters, more than the 500"},
		{"fits in bytes", strings.Repeat("a", task.MaxText), task.MaxText, ""},
		{"counted in bytes", strings.Repeat("é", task.MaxText/2+1), task.MaxText, "title has 262146 bytes, more than the 262144"},
		{"empty", "", task.MaxTitle, "title is empty"},
		{"null", "ab\x00", task.MaxTitle, "title has U+0000 in it, at byte 2"},
		{"not UTF-8", "\xc3\x28", task.MaxTitle, "title is not valid UTF-8"},
		{"line breaks are text", "a\nb\t\u2028", task.MaxTitle, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := task.CheckText("title", c.text, c.limit)
			if c.says == "" {
				passes(t, err)
				return
			}
			refused(t, err, fault.Invalid, c.says)
		})
	}
	passes(t, task.CheckOptional("body", "", task.MaxText))
	refused(t, task.CheckOptional("body", "\x00", task.MaxText), fault.Invalid, "body has U+0000")
}

func TestNamesAndCounts(t *testing.T) {
	passes(t, task.CheckName("gate", "release ✓"))
	refused(t, task.CheckName("gate", "a\x1b[0m"), fault.Invalid, "gate has the control character U+001B")
	passes(t, task.CheckCount("criteria", 1000, task.MaxListed))
	refused(t, task.CheckCount("criteria", 1001, task.MaxListed), fault.Invalid, "1001 criteria", "1000")
}

func TestActorName(t *testing.T) {
	for s, want := range map[string][2]string{
		"claude": {"claude", ""}, "claude/3": {"claude", "3"}, "Ada Lovelace": {"Ada Lovelace", ""}, `CORP\ada`: {`CORP\ada`, ""},
	} {
		name, instance, err := task.ParseActor(s)
		if err != nil || name != want[0] || instance != want[1] {
			t.Errorf("%q: %q %q %v", s, name, instance, err)
		}
		if full := (task.Actor{Name: name, Instance: instance}).Full(); full != s {
			t.Errorf("%q comes back as %q", s, full)
		}
	}
	for _, s := range []string{"", " ", "/3", "claude/", "claude/ ", "a/b/c", "a\n", "a\x00", "\xff", strings.Repeat("a", 201)} {
		_, _, err := task.ParseActor(s)
		refused(t, err, fault.Invalid)
	}
}
