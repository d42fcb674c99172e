package words_test

import (
	"strings"
	"testing"

	"tasker/internal/text/words"
)

func TestTheValueOfAFieldFitsOnALine(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "none"},
		{"", "none"},
		{[]any{}, "none"},
		{map[string]any{}, "none"},
		{float64(1794985265472), "1794985265472"},
		{0.5, "0.5"},
		{true, "true"},
		{"one\ntwo", `"one\ntwo"`},
		{long, `"` + strings.Repeat("é", 60) + `…"`},
		{[]any{"demo-1", "demo-2"}, `["demo-1","demo-2"]`},
		{[]any{long, long, long}, (`["` + strings.Repeat("é", 60) + `…","` + strings.Repeat("é", 54) + "…")},
		{[]any{map[string]any{"index": 1.0, "text": "it works", "checked": true}}, `["it works"]`},
		{map[string]any{"ship": []any{"tests"}, "draft": nil}, `{"draft":none,"ship":["tests"]}`},
	} {
		if got := words.Value(c.value); got != c.want {
			t.Errorf("%v is shown as %s, want %s", c.value, got, c.want)
		}
	}
}
