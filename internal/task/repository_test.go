package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestRepositoriesApart(t *testing.T) {
	shop := task.Repository{Host: "a", Dir: "/src/shop/.git"}
	for _, c := range []struct {
		other task.Repository
		want  bool
	}{
		{shop, false},
		{task.Repository{}, false},
		{task.Repository{Host: "a"}, false}, // a command outside of any repository
		{task.Repository{Host: "a", Dir: "/src/blog/.git"}, true},
		{task.Repository{Host: "b", Dir: "/src/shop/.git"}, true},
	} {
		if got := shop.Apart(c.other); got != c.want || c.other.Apart(shop) != c.want {
			t.Errorf("%v and %v apart: %v, want %v", shop, c.other, got, c.want)
		}
	}
}

func TestPlaceOfARepository(t *testing.T) {
	for _, c := range []struct {
		of   task.Repository
		want string
	}{
		{task.Repository{Host: "a", Dir: "/src/shop/.git"}, "/src/shop"},
		{task.Repository{Host: "a", Dir: "/srv/shop.git"}, "/srv/shop.git"},
		{task.Repository{Host: "b", Dir: "/src/shop/.git"}, "/src/shop on b"},
	} {
		if got := c.of.Place("a"); got != c.want {
			t.Errorf("%v is at %q, want %q", c.of, got, c.want)
		}
	}
}
