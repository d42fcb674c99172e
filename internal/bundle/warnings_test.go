package bundle_test

import (
	"slices"
	"testing"

	"tasker/internal/bundle"
	"tasker/internal/task"
)

func TestChangedSinceNamesOthersAlone(t *testing.T) {
	claimed := task.Event{Kind: task.TaskClaimed, Actor: "bot/7"}
	by := func(actor string, kind task.Kind) []task.Event {
		return []task.Event{{Kind: task.TaskUpdated, Actor: "old"}, claimed, {Kind: kind, Actor: actor}}
	}
	for _, c := range []struct {
		holder string
		events []task.Event
		want   []string
	}{
		{"bot/7", by("bot/7", task.CriterionChecked), nil},
		{"bot/7", by("bot", task.CriterionChecked), nil}, // a shell of the same agent
		{"bot", by("bot/7", task.CriterionChecked), nil},
		{"bot/7", by("ann", task.NoteAdded), nil},
		{"bot/7", by("bot/8", task.CriterionChecked), []string{"demo-1 changed since it was claimed by bot/7: by bot/8 (ticked)"}},
		{"bot/7", by("ann", task.TaskUpdated), []string{"demo-1 changed since it was claimed by bot/7: by ann (edited)"}},
	} {
		if got := bundle.ChangedSince("demo-1", c.holder, c.events); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.holder, got, c.want)
		}
	}
}
