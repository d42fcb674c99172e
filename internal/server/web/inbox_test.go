package web_test

import (
	"html"
	"regexp"
	"slices"
	"testing"
)

// The inbox offers no command that would be refused: unfinished work goes back first, or its criteria are ticked.
func TestTheInboxClosesNothingUnfinished(t *testing.T) {
	h := site(t, `{"project": "demo", "gates": {"ship": ["tests"]}, "tasks": [
		{"key": "a", "title": "Finished", "status": "in_review"},
		{"key": "b", "title": "Not ticked", "status": "in_review", "criteria": ["one", "two"]},
		{"key": "c", "title": "Not proven", "status": "in_review", "criteria": ["one"], "gate": "ship"}]}`)
	body := get(t, h, "/p/demo/inbox?all=true").Body.String()
	command := regexp.MustCompile(`>(tasker (?:done|return) (demo-\d)[^<]*)<`)
	got := map[string][]string{}
	for _, m := range command.FindAllStringSubmatch(body, -1) {
		got[m[2]] = append(got[m[2]], html.UnescapeString(m[1]))
	}
	for id, want := range map[string][]string{
		"demo-1": {"tasker done demo-1", "tasker return demo-1 --because 'TEXT'"},
		"demo-2": {"tasker return demo-2 --because 'TEXT'", "tasker done demo-2 --check 1,2"},
		"demo-3": {"tasker return demo-3 --because 'TEXT'"},
	} {
		if !slices.Equal(got[id], want) {
			t.Errorf("%s is offered %q, want %q", id, got[id], want)
		}
	}
}
