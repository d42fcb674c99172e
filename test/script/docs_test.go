package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pages are those with commands that a reader follows, in the order in which they are met.
var pages = []string{"README.md", "docs/guide.md", "docs/agents.md", "docs/inbox.md", "docs/sessions.md"}

// TestThePagesRunAsTheyStand runs the sh blocks of the pages, in order, as an agent would that follows them.
func TestThePagesRunAsTheyStand(t *testing.T) {
	t.Parallel()
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			follow(t, page, t.TempDir(), "TASKER_ACTOR=robot")
		})
	}
}

// TestThePagesRunOneAfterTheOther runs them as a person would, on one machine: what one page leaves behind must not trip the
// next, and whoever reads is a human after the first steps of each.
func TestThePagesRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, page := range pages {
		out := follow(t, page, home)
		if strings.Contains(out, "stale:") {
			t.Errorf("%s ends with stale evidence:\n%s", page, out)
		}
		if strings.Contains(out, "+ tasker whoami\n") && !strings.Contains(out, ", human, by ") {
			t.Errorf("%s leaves its reader an agent:\n%s", page, out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(home, "tmp")); err != nil || len(left) != len(pages)+1 { // the guide has two
		t.Errorf("%d scratch directories for %d pages: %v", len(left), len(pages), err)
	}
}

// follow runs the blocks of a page in a shell of its own, and returns what it printed.
func follow(t *testing.T, page, home string, more ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	script := blocks(string(text))
	if strings.Count(script, "tasker ") < 5 {
		t.Fatalf("%s has hardly anything to run:\n%s", page, script)
	}
	scratch := filepath.Join(home, "tmp")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-eux", "-c", script)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "TMPDIR=" + scratch, "PATH=" + built + string(os.PathListSeparator) + os.Getenv("PATH")}, more...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s does not run as it stands: %v\n%s", page, err, out)
	}
	return string(out)
}

// blocks joins the code blocks that are marked sh.
func blocks(page string) string {
	var out strings.Builder
	in := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			in = strings.TrimSpace(line) == "```sh"
		case in:
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestLinksOfThePagesLeadSomewhere looks at links to files of this repository.
func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "](") {
			target, _, ok := strings.Cut(part, ")")
			if !ok || strings.Contains(target, "://") || !strings.HasSuffix(target, ".md") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(page), target)); err != nil {
				t.Errorf("%s links to %s: %v", page, target, err)
			}
		}
	}
}
