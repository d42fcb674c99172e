package agent

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
	"tasker/internal/task/slug"
	"tasker/internal/text/words"
)

// initOut is the answer of init.
type initOut struct {
	Dir     string   `json:"dir"`
	Project string   `json:"project"`
	Actor   task.Opt `json:"actor"`  // the actor that commands assume here; null in an agent's shell
	Wrote   []string `json:"wrote"`  // the files, relative to dir
	Missing task.Opt `json:"line"`   // the line that would declare the caller, if the file lacks it
	Offers  []offer  `json:"offers"` // what was found here, with the command that imports or sets it up
	Notes   []string `json:"notes"`
	Next    []string `json:"next"`
}

// offer is something that init found and leaves for the caller to decide.
type offer struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// NewInit returns the command `tasker init`.
func NewInit(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "init", Short: "Begin in a repository: configuration, a first plan, and what was found here", Args: frame.Between(0, 0),
		Example: []string{"tasker init", "tasker init --project demo --actor ann"},
		Long: "It declares you as a human in .tasker.json, and has commands here assume you by .tasker.local.json, which git is told to\n" +
			"ignore. In an agent's shell nobody is declared. What other tools left here is offered for import, agents for setup, and a\n" +
			"plan to edit is written where there is neither. Run again, it writes only what is missing.",
	}, runInit)
}

//go:embed firstplan.yaml
var firstPlan []byte

func runInit(_ context.Context, f *frame.Factory, _ []string) error {
	loaded, err := f.Configuration()
	if err != nil {
		return err
	}
	n := f.Named()
	out := initOut{Dir: agentRoot(f), Wrote: []string{}, Offers: []offer{}, Notes: []string{}}
	person := ""
	if n.Agent == "" {
		person, _, _ = strings.Cut(cmp.Or(n.Actor, n.User), "/")
		if _, _, err := task.ParseActor(person); err != nil {
			return err
		}
		out.Actor = task.Opt(person)
	} else {
		out.Notes = append(out.Notes, "this is an agent's shell ("+n.Sign+"), so no human is declared; a person runs "+
			f.AsCommand(hint.Command("init"))+" here, in a shell of their own")
	}
	begun, tests := loaded.File == "", ""
	if begun {
		if out.Project = cmp.Or(f.Flags.Project, slug.Suggest(slug.Lower(filepath.Base(out.Dir)))); out.Project != "" {
			err = task.CheckSlug(out.Project)
		}
		if err == nil {
			tests = testCommand(out.Dir)
			err = out.create(config.FileName, config.Init(out.Project, person, tests))
		}
	} else {
		out.Dir, out.Project = filepath.Dir(loaded.File), loaded.Project()
		err = out.declared(loaded, person)
	}
	if err != nil {
		return err
	}
	if err := out.offerLine(f, loaded); err != nil {
		return err
	}
	if err := out.assume(person); err != nil {
		return err
	}
	found := sources(out.Dir)
	out.Offers = append(found, tools(f, out.Dir)...)
	if err := out.plan(begun && len(found) == 0, tests != ""); err != nil {
		return err
	}
	out.next(f, found)
	return f.Answer(out, func() { showInit(f, out) })
}

// create writes a file that does not exist yet.
func (o *initOut) create(name string, text []byte) error {
	if err := frame.CreateFile(filepath.Join(o.Dir, name), text); err != nil {
		return err
	}
	o.Wrote = append(o.Wrote, name)
	return nil
}

// declared checks whether the file declares a person. If not, it records the line that would: init does not change a
// shared file on behalf of one reader.
func (o *initOut) declared(loaded *config.Loaded, person string) error {
	eff, err := loaded.For(loaded.Project(), nil)
	if err != nil || person == "" {
		return err
	}
	name, _, _ := strings.Cut(person, "/")
	if !slices.ContainsFunc(eff.Actors, func(a config.Actor) bool { return a.Name == name }) {
		o.Missing = task.Opt(config.Declaration(name))
	}
	return nil
}

// offerLine asks a person on a terminal whether to write the missing line. Without a terminal, init only shows it.
func (o *initOut) offerLine(f *frame.Factory, loaded *config.Loaded) error {
	text, ok := loaded.Declare(string(o.Actor))
	if o.Missing == "" || !ok || !frame.Agrees(f, config.FileName+" does not declare you. Add "+string(o.Missing)+" to its actors?") {
		return nil
	}
	if err := frame.ReplaceFile(loaded.File, text); err != nil {
		return err
	}
	o.Missing, o.Wrote = "", append(o.Wrote, config.FileName)
	return nil
}

// assume makes commands assume a person in this checkout only, and keeps that out of git.
func (o *initOut) assume(person string) error {
	if person == "" || exists(o.Dir, config.LocalName) {
		return nil
	}
	if err := o.create(config.LocalName, config.Local(person)); err != nil {
		return err
	}
	if !exists(o.Dir, ".git") {
		return nil
	}
	path := filepath.Join(o.Dir, ".gitignore")
	src, err := frame.ReadSmall(path)
	if err != nil && !os.IsNotExist(err) {
		return frame.Unwritable(path, err)
	}
	for line := range strings.Lines(string(src)) {
		if strings.TrimPrefix(strings.TrimSpace(line), "/") == config.LocalName {
			return nil
		}
	}
	eol := words.Either(bytes.Contains(src, []byte("\r\n")), "\r\n", "\n")
	if len(src) > 0 && !bytes.HasSuffix(src, []byte("\n")) {
		src = append(src, eol...)
	}
	if err := frame.ReplaceFile(path, append(src, config.LocalName+eol...)); err != nil {
		return err
	}
	o.Wrote = append(o.Wrote, ".gitignore")
	return nil
}

// plan writes a first plan to edit, if wanted and if there is no plan yet; gated says that there is a gate for its tasks.
func (o *initOut) plan(wanted, gated bool) error {
	for _, name := range planNames {
		wanted = wanted && !exists(o.Dir, name)
	}
	if !wanted {
		return nil
	}
	text := bytes.Replace(firstPlan, []byte("project: demo"), []byte("project: "+o.Project), 1)
	if gated {
		text = bytes.Replace(text, []byte("# gate: "+config.InitGate), []byte("gate: "+config.InitGate), 1)
	}
	return o.create(planNames[0], text)
}

// planNames are the usual file names of plans; init writes the first one.
var planNames = []string{"plan.yaml", "plan.yml", "plan.json"}

// next says what to do now: preview the plan and apply it or, without a plan, preview the first source found here and
// import it.
func (o *initOut) next(f *frame.Factory, found []offer) {
	for _, name := range planNames {
		if exists(o.Dir, name) {
			o.Next = append(o.Next, f.AsCommand(hint.Command("apply "+name+" --dry-run")), f.AsCommand(hint.Command("apply "+name)))
			break
		}
	}
	if len(o.Next) == 0 && len(found) > 0 {
		o.Next = append(o.Next, found[0].Command, strings.TrimSuffix(found[0].Command, " --dry-run"))
	}
	o.Next = append(o.Next, f.AsCommand(hint.Command("status")))
}

// exists reports whether dir has a file of that name.
func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

// flow prints a sentence, wrapped to the terminal.
func flow(f *frame.Factory, sentence string) {
	if !f.Flags.Quiet {
		f.Out.Flow("", "  ", term.Textf("%s", sentence))
	}
}

func showInit(f *frame.Factory, o initOut) {
	if len(o.Wrote) > 0 {
		f.Say("%s: wrote %s\n", o.Project, words.And(o.Wrote))
	} else {
		f.Say("%s: everything is there already, and nothing was written\n", o.Project)
	}
	switch {
	case o.Missing != "":
		f.Say("%s does not declare you; add this line to its actors, and you are a human here:\n  %s\n", config.FileName, string(o.Missing))
	case o.Actor != "":
		flow(f, fmt.Sprintf("You are %s here, a human: you may approve. Agents act under other names", o.Actor))
	}
	for _, n := range o.Notes {
		flow(f, n)
	}
	if f.Flags.Quiet {
		return
	}
	if len(o.Offers) > 0 {
		f.Out.Line(term.Bold.Of("Found here"))
		for _, x := range o.Offers {
			f.Out.Printf("  %s: %s\n", x.What, x.Command)
		}
	}
	f.Out.Line(term.Bold.Of("Next"))
	for _, c := range o.Next {
		f.Out.Printf("  %s\n", c)
	}
}

// githubRemote matches a remote of a repository on GitHub.
var githubRemote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*url\s*=\s*\S*github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$`)
})

// sources returns what other tools left here, each with the command that imports it. It does not read any of it.
func sources(dir string) []offer {
	var out []offer
	add := func(file, what, command string) {
		if exists(dir, file) {
			out = append(out, offer{what, command})
		}
	}
	add(".beads", "issues of beads", "bd export | "+hint.Command("import beads - --dry-run").String())
	for _, file := range []string{".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"} {
		if exists(dir, file) {
			add(file, "tasks of Task Master", hint.Command("import taskmaster "+file+" --dry-run").String())
			break
		}
	}
	add("backlog", "tasks of Backlog.md", hint.Command("import backlog backlog --dry-run").String())
	add("TODO.md", "a list of tasks", hint.Command("import markdown TODO.md --dry-run").String())
	if git, err := frame.ReadSmall(filepath.Join(dir, ".git", "config")); err == nil {
		if m := githubRemote().FindSubmatch(git); m != nil {
			out = append(out, offer{"the GitHub repository " + string(m[1]), "gh issue list -R " + string(m[1]) +
				" --state all --limit 1000 --json number,title,body,state,stateReason,labels,assignees,milestone,comments,url | " +
				hint.Command("import github - --dry-run").String()})
		}
	}
	return out
}

// signs are the files that show which agents work in a repository, and the programs of these agents.
var signs = []struct{ agent, program, files string }{
	{"claude", "claude", "CLAUDE.md .claude"},
	{"codex", "codex", ".codex AGENTS.md"},
	{"cursor", "cursor-agent", ".cursor .cursorrules"},
	{"gemini", "gemini", "GEMINI.md .gemini"},
	{"copilot", "copilot", ".github/copilot-instructions.md"},
	{"opencode", "opencode", "opencode.json .opencode"},
}

// tools returns the agents that work here or are installed here, each with the command that sets it up.
func tools(f *frame.Factory, dir string) []offer {
	var out []offer
	for _, s := range signs {
		found := onPath(f, s.program)
		for file := range strings.FieldsSeq(s.files) {
			found = found || exists(dir, file)
		}
		if found {
			out = append(out, offer{"the agent " + s.agent, f.AsCommand(hint.Command("setup " + s.agent))})
		}
	}
	return out
}

// onPath reports whether a program is on the PATH.
func onPath(f *frame.Factory, program string) bool {
	for _, dir := range filepath.SplitList(f.Env("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, program)); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}
