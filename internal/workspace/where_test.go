package workspace_test

import (
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/workspace"
)

func TestWhatIsFarthestFromTheBaseCounts(t *testing.T) {
	for _, c := range []struct {
		all  []workspace.Where
		want workspace.Where
	}{
		{[]workspace.Where{workspace.Landed, workspace.Local, workspace.Pushed}, workspace.Local},
		{[]workspace.Where{workspace.Pushed, workspace.Nowhere}, workspace.Nowhere},
		{[]workspace.Where{workspace.Unknown, workspace.Landed}, workspace.Landed},
	} {
		var all []workspace.Landing
		for _, w := range c.all {
			all = append(all, workspace.Landing{Where: w})
		}
		if got := workspace.Farthest(all); got == nil || got.Where != c.want {
			t.Errorf("of %v it is %+v", c.all, got)
		}
	}
	if got := workspace.Farthest([]workspace.Landing{{}}); got != nil {
		t.Errorf("unknown ones give %+v", got)
	}
}

func TestALandingIsSaidInOneLineWithWhatToDo(t *testing.T) {
	for _, c := range []struct {
		l    workspace.Landing
		want string
	}{
		{workspace.Landing{Where: workspace.Landed, Base: "main"}, ""},
		{workspace.Landing{Where: workspace.Nowhere, Path: "/w", Base: "main"}, "it has changes in /w that are not committed"},
		{workspace.Landing{Where: workspace.Nowhere, Proved: "test", Base: "main"},
			"no branch has a commit with the files that test was proved on: commit or stash them, prove it again, and land it on main"},
		{workspace.Landing{Where: workspace.Local, Branch: "b", Base: "release/1"}, "its work is only on b, not on release/1; merge it there"},
		{workspace.Landing{Where: workspace.Local, Branch: "b", Branches: 5, Base: "main"}, "its work is only on b and 4 other branches, not on main; merge it there"},
		{workspace.Landing{Where: workspace.Local, Branch: "b", Base: "origin/main", Remote: "origin"},
			"its work is only on b, not on origin/main; push it (git push origin b) and merge it there"},
		{workspace.Landing{Where: workspace.Local, Branch: "main", Base: "origin/main", Remote: "origin"},
			"its work is only on main, not on origin/main; push it there: git push origin main"},
		{workspace.Landing{Where: workspace.Pushed, Branch: "origin/b", Base: "origin/main", Remote: "origin"},
			"its work is pushed on origin/b, but not on origin/main; merge it there"},
		{workspace.Landing{Where: workspace.Pushed, Commit: task.Opt(strings.Repeat("a", 40)), Base: "main"},
			"its work is pushed in aaaaaaaaaaaa, but not on main; merge it there"},
	} {
		if got := c.l.Words(); got != c.want {
			t.Errorf("%+v:\n%s\n%s", c.l, got, c.want)
		}
	}
}

func TestWhereARunIsFoundIsSaidOnlyWhereSomebodySaw(t *testing.T) {
	for _, c := range []struct {
		l    *workspace.Landing
		want string
	}{
		{nil, ""}, {&workspace.Landing{}, ""},
		{&workspace.Landing{Where: workspace.Nowhere, Path: "/w"}, ""}, // changes in a workspace say nothing of the run
		{&workspace.Landing{Where: workspace.Nowhere, Proved: "test"}, "found on no branch"},
		{&workspace.Landing{Where: workspace.Landed, Base: "main"}, ""}, // the branch is gone, its changes are on the base
		{&workspace.Landing{Where: workspace.Landed, Branch: "main", Branches: 1}, "found on main"},
		{&workspace.Landing{Where: workspace.Pushed, Branch: "origin/b", Branches: 2}, "found on origin/b and 1 other branch"},
	} {
		if got := c.l.FoundOn().Words(); got != c.want {
			t.Errorf("%+v: %q, and not %q", c.l, got, c.want)
		}
	}
}
