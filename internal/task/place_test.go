package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestPlacesApart(t *testing.T) {
	shop := task.Place{Roots: []string{"aaaa"}, Host: "h1", Repo: "r1", Path: "p1"}
	empty := task.Place{Host: "h1", Repo: "r1", Path: "p1"}
	outside := task.Place{Host: "h1", Path: "p1"}
	for _, c := range []struct {
		name   string
		record task.Place
		run    task.Place
		apart  bool
	}{
		{"the same", shop, shop, false},
		{"another directory of it", shop, task.Place{Roots: []string{"aaaa"}, Host: "h1", Repo: "r1", Path: "p2"}, false},
		{"a clone", shop, task.Place{Roots: []string{"bbbb", "aaaa"}, Host: "h2", Repo: "r2", Path: "p2"}, false},
		{"a foreign repository", shop, task.Place{Roots: []string{"cccc"}, Host: "h1", Repo: "r2", Path: "p2"}, true},
		{"one without a commit", shop, task.Place{Host: "h1", Repo: "r2", Path: "p2"}, true},
		{"its history was written again", shop, task.Place{Roots: []string{"dddd"}, Host: "h1", Repo: "r1", Path: "p2"}, false},
		{"recorded before the first commit", empty, shop, false},
		{"recorded before it, and a foreign one", empty, task.Place{Roots: []string{"cccc"}, Host: "h1", Repo: "r2", Path: "p2"}, true},
		{"outside git, the same directory", outside, outside, false},
		{"outside git, where git came later", outside, shop, false},
		{"outside git, a copy", outside, task.Place{Host: "h1", Path: "p2"}, true},
		{"outside git, another machine", outside, task.Place{Host: "h2", Path: "p3"}, true},
		{"nobody knows the record's", task.Place{}, shop, false},
		{"nobody knows the run's", shop, task.Place{}, false},
	} {
		if got := c.record.Apart(c.run); got != c.apart {
			t.Errorf("%s: apart %v, want %v", c.name, got, c.apart)
		}
		if back := task.ParsePlace(c.run.String()); back.String() != c.run.String() || back.Apart(c.run) {
			t.Errorf("%s: %q is read as %q", c.name, c.run, back)
		}
	}
	for _, broken := range []string{"", "x", "a b c", "a b c d e"} {
		if got := task.ParsePlace(broken); shop.Apart(got) {
			t.Errorf("%q is a place: %v", broken, got)
		}
	}
}
