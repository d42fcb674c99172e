package terminal_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestARecordedCommandIsRunOnlyWhereAHumanConfirmsIt has commands that no file declares: words, which no shell reads, and
// hidden characters.
func TestARecordedCommandIsRunOnlyWhereAHumanConfirmsIt(t *testing.T) {
	w := newWorld(t)
	w.run("robot", "prove", "look", "--kind", "seen", "--", "printf", "%s|", "a b", "$(touch ran)")
	asks := `No file on the base declares this command. Run it? printf '%s|' 'a b' '$(touch ran)' [y/N]`

	x := w.open(120, 24, "prove", "--again", "look")
	x.shows(asks)
	x.types("n\r")
	x.shows("demo-2 cannot: printf", "(not in the file)", "0 hold, 0 fail, 1 cannot be run")
	if code := x.ends(); code != 0 {
		t.Errorf("what was not confirmed ends with %d", code)
	}

	x = w.open(120, 24, "prove", "--again", "look")
	x.shows(asks)
	x.types("y\r")
	x.shows("a b|$(touch ran)|", "1 hold, 0 fail, 0 cannot be run")
	x.ends()
	if _, err := os.Stat(filepath.Join(w.dir, "ran")); err == nil {
		t.Error("words were read by a shell")
	}

	// Nobody is asked in an agent's shell, in an agent's name, or about what the terminal would not show.
	agents := *w
	agents.env = []string{"CLAUDECODE=1"}
	for _, x := range []*tty{agents.open(120, 24, "prove", "--again", "look"), w.start(120, 24, w.command("robot", "prove", "--again", "look"))} {
		x.shows("0 hold, 0 fail, 1 cannot be run")
		x.ends()
	}
	w.run("robot", "prove", "free", "--kind", "seen", "--", "printf", "a\u202eb")
	w.run("robot", "prove", "free", "--kind", "unseen", "--", "printf", "a\u200b\U000e0069b")
	x = w.open(120, 24, "prove", "--again", "free")
	x.shows("0 hold, 0 fail, 2 cannot be run")
	x.ends()
}
