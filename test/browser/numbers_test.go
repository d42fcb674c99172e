package browser_test

import (
	_ "embed"
	"fmt"
	"testing"

	"tasker/test/shop"
)

//go:embed testdata/numbers.js
var walkNumbers string

// TestEveryNumberIsTrue walks every page of the plan "shop" that a link leads to, and compares the numbers on it with the
// lists behind them.
func TestEveryNumberIsTrue(t *testing.T) {
	t.Parallel()
	s := shopping(t)
	b := open(t)
	b.visit(s.base + "/help") // what is fetched has the same origin
	type walk struct {
		Pages, Left int
		Kinds       map[string]int
		Wrong       []string
	}
	got := js[walk](b, fmt.Sprintf(`(%s)("/?all=false", %q)`, walkNumbers, shop.Project))
	t.Logf("%d pages, %v", got.Pages, got.Kinds)
	for _, w := range got.Wrong {
		t.Error(w)
	}
	if got.Left > 0 || got.Pages < 120 {
		t.Errorf("%d pages were read, and %d were not", got.Pages, got.Left)
	}
	for kind, least := range map[string]int{"link": 15, "heading": 15, "group": 10, "sentence": 5, "ticks": 50, "below": 4} {
		if got.Kinds[kind] < least {
			t.Errorf("%d numbers of the kind %s were found, want %d or more: has its markup changed?", got.Kinds[kind], kind, least)
		}
	}
}
