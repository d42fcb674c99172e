package place_test

import (
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/workspace/place"
)

func TestWhatIsFarthestFromTheBaseCounts(t *testing.T) {
	for _, c := range []struct {
		all  []place.Where
		want place.Where
	}{
		{[]place.Where{place.Landed, place.Local, place.Pushed}, place.Local},
		{[]place.Where{place.Pushed, place.Nowhere}, place.Nowhere},
		{[]place.Where{place.Unknown, place.Landed}, place.Landed},
	} {
		var all []place.Landing
		for _, w := range c.all {
			all = append(all, place.Landing{Where: w})
		}
		if got := place.Farthest(all); got == nil || got.Where != c.want {
			t.Errorf("of %v it is %+v", c.all, got)
		}
	}
	if got := place.Farthest([]place.Landing{{}}); got != nil {
		t.Errorf("what is unknown tells %+v", got)
	}
}

func TestALandingIsSaidInOneLineWithWhatToDo(t *testing.T) {
	for _, c := range []struct {
		l    place.Landing
		want string
	}{
		{place.Landing{Where: place.Landed, Base: "main"}, ""},
		{place.Landing{Where: place.Nowhere, Path: "/w", Base: "main"}, "it has changes in /w that are not committed"},
		{place.Landing{Where: place.Nowhere, Proved: "test", Base: "main"},
			"the files that test was proved on are in no commit of a branch: commit them or put them away, prove it again, and land it on main"},
		{place.Landing{Where: place.Local, Branch: "b", Base: "release/1"}, "its work is on b alone, and not on release/1; merge it there"},
		{place.Landing{Where: place.Local, Branch: "b", Base: "origin/main", Remote: "origin"},
			"its work is on b alone, and not on origin/main; push it (git push origin b) and merge it there"},
		{place.Landing{Where: place.Local, Branch: "main", Base: "origin/main", Remote: "origin"},
			"its work is on main alone, and not on origin/main; push it there: git push origin main"},
		{place.Landing{Where: place.Pushed, Branch: "origin/b", Base: "origin/main", Remote: "origin"},
			"its work is pushed on origin/b, and not on origin/main; merge it there"},
		{place.Landing{Where: place.Pushed, Commit: task.Opt(strings.Repeat("a", 40)), Base: "main"},
			"its work is pushed in aaaaaaaaaaaa, and not on main; merge it there"},
	} {
		if got := c.l.Words(); got != c.want {
			t.Errorf("%+v:\n%s\n%s", c.l, got, c.want)
		}
	}
}
