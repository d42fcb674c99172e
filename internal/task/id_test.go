package task_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestSlugGrammar(t *testing.T) {
	for _, s := range []string{"a", "0", "demo", "a-b", "a--b", "9lives", strings.Repeat("a", 63)} {
		if err := task.CheckSlug(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for s, suggested := range map[string]string{
		"":                      "",
		"-a":                    "for example a",
		"a-":                    "for example a",
		"Demo":                  "for example demo",
		"my project":            "for example my-project",
		"a_b":                   "for example a-b",
		"é":                     "for example project",
		"a\x00":                 "for example a",
		"-":                     "for example project",
		strings.Repeat("b", 64): "for example " + strings.Repeat("b", 63),
	} {
		refused(t, task.CheckSlug(s), fault.Invalid, suggested)
	}
}

func TestSuggestedSlugIsAlwaysValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if got := task.SuggestSlug(s); task.CheckSlug(got) != nil {
			t.Fatalf("%q suggests %q", s, got)
		}
	})
}

func TestSuggestedSlugKeepsAValidOne(t *testing.T) {
	for _, s := range []string{"a", "demo-2", strings.Repeat("ab-", 20) + "abc"} {
		if got := task.SuggestSlug(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
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
	} {
		if slug, n, ok := task.ParseID(s); !ok || slug != want.slug || n != want.n {
			t.Errorf("%q: %q %d %v", s, slug, n, ok)
		}
	}
	for _, s := range []string{
		"", "-", "demo", "demo-", "-1", "demo-0", "demo-01", "demo--1", "Demo-1", "demo-1 ", "demo-+1", "demo-1x", "demo-２",
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

func TestKey(t *testing.T) {
	for _, c := range []struct {
		name, key string
		own       task.ID
		says      string // empty: valid
	}{
		{"plain", "build the thing", "", ""},
		{"longest, in characters", strings.Repeat("é", 200), "", ""},
		{"id of another project", "other-1", "", ""},
		{"its own id", "demo-7", "demo-7", ""},
		{"no id after all", "demo-07", "", ""},
		{"another task's id", "demo-8", "demo-7", "reads like the id"},
		{"an id before it has one", "demo-7", "", "reads like the id"},
		{"empty", "", "", "key is empty"},
		{"too long", strings.Repeat("é", 201), "", "key has 201 characters, more than the 200"},
		{"line break", "a\nb", "", "U+000A"},
		{"C1 control", "a\u0085b", "", "U+0085"},
		{"null", "a\x00", "", "U+0000"},
		{"not UTF-8", "a\xff", "", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := task.CheckKey("demo", c.key, c.own)
			if c.says == "" {
				passes(t, err)
				return
			}
			refused(t, err, fault.Invalid, c.says)
		})
	}
}
