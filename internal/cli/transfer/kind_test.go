package transfer

import (
	"slices"
	"testing"
)

func TestTheKindOfAFileIsGuessedByItsName(t *testing.T) {
	for name, want := range map[string]string{
		"todo.md": "markdown", "docs/TODO.Markdown": "markdown", ".taskmaster/tasks/tasks.json": "taskmaster", ".beads/issues.jsonl": "beads",
		"export.csv": "csv", "issues.json": "github", "backlog": "backlog", "notes/": "backlog", "trello": "", "trello.xml": "",
	} {
		got := append(likelyKinds(name), "")
		if got[0] != want {
			t.Errorf("%s is probably %v, want %q", name, got, want)
		}
		for _, kind := range got[:len(got)-1] {
			if !slices.Contains(kinds(), kind) {
				t.Errorf("%s is probably %q, which is not a kind", name, kind)
			}
		}
	}
}
