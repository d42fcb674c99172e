package terminal_test

import (
	"fmt"
	"strings"
	"testing"
)

// long returns a world with more tasks than a screen has lines.
func long(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for i := range 3 {
		w.run("ann", "add", fmt.Sprintf("Number %d", i))
	}
	return w
}

// What is longer than the screen goes through the pager, which has the terminal to itself: it can ask, and be answered.
func TestALongAnswerGoesThroughThePager(t *testing.T) {
	t.Parallel()
	w := long(t)
	w.env = []string{`TASKER_PAGER=sed 's/^/| /'; printf 'more? '; read -r answer < /dev/tty; echo "was told $answer"`}
	s := w.open(80, 6, "list")
	s.until("the pager's question", func(s *screen) bool {
		return strings.Contains(s.String(), "more?") && strings.Contains(s.scrolled+s.String(), "| demo-1")
	})
	s.types("yes" + enter)
	s.shows("was told yes")
	if code := s.ends(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	for _, o := range []struct {
		name   string
		pager  string
		height int
		args   []string
	}{
		{"what fits", "sed 's/^/| /'", 24, []string{"list"}},
		{"with --no-pager", "sed 's/^/| /'", 6, []string{"list", "--no-pager"}},
		{"a write", "sed 's/^/| /'", 6, []string{"edit", "look", "--priority", "1", "--json"}},
		{"a pager that is gone", "no-such-pager", 6, []string{"list"}},
	} {
		w.env = []string{"TASKER_PAGER=" + o.pager}
		s := w.open(80, o.height, o.args...)
		if code := s.ends(); code != 0 {
			t.Errorf("%s: it ended with %d", o.name, code)
		}
		s.until("all of "+o.name, func(s *screen) bool {
			all := s.scrolled + s.String()
			return !strings.Contains(all, "| ") && strings.Contains(all, "demo-2")
		})
	}
}

// A view with --watch is painted again in place when another process changes something, and ends with Ctrl-C.
func TestWatchingPaintsInPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, args := range [][]string{
		{"list", "--watch"}, {"board", "--watch"}, {"show", "ship", "--watch"}, {"graph", "ship", "--watch"}, {"work", "--watch"},
	} {
		title := fmt.Sprintf("Shipped %d", i)
		s := w.open(80, 40, args...)
		s.shows("demo-1")
		w.run("robot", "edit", "ship", "--title", title)
		s.shows(title)
		s.until("one painting", func(s *screen) bool { return strings.Count(s.String(), title) == 1 && s.scrolled == "" })
		s.types(ctrlC)
		if code := s.ends(); code != 0 {
			t.Errorf("%s ended with %d", strings.Join(args, " "), code)
		}
	}
}
