package web

import (
	"strings"
	"testing"

	"tasker/internal/task"
)

// What closes a task in review is offered where the reader can give all that is missing, and nothing else is.
func TestWhatClosesAReviewIsOfferedWhereItCanBe(t *testing.T) {
	unticked := []task.Criterion{{Index: 1}, {Index: 3}}
	for want, left := range map[string]task.Obstacles{
		"tasker done demo-1 BACK":                           {},
		"BACK tasker done demo-1 --check 1,3":               {Criteria: unticked},
		"BACK tasker done demo-1 --note 'TEXT'":             {Note: true},
		"BACK tasker done demo-1 --check 1,3 --note 'TEXT'": {Criteria: unticked, Note: true},
		"BACK":  {Criteria: unticked, Evidence: []string{"tests"}},
		"BACK ": {Unnamed: 1},
	} {
		if got := strings.Join(judging("demo-1", left, []string{"BACK"}), " "); got != strings.TrimSpace(want) {
			t.Errorf("%+v is offered %q, want %q", left, got, want)
		}
	}
}
