package store

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/task"
)

// TestATextIsFoundAsInItsLowerCase compares the search for a part of a text with the plain way.
func TestATextIsFoundAsInItsLowerCase(t *testing.T) {
	names := rapid.StringOfN(rapid.RuneFrom([]rune("aAbB1-2. ÄäßKkİi")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		slug := rapid.StringMatching(`[a-b1-2]{1,3}(-[a-b1-2])?`).Draw(t, "slug")
		text := rapid.OneOf(names, rapid.StringMatching(`[-abAB12]{1,4}`)).Filter(func(s string) bool { return s != "" }).Draw(t, "text")
		title, key, number := names.Draw(t, "title"), names.Draw(t, "key"), rapid.Int64Range(1, 300).Draw(t, "number")
		want := false
		for _, name := range []string{title, key, string(task.MakeID(slug, number))} {
			want = want || strings.Contains(strings.ToLower(name), strings.ToLower(text))
		}
		if got := textOf(slug, text).in(number, []byte(title), []byte(key)); got != want {
			t.Fatalf("%q in %q, %q or %s-%d: %v, want %v", text, title, key, slug, number, got, want)
		}
	})
}

func TestATextIsFoundAcrossTheHeadOfAnID(t *testing.T) {
	for text, want := range map[string]bool{"o-12": true, "-1": true, "DEMO": true, "em": true, "23": true, "demo-123": true, "o-2": false, "demo-124": false, "x": false, "mo-1234": false} {
		if got := textOf("demo", text).in(123, nil, nil); got != want {
			t.Errorf("%q in demo-123: %v", text, got)
		}
	}
}
