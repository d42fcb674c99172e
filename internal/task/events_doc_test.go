package task

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestTheReferenceOfEventsListsEveryKind(t *testing.T) {
	page, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []Kind
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\|").FindAllSubmatch(page, -1) {
		listed = append(listed, Kind(m[1]))
	}
	want := slices.Clone(Kinds)
	slices.Sort(want)
	slices.Sort(listed)
	if !slices.Equal(listed, want) {
		t.Errorf("docs/events.md lists %v, and there are %v", listed, want)
	}
}
