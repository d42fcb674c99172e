package task_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/task"
)

func TestSlugGrammar(t *testing.T) {
	for s, want := range map[string]bool{
		"a": true, "0": true, "demo": true, "a-b": true, "a--b": true, "9lives": true, "Demo": true, "a.b": true, "a_b": true, "a_": true,
		"a.-b": true, "A.b_C-9": true, strings.Repeat("a", 63): true,
		"": false, "-a": false, ".a": false, "_a": false, "a-": false, "a.": false, "a..b": false, "..": false, "é": false, "a b": false,
		"a/b": false, "a\x00": false, "a\n": false, strings.Repeat("a", 64): false,
	} {
		if task.ValidSlug(s) != want {
			t.Errorf("%q: valid is not %v", s, want)
		}
	}
}

func TestSlugPatternSaysTheSame(t *testing.T) {
	pattern := regexp.MustCompile(`^(?:` + task.SlugPattern + `)$`)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[aZ0._-]{0,8}`), rapid.String()).Draw(t, "text")
		if matches := pattern.MatchString(s) && len(s) <= task.MaxSlug; matches != task.ValidSlug(s) {
			t.Fatalf("%q: the pattern says %v", s, matches)
		}
	})
}

func TestSuggest(t *testing.T) {
	for s, want := range map[string]string{
		"My Project": "my-project", "--x__y--": "x__y", "-a": "a", "a-": "a", "a..b": "a.b", "_x": "x", "ü": "project", "": "project",
		"a / b": "a-b", "a\x00": "a", "Demo": "Demo", "Shop.v2": "Shop.v2", strings.Repeat("b", 64): strings.Repeat("b", 63),
		strings.Repeat("a-", 80): strings.TrimSuffix(strings.Repeat("a-", 32), "-"),
	} {
		if got := task.SuggestSlug(s); got != want {
			t.Errorf("%q suggests %q, want %q", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[aZ0. _-]{0,80}`), rapid.String()).Draw(t, "text")
		got := task.SuggestSlug(s)
		if !task.ValidSlug(got) || task.ValidSlug(s) && got != s {
			t.Fatalf("%q suggests %q", s, got)
		}
	})
}
