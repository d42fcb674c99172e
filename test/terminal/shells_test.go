package terminal_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/cli"
	"tasker/test/program"
)

// Real shells complete command lines of the built program, over a database with tasks in it.

var update = flag.Bool("update", false, "rewrite the golden files")

// completed has a key that a shell would run if it read it as more than a word.
const completed = `{"project":"shop","name":"The shop","gates":{"ship":["ci","review"]},"tasks":[
	{"key":"parser","title":"Write the parser","gate":"ship"},
	{"key":"printer","title":"Write the printer; $(touch pwned)"},
	{"key":"par$(touch pwned)","title":"hostile"}]}`

// shell is a directory with a project, and the environment of a shell in it.
type shell struct {
	dir string
	env []string
}

func newShell(t *testing.T) shell {
	t.Helper()
	dir := t.TempDir()
	w := shell{dir, []string{
		"HOME=" + dir, "TASKER_DB=" + filepath.Join(dir, "t.db"), "TERM=xterm", "LC_ALL=C.UTF-8",
		"PATH=" + filepath.Dir(built) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}}
	file := `{"version":1,"project":"shop","actors":[{"name":"ann","kind":"human"}]}`
	for name, text := range map[string]string{".tasker.json": file, "plan.json": completed} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program.Prepare(t, built, filepath.Join(dir, "t.db"))
	w.run(t, "tasker", "apply", "-f", "plan.json", "--actor", "ann")
	w.run(t, "tasker", "claim", "printer", "--actor", "claude/2")
	return w
}

func (w shell) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if name == "tasker" {
		name = filepath.Join(filepath.Dir(built), name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.dir, w.env, time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// unharmed fails if a shell ran something from the text of a task.
func (w shell) unharmed(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, "pwned")); err == nil {
		t.Error("the shell ran a task's text")
	}
}

// typed lists command lines with what must be offered at their end; the last word is what was typed so far.
var typed = []struct {
	line string
	want []string
}{
	{"tasker show shop-", []string{"shop-1", "shop-2", "shop-3"}},
	{"tasker show par", []string{"parser"}},
	{"tasker done printer --for", []string{"--force"}},
	{"tasker list -p ", []string{"shop"}},
	{"tasker list --status in_", []string{"in_progress", "in_review"}},
	{"tasker list --state he", []string{"held"}},
	{"tasker list --held-by ", []string{"claude/2", "ann"}},
	{"tasker edit parser --gate ", []string{"ship"}},
	{"tasker prove parser --kind ", []string{"ci", "review"}},
	{"tasker move parser ca", []string{"cancelled"}},
	{"tasker add x --dep pri", []string{"printer"}},
	{"tasker config explain agentDefaults.le", []string{"agentDefaults.lease"}},
	{"tasker project set sh", []string{"shop"}},
	{"tasker setup cl", []string{"claude"}},
}

// offered returns the candidates among lines that begin with what was typed.
func offered(lines, line string) []string {
	var out []string
	last := line[strings.LastIndex(line, " ")+1:]
	for l := range strings.Lines(lines) {
		name, _, _ := strings.Cut(strings.TrimSpace(l), "\t")
		name, _, _ = strings.Cut(name, " ")
		if name != "" && strings.HasPrefix(name, last) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func check(t *testing.T, line string, got, want []string) {
	t.Helper()
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%q is completed by %q, want %q", line, got, want)
	}
}

func TestBash(t *testing.T) {
	t.Parallel()
	w := newShell(t)
	for _, c := range typed {
		words := strings.Split(c.line, " ")
		var quoted []string
		for _, word := range words {
			quoted = append(quoted, "'"+word+"'")
		}
		out := w.run(t, "bash", "--norc", "--noprofile", "-c", `
			source /usr/share/bash-completion/bash_completion
			source <(tasker completion bash)
			compopt() { :; } # there is no line being edited
			COMP_WORDS=(`+strings.Join(quoted, " ")+`) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
			__start_tasker
			printf '%s\n' "${COMPREPLY[@]}"`, "bash", c.line)
		check(t, c.line, offered(out, c.line), c.want)
	}
	w.unharmed(t)
}

func TestFish(t *testing.T) {
	t.Parallel()
	w := newShell(t)
	for _, c := range typed {
		out := w.run(t, "fish", "--no-config", "-c", `tasker completion fish | source; complete --do-complete "$argv[1]"`, c.line)
		check(t, c.line, offered(out, c.line), c.want)
	}
	w.unharmed(t)
}

// TestZsh types into an interactive zsh, presses the key, and reads until everything was shown.
func TestZsh(t *testing.T) {
	t.Parallel()
	w := newShell(t)
	script := `
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell 'PROMPT=; LISTMAX=1000; autoload -U compinit; compinit -u -D; source <(tasker completion zsh); print REA""DY'
		zpty -r shell seen '*READY*'
	`
	for _, c := range typed {
		script += "zpty -w -n shell $'\\C-u'; zpty -w -n shell '" + c.line + "'$'\\t\\t'\n"
		for _, name := range c.want {
			script += "zpty -r shell seen '*" + name + "*'; print -r -- '" + c.line + "'\n"
		}
	}
	w.run(t, "zsh", "-f", "-c", script)
	w.unharmed(t)
}

// TestPowerShell compares the script with its golden file: there is no PowerShell to run it.
func TestPowerShell(t *testing.T) {
	t.Parallel()
	const golden = "testdata/tasker.ps1"
	got := newShell(t).run(t, "tasker", "completion", "powershell")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the script for PowerShell has changed; read it, and run: go test ./test/terminal -run PowerShell -update")
	}
}

// TestTheManualIsWellFormed has groff read every page, without a warning.
func TestTheManualIsWellFormed(t *testing.T) {
	t.Parallel()
	w := newShell(t)
	var files []string
	for _, p := range cli.ManPages("1.2.3", "2026-01-02") {
		file := filepath.Join(w.dir, p.Name)
		if err := os.WriteFile(file, []byte(p.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) < 100 {
		t.Errorf("the manual has %d pages", len(files))
	}
	if out := w.run(t, "groff", append([]string{"-man", "-ww", "-z", "-Tutf8"}, files...)...); out != "" {
		t.Errorf("groff says:\n%s", out)
	}
	text := w.run(t, "groff", "-man", "-Tutf8", "-P-cbou", filepath.Join(w.dir, "tasker-next.1"))
	for _, want := range []string{"NAME", "tasker-next - Show the task", "tasker next --claim", "--lease DURATION", "SEE ALSO", "1.2.3"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("the page of next has no %q:\n%s", want, text)
		}
	}
}
