package task_test

import (
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestRefusedSlugHasASuggestion(t *testing.T) {
	refused(t, task.CheckSlug("my project"), fault.Invalid, "for example my-project")
	refused(t, task.CheckSlug(""), fault.Invalid, "empty")
	passes(t, task.CheckSlug("Shop.v2_x-1"))
}

func TestParseID(t *testing.T) {
	for s, want := range map[string]struct {
		slug string
		n    int64
	}{
		"demo-1":          {"demo", 1},
		"a-b-20":          {"a-b", 20},
		"1-1":             {"1", 1},
		"x-2147483648":    {"x", 1 << 31},
		"a-1-2":           {"a-1", 2},
		"demo-1000000000": {"demo", 1_000_000_000},
		"Demo-1":          {"Demo", 1},
		"a.b-c_d-7":       {"a.b-c_d", 7},
		"v1.2-3":          {"v1.2", 3},
	} {
		if slug, n, ok := task.ParseID(s); !ok || slug != want.slug || n != want.n {
			t.Errorf("%q: %q %d %v", s, slug, n, ok)
		}
	}
	for _, s := range []string{
		"", "-", "demo", "demo-", "-1", "demo-0", "demo-01", "demo--1", "demo.-1", "a..b-1", ".a-1", "_a-1", "demo-1 ", "demo-+1", "demo-1x", "demo-２",
		"x-2147483649", "x-99999999999999999999", strings.Repeat("a", 64) + "-1",
	} {
		if slug, n, ok := task.ParseID(s); ok {
			t.Errorf("%q reads as %q %d", s, slug, n)
		}
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("demo-1")
	f.Add("a-b-2147483648")
	f.Add("demo-01")
	f.Fuzz(func(t *testing.T, s string) {
		slug, n, ok := task.ParseID(s)
		if !ok {
			return
		}
		if task.CheckSlug(slug) != nil || n < 1 || n > 1<<31 || string(task.MakeID(slug, n)) != s {
			t.Fatalf("%q reads as %q %d", s, slug, n)
		}
	})
}

func TestKeyThatReadsLikeAnID(t *testing.T) {
	for _, c := range []struct {
		key  string
		own  task.ID
		want bool
	}{
		{"build the thing", "", false}, {"other-1", "", false}, {"demo-7", "demo-7", false}, {"demo-07", "", false}, {"Demo-7", "", false},
		{"demo-8", "demo-7", true}, {"demo-7", "", true},
	} {
		if got := task.ReadsLikeID("demo", c.key, c.own); got != c.want {
			t.Errorf("%q of %q: %v", c.key, c.own, got)
		}
	}
}
