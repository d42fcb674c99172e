package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"tasker/internal/cli/frame"
	"tasker/internal/remedy"
)

// githubRemote is a remote of a repository on GitHub.
var githubRemote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*url\s*=\s*\S*github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$`)
})

// sources returns what other tools left here, each with the command that imports it. Nothing of it is read further.
func sources(dir string) []offer {
	var out []offer
	add := func(file, what, command string) {
		if exists(dir, file) {
			out = append(out, offer{what, command})
		}
	}
	add(".beads", "issues of beads", "bd export | "+remedy.Command("import beads - --dry-run").String())
	for _, file := range []string{".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"} {
		if exists(dir, file) {
			add(file, "tasks of Task Master", remedy.Command("import taskmaster "+file+" --dry-run").String())
			break
		}
	}
	add("backlog", "tasks of Backlog.md", remedy.Command("import backlog backlog --dry-run").String())
	add("TODO.md", "a list of tasks", remedy.Command("import markdown TODO.md --dry-run").String())
	if git, err := frame.ReadSmall(filepath.Join(dir, ".git", "config")); err == nil {
		if m := githubRemote().FindSubmatch(git); m != nil {
			out = append(out, offer{"the GitHub repository " + string(m[1]), "gh issue list -R " + string(m[1]) +
				" --state all --limit 1000 --json number,title,body,state,stateReason,labels,assignees,milestone,comments,url | " +
				remedy.Command("import github - --dry-run").String()})
		}
	}
	return out
}

// signs are the files by which agents are known to work in a repository, and their programs.
var signs = []struct{ agent, program, files string }{
	{"claude", "claude", "CLAUDE.md .claude"},
	{"codex", "codex", ".codex AGENTS.md"},
	{"cursor", "cursor-agent", ".cursor .cursorrules"},
	{"gemini", "gemini", "GEMINI.md .gemini"},
	{"copilot", "copilot", ".github/copilot-instructions.md"},
	{"opencode", "opencode", "opencode.json .opencode"},
}

// tools returns the agents that work here or can be started here, each with the command that sets it up.
func tools(f *frame.Factory, dir string) []offer {
	var out []offer
	for _, s := range signs {
		found := onPath(f, s.program)
		for file := range strings.FieldsSeq(s.files) {
			found = found || exists(dir, file)
		}
		if found {
			out = append(out, offer{"the agent " + s.agent, f.AsCommand(remedy.Command("setup " + s.agent))})
		}
	}
	return out
}

// onPath reports whether a program can be started by its name.
func onPath(f *frame.Factory, program string) bool {
	for _, dir := range filepath.SplitList(f.Env("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, program)); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}
