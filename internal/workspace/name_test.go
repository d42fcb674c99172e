package workspace_test

import (
	"os/exec"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/workspace"
)

func TestABranchIsNamedAfterItsTask(t *testing.T) {
	for _, c := range []struct{ prefix, template, id, title, want string }{
		{"tasker/", "{id}-{slug}", "shop-3", "Add a cart", "tasker/shop-3-add-a-cart"},
		{"tasker/", "{id}-{slug}", "Shop_x.y-3", "Größe prüfen, sofort!", "tasker/Shop_x.y-3-grosse-prufen-sofort"},
		{"", "{id}", "shop-3", "x", "shop-3"},
		{"tasker/", "{id}-{slug}", "shop-3", "漢字", "tasker/shop-3"},
		{"feature//x/", "{slug}/{id}", "shop-3", "a/../b", "feature/x/a-b/shop-3"},
		{"-", "{id}", "shop-3", "", "shop-3"},
		{"tasker/", "{slug}.lock", "shop-3", "HEAD", "tasker/head-"},
		{"tasker/", "{id} && rm -rf ~", "shop-3", "", "tasker/shop-3----rm--rf"},
		{"tasker/", "{id}-{slug}", "shop-3", "a very long title that goes on and on for as long as anybody cares to read",
			"tasker/shop-3-a-very-long-title-that-goes-on-and-on"},
	} {
		got, err := workspace.Branch(c.prefix, c.template, task.ID(c.id), c.title)
		if err != nil || got != c.want {
			t.Errorf("%q %q %s %q: %q (%v), want %q", c.prefix, c.template, c.id, c.title, got, err, c.want)
		}
	}
	for _, template := range []string{"work", "{slug}"} {
		if got, err := workspace.Branch("tasker/", template, "shop-3", "漢字"); err == nil {
			t.Errorf("%s: %s", template, got)
		}
	}
}

func TestNoNameIsMoreThanAName(t *testing.T) {
	hostile := []string{
		"--upload-pack=x", "a..b", "a@{1}", "x.lock", ".git", "-", "a//b", "a/.b", "a\x00b", "a\nb", "a b", "~", "^", ":", "?*[", "\\", "HEAD",
		"refs/heads/main", "@", strings.Repeat("x/", 200), strings.Repeat("a.lock/", 30), strings.Repeat("y", 119) + ".lock", "a.lock.lock", "..", "…",
	}
	for _, a := range hostile {
		for _, b := range append(hostile, "{id}", "{slug}", "{id}{slug}") {
			name, err := workspace.Branch(a, b+"{id}", "p-1", a+b)
			if err != nil {
				continue
			}
			if out, err := exec.CommandContext(t.Context(), "git", "check-ref-format", "--branch", name).CombinedOutput(); err != nil {
				t.Errorf("%q, %q: %q: %v %s", a, b, name, err, out)
			}
			if strings.HasPrefix(name, "-") || len(name) > 120 {
				t.Errorf("%q, %q: %q", a, b, name)
			}
		}
	}
}
