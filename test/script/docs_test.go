package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePagesRunAsTheyStand runs the sh blocks of the pages, in order, as a reader would who follows them.
func TestThePagesRunAsTheyStand(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"README.md", "docs/guide.md", "docs/agents.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("..", "..", page))
			if err != nil {
				t.Fatal(err)
			}
			script := blocks(string(text))
			if strings.Count(script, "tasker ") < 5 {
				t.Fatalf("%s has hardly anything to run:\n%s", page, script)
			}
			home := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "sh", "-eux", "-c", script)
			cmd.Dir = home
			cmd.Env = []string{"HOME=" + home, "PATH=" + built + string(os.PathListSeparator) + os.Getenv("PATH"), "TASKER_ACTOR=robot"}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s does not run as it stands: %v\n%s", page, err, out)
			}
		})
	}
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
	for _, page := range []string{"README.md", "docs/guide.md", "docs/agents.md"} {
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
