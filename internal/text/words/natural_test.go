package words_test

import (
	"slices"
	"testing"

	"tasker/internal/text/words"
)

func TestNumbersInNamesSortByTheirValue(t *testing.T) {
	want := []string{"ann", "bot", "bot/01", "bot/1", "bot/2", "bot/18", "bot/18a", "bot2", "bot18", "eve"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, words.Natural)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %q, want %q", got, want)
	}
}
