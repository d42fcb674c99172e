package script_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tasker/internal/testkit/dbtest"
	"tasker/internal/workspace/ports"
)

// pages lists the pages with commands for a reader to follow, in reading order. An agent may follow the first five.
var pages = []string{
	"README.md", "docs/guide.md", "docs/agents.md", "docs/inbox.md", "SECURITY.md",
	"docs/workspaces.md", "docs/import.md", "docs/integrations.md",
	"docs/recipes/agents.md", "docs/recipes/team.md", "docs/recipes/ci.md", "docs/recipes/proxy.md", "docs/recipes/beads.md", "docs/recipes/github.md",
	"docs/operations.md",
}

const forAgents = 5

// TestThePagesRunAsTheyStand runs the sh blocks of the pages, in order, like an agent that follows them.
func TestThePagesRunAsTheyStand(t *testing.T) {
	t.Parallel()
	for _, page := range pages[:forAgents] {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			follow(t, page, t.TempDir(), "TASKER_ACTOR=robot")
		})
	}
}

// TestThePagesRunOneAfterTheOther runs them as a person would, on one machine: what one page leaves behind must not trip
// the next, and the reader is a human after the first steps of each.
func TestThePagesRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := machine(t)
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			out := follow(t, page, home, env...)
			if strings.Contains(out, "stale:") {
				t.Errorf("%s ends with stale evidence:\n%s", page, out)
			}
			if strings.Contains(out, "+ tasker whoami\n") != strings.Contains(out, ", human, by ") {
				t.Errorf("%s leaves its reader an agent:\n%s", page, out)
			}
		})
	}
	if left, err := os.ReadDir(filepath.Join(home, "tmp")); err != nil || len(left) != len(pages) {
		t.Errorf("%d scratch directories for %d pages: %v", len(left), len(pages), err)
	}
}

// machine returns the variables that tell pages what a machine already has: PostgreSQL, and free ports.
func machine(t *testing.T) []string {
	t.Helper()
	server, err := pgx.ParseConfig(dbtest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	start := 10000 + mathrand.IntN(20000) // below the ports that the system assigns itself
	free := ports.Free(t.Context(), start, start+999, 2, func(int) bool { return false })
	if len(free) != 2 {
		t.Fatalf("no two ports from %d on are free", start)
	}
	return []string{
		"PGHOST=" + server.Host, "PGPORT=" + strconv.Itoa(int(server.Port)), "PGUSER=" + server.User, "PGPASSWORD=" + server.Password,
		"PGDATABASE=pages_" + strings.ToLower(rand.Text()),
		"TASKER_SERVE_PORT=" + strconv.Itoa(free[0]), "PROXY_PORT=" + strconv.Itoa(free[1]),
	}
}

// follow runs the blocks of a page in a shell of its own, and returns what it printed. Everything that the page started
// and left running ends with it.
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
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-eux", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "TMPDIR=" + scratch, "PATH=" + built + string(os.PathListSeparator) + os.Getenv("PATH")}, more...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 10*time.Second
	err = cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left running, if anything
	if err != nil {
		t.Errorf("%s does not run as it stands: %v\n%s", page, err, out.String())
	}
	return out.String()
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

var update = flag.Bool("update", false, "rewrite the figures of docs/comparison.md")

// link finds the targets of links and pictures in a page.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksOfThePagesLeadSomewhere checks links to files of this repository, and to headings in them.
func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	all := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}
	for _, pattern := range []string{"docs/*.md", "docs/recipes/*.md", "docs/internals/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) < 2 {
			t.Fatal(found, err)
		}
		for _, f := range found {
			name, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, name)
		}
	}
	for _, page := range all {
		for _, m := range link.FindAllStringSubmatch(prose(read(t, page)), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
				continue
			}
			if heading != "" && !strings.Contains(anchors(read(t, target)), "\n"+heading+"\n") {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
	}
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// prose returns a page without its blocks of code.
func prose(page string) string {
	parts := strings.Split(page, "\n```")
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i] + "\n")
	}
	return b.String()
}

// anchors returns what browsers call the headings of a page, each in a line.
func anchors(page string) string {
	names := "\n"
	for line := range strings.Lines(prose(page)) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		name = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(name, "")
		names += strings.ReplaceAll(name, " ", "-") + "\n"
	}
	return names
}
