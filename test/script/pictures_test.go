package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/test/program"
)

// diagrams returns the Mermaid texts of a page.
func diagrams(page string) []string {
	var all []string
	parts := strings.Split(page, "\n```mermaid\n")
	for _, p := range parts[1:] {
		text, _, _ := strings.Cut(p, "\n```")
		all = append(all, text)
	}
	return all
}

// The lines that each kind of diagram may have. This is less than Mermaid accepts, so that it can draw every line that
// passes.
var (
	node    = `[a-z][a-z0-9_]*(\[\([^\[\](){}"|]+\)\]|\[[^\[\](){}"|]+\]|\{[^\[\](){}"|]+\})?`
	grammar = map[string]*regexp.Regexp{
		"flowchart LR":    regexp.MustCompile(`^  ` + node + ` -->(\|[a-z ]+\|)? ` + node + `$`),
		"flowchart TD":    regexp.MustCompile(`^  ` + node + ` -->(\|[a-z ]+\|)? ` + node + `$`),
		"stateDiagram-v2": regexp.MustCompile(`^  (\[\*\]|[a-z_]+) --> [a-z_]+: [a-z]+$`),
		"sequenceDiagram": regexp.MustCompile(`^  (participant [a-z] as [a-z0-9 ]+|[a-z]-?->>[a-z]: [^;#]+|Note over [a-z],[a-z]: [^;#]+)$`),
	}
	// reserved lists words that Mermaid does not accept as names of nodes.
	reserved = []string{"end", "graph", "subgraph", "style", "class", "default"}
)

func TestThePicturesAreDrawn(t *testing.T) {
	t.Parallel()
	all := diagrams(read(t, "docs/concepts.md"))
	if len(all) < 5 {
		t.Fatalf("docs/concepts.md has %d pictures", len(all))
	}
	for _, d := range all {
		kind, lines, _ := strings.Cut(d, "\n")
		line, ok := grammar[kind]
		if !ok {
			t.Errorf("a picture of the kind %q, which this test does not read", kind)
			continue
		}
		for l := range strings.SplitSeq(lines, "\n") {
			if !line.MatchString(l) {
				t.Errorf("%s: %q is not what Mermaid draws", kind, l)
			}
			for _, w := range reserved {
				if strings.HasPrefix(l, "  "+w+" ") || strings.Contains(l, "> "+w+"[") || strings.HasSuffix(l, " "+w) && kind != "sequenceDiagram" {
					t.Errorf("%s: %q calls a node %s, which Mermaid reserves", kind, l, w)
				}
			}
		}
	}
}

// TestTheLifeOfATaskIsAsDrawn walks every arrow of the picture with the program: its command moves a task from the one
// status to the other. Every status is in the picture.
func TestTheLifeOfATaskIsAsDrawn(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(diagrams(read(t, "docs/concepts.md")), func(d string) bool { return strings.HasPrefix(d, "stateDiagram-v2") })
	if i < 0 {
		t.Fatal("docs/concepts.md does not draw the life of a task")
	}
	picture := diagrams(read(t, "docs/concepts.md"))[i]
	dir := t.TempDir()
	program.Prepare(t, filepath.Join(built, "tasker"), filepath.Join(dir, "t.db"))
	tasker := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(built, "tasker"), args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "TASKER_DB=" + filepath.Join(dir, "t.db"), "TASKER_ACTOR=ann", "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tasker %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	tasker("config", "init", "--project", "demo", "--actor", "ann")
	tasker("project", "create", "demo")
	drawn := map[string]bool{}
	arrows := regexp.MustCompile(`(?m)^  (\S+) --> (\S+): (\S+)$`).FindAllStringSubmatch(picture, -1)
	for n, a := range arrows {
		from, to, command := a[1], a[2], a[3]
		drawn[from], drawn[to] = true, true
		key := "t" + string(rune('a'+n))
		tasker("add", "A task", "--key", key, "-p", "demo")
		switch from {
		case "[*]":
		case string(task.InProgress):
			tasker("claim", key)
		default:
			tasker("move", key, from)
		}
		args := []string{command, key}
		switch command {
		case "add":
			args = nil
		case "return":
			args = append(args, "--because", "it does not build")
		}
		if args != nil {
			tasker(args...)
		}
		if got := tasker("list", "--status", to, "--json"); !strings.Contains(got, `"key":"`+key+`"`) && !strings.Contains(got, `"key": "`+key+`"`) {
			t.Errorf("%s does not lead from %s to %s", command, from, to)
		}
	}
	for _, s := range task.Statuses {
		if !drawn[string(s)] {
			t.Errorf("the picture has no %s", s)
		}
	}
}

// The rows of bench/results.md that docs/comparison.md shows, by what they measure and against what.
var figures = [][2]string{
	{"POST /next, 64 clients, 20,000 ready", "a no-op POST through the same door"},
	{"POST /next, 64 clients, 20,000 ready", "a raw group-commit loop of the same rows"},
	{"transitions by 64 clients, durable", "transitions by one client, durable"},
	{"select-and-claim at 100,000 tasks, 64 callers", "the same at 1,000"},
	{"GET ready?limit=50 at 100,000 tasks, one client", "one read"},
	{"apply of 10,000 tasks with 15,000 deps", "the same rows, prepared, in one raw transaction"},
	{"tasker ready --json as a process, 50,000 tasks", "a Go hello-world process"},
	{"memory of the server, after every read by 8 clients", "300 MB"},
}

// TestTheFiguresOfTheComparisonWereMeasured compares the page with the latest results of the benchmarks.
func TestTheFiguresOfTheComparisonWereMeasured(t *testing.T) {
	t.Parallel()
	const page = "docs/comparison.md"
	results := read(t, "bench/results.md")
	table := "\n| what | against | SQLite: ours | theirs | ratio | PostgreSQL: ours | theirs | ratio |\n|---|---|---|---|---|---|---|---|\n"
	for _, f := range figures {
		table += "| " + f[0] + " | " + f[1] + " |"
		for _, engine := range []string{"SQLite", "PostgreSQL"} {
			_, part, _ := strings.Cut(results, "\n## "+engine+"\n")
			part, _, _ = strings.Cut(part, "\n## ")
			_, row, ok := strings.Cut(part, "\n| "+f[0]+" | "+f[1]+" | ")
			cells := strings.SplitN(row, " | ", 4)
			if !ok || len(cells) < 4 {
				t.Fatalf("bench/results.md has no row %q against %q for %s", f[0], f[1], engine)
			}
			table += " " + strings.Join(cells[:3], " | ") + " |"
		}
		table += "\n"
	}
	machine := regexp.MustCompile(`(?m)^Machine: .*$`).FindString(results)
	table += "\n" + machine + "\n\n"
	text := read(t, page)
	begin, rest, found := strings.Cut(text, "do not edit -->\n")
	_, end, ended := strings.Cut(rest, "<!-- end of figures -->")
	if !found || !ended {
		t.Fatalf("%s has no place for figures", page)
	}
	want := begin + "do not edit -->\n" + table + "<!-- end of figures -->" + end
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", page), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		text = want
	}
	if text != want {
		t.Errorf("%s does not have the figures of bench/results.md; run: go test ./test/script -run TheFigures -update", page)
	}
}
