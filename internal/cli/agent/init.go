package agent

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/agent/setup"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// initOut is the answer of init.
type initOut struct {
	Dir     string   `json:"dir"`
	Project string   `json:"project"`
	Actor   task.Opt `json:"actor"` // the actor that commands assume here; null in an agent's shell
	Wrote   []string `json:"wrote"` // the files, relative to dir
	Created bool     `json:"projectCreated"`
	Tasks   int      `json:"tasks"`  // how many the project has
	Gate    task.Opt `json:"gate"`   // the command that the gate of a new file asks for
	SetUp   []string `json:"setUp"`  // the agents that were set up
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
		Use: "init", Short: "Begin in a repository: configuration, project, a first plan, and what was found here", Args: frame.Between(0, 0), Here: "init",
		Example: []string{"tasker init", "tasker init --project demo --actor ann"},
		Long: "It declares you as a human in .tasker.json, makes commands here assume you with .tasker.local.json, which it tells git to\n" +
			"ignore, and creates the project, so that a first task can be added at once. In an agent's shell nobody is declared. The\n" +
			"command that tests the repository becomes the gate \"tested\". What other tools left here is offered for import, and a plan\n" +
			"to edit is written where there is nothing. On a terminal it asks whether to set up the agents that it finds; elsewhere\n" +
			"it prints the commands. Run again, it does only what is missing.",
	}, runInit)
}

//go:embed firstplan.yaml
var firstPlan []byte

func runInit(ctx context.Context, f *frame.Factory, _ []string) error {
	loaded, err := f.Configuration()
	if err != nil {
		return err
	}
	eff, err := loaded.For("", nil)
	if err != nil {
		return err
	}
	n := f.Named()
	out := initOut{Dir: agentRoot(f), Wrote: []string{}, SetUp: []string{}, Offers: []offer{}, Notes: []string{}}
	person := ""
	if n.Agent == "" {
		person, _, _ = strings.Cut(cmp.Or(n.Actor, assumed(loaded, eff), n.User), "/")
		if _, _, err := task.ParseCaller(person); err != nil {
			return err
		}
		out.Actor = task.Opt(person)
	} else {
		out.Notes = append(out.Notes, "this is an agent's shell ("+n.Sign+"), so no human is declared; a person runs "+
			later(f, "init")+" here, in a shell of their own")
	}
	begun := loaded.File == ""
	if !begun {
		if err := out.resume(f, loaded, eff); err != nil {
			return err
		}
	}
	here := out.agents(f) // this asks: who ends init at the question has nothing to clean up
	if begun {
		err = out.begin(ctx, f, person)
	}
	if err == nil {
		err = out.assume(person)
	}
	if err == nil {
		err = out.ignore()
	}
	if err != nil {
		return err
	}
	found := sources(out.Dir)
	if err := out.plan(f, begun && len(found) == 0); err != nil {
		return err
	}
	if err := f.ForgetConfiguration(); err != nil {
		return err
	}
	if err := out.project(ctx, f, begun); err != nil {
		return err
	}
	if err := out.setUp(ctx, f, here); err != nil {
		return err
	}
	out.Offers = append(found, here.offers...)
	out.next(f, found)
	return f.Answer(out, func() { showInit(f, out) })
}

// assumed returns the human whom commands here assume already, or "": an earlier init may have been given a name that is not
// the operating system's user.
func assumed(loaded *config.Loaded, eff *config.Effective) string {
	name, _, _ := frame.DefaultActor(loaded) // the same settings gave eff
	if a, ok := eff.Actor(name); !ok || a.Kind != "human" {
		return ""
	}
	return name
}

// later returns a command for after init, when commands here assume the person. The actor that init was given does not
// belong in it: for some commands that would be another one.
func later(f *frame.Factory, line string) string {
	return f.AsCommand(hint.Call{Command: line, ByOther: true})
}

// begin writes the configuration of a repository that has none.
func (o *initOut) begin(ctx context.Context, f *frame.Factory, person string) error {
	o.Project = f.Flags.Project
	if o.Project == "" {
		if err := o.name(ctx, f, task.SuggestSlug(task.LowerSlug(filepath.Base(o.Dir)))); err != nil {
			return err
		}
	}
	if o.Project != "" {
		if err := task.CheckSlug(o.Project); err != nil {
			return err
		}
	}
	o.Gate = task.Opt(testCommand(o.Dir))
	return o.create(config.FileName, config.Init(o.Project, person, string(o.Gate)))
}

// name gives the project the slug that its directory suggests. If the project of that slug is another repository's, the
// directories above tell the two apart.
func (o *initOut) name(ctx context.Context, f *frame.Factory, suggested string) error {
	o.Project = suggested
	if f.NoDatabase() {
		return nil
	}
	all, err := frame.Call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return err
	}
	called := func(name string) int {
		return slices.IndexFunc(all, func(p *task.Project) bool { return strings.EqualFold(p.Slug, name) })
	}
	at := called(suggested)
	if at < 0 || f.Elsewhere(all[at]) == "" {
		return nil
	}
	name := filepath.Base(o.Dir)
	for dir := filepath.Dir(o.Dir); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		name = filepath.Base(dir) + "-" + name
		if longer := task.SuggestSlug(task.LowerSlug(name)); called(longer) < 0 {
			o.Project = longer
			o.Notes = append(o.Notes, fmt.Sprintf("the project %s is another repository's, %s, so this one is %s; if you mean that one, change project in %s",
				suggested, f.Elsewhere(all[at]), longer, config.FileName))
			return nil
		}
	}
	return nil
}

// resume goes on with the configuration that is there.
func (o *initOut) resume(f *frame.Factory, loaded *config.Loaded, eff *config.Effective) error {
	o.Dir, o.Project = filepath.Dir(loaded.File), loaded.FileProject()
	if given := f.Flags.Project; given != "" && given != o.Project {
		return fault.Decline("%s declares the project %s, and -p says %s", config.FileName, words.Quoted(o.Project), words.Quoted(given)).
			WithHint("leave -p out, or change project in %s", loaded.File)
	}
	if o.Project == "" {
		o.Notes = append(o.Notes, loaded.File+` names no project; give it one, such as "project": "`+task.SuggestSlug(task.LowerSlug(filepath.Base(o.Dir)))+`"`)
	}
	// The line that would declare the person is only offered: init does not change a shared file on behalf of one reader.
	if _, declared := eff.Actor(string(o.Actor)); !declared && o.Actor != "" {
		o.Missing = task.Opt(config.Declaration(string(o.Actor)))
	}
	return o.offerLine(f, loaded)
}

// project creates the project that the file declares, unless it is there.
func (o *initOut) project(ctx context.Context, f *frame.Factory, begun bool) error {
	if o.Project == "" {
		return nil
	}
	p, err := frame.Call(ctx, f, op.Project, core.ProjectIn{Slug: o.Project})
	if fault.Is(err, fault.NotFound) {
		_, err = frame.Call(ctx, f, op.ProjectCreate, admin.ProjectCreateIn{Slug: o.Project})
		o.Created = err == nil
		return err
	}
	if err == nil {
		o.Tasks = p.Tasks.Total()
		if begun {
			o.Notes = append(o.Notes, fmt.Sprintf("the database has a project %s already, with %s, and %s names that one; if you mean another one, change project in the file and run %s again",
				o.Project, words.Count(o.Tasks, "task", "tasks"), config.FileName, later(f, "init")))
		}
	}
	return err
}

// agentsHere are the agents that work in a directory or are installed on this machine.
type agentsHere struct {
	names  []string // all of them
	agreed []string // those that the reader wants to be set up
	offers []offer  // of the others that are not set up yet
}

// agents finds the agents that work here or are installed here, and asks a person on a terminal whether to set them up.
func (o *initOut) agents(f *frame.Factory) agentsHere {
	here := agentsHere{names: installed(f, o.Dir)}
	var names []string
	for _, name := range here.names {
		changes, _, err := setupChanges(f, name, "", o.Dir, false)
		if err != nil {
			o.Notes = append(o.Notes, "the agent "+name+" cannot be set up: "+fault.Of(err).Message)
			continue
		}
		if len(changes) > 0 {
			names = append(names, name)
			_, err := setup.Written(name, hereFiles(o.Dir))
			here.offers = append(here.offers, offer{"the agent " + name + words.When(err == nil, ", whose files here are older"), later(f, "setup "+name)})
		}
	}
	if len(names) > 0 && frame.Agreed(f, "Set up "+words.And(names)+" to work here?") {
		here.agreed, here.offers = names, nil
	}
	return here
}

// setUp sets up the agents that the reader wants, and keeps several agents apart.
func (o *initOut) setUp(ctx context.Context, f *frame.Factory, here agentsHere) error {
	for _, name := range here.agreed { // computed again: two agents may share a file
		changes, warnings, err := setupChanges(f, name, "", o.Dir, false)
		if err == nil {
			err = writeChanges(o.Dir, changes)
		}
		if err != nil {
			return err
		}
		if box, _, err := sandboxChanges(f, name, o.Dir, false); err == nil && len(box.changes) > 0 { // it did not show the user's own file
			warnings = append(warnings, "the sandbox of "+name+" keeps its shell from writing the database: "+later(f, "setup "+name)+" shows what allows it")
		}
		for _, w := range append(warnings, refused(ctx, f, name)...) { // agents have most of them in common
			if !slices.Contains(o.Notes, w) {
				o.Notes = append(o.Notes, w)
			}
		}
		for _, c := range changes {
			if !slices.Contains(o.Wrote, c.Path) {
				o.Wrote = append(o.Wrote, c.Path)
			}
		}
		o.SetUp = append(o.SetUp, name)
	}
	return o.apart(f, here.names)
}

// apart gives each task a work tree of its own where several agents were found, if this init wrote the file: in one
// directory they would change each other's files.
func (o *initOut) apart(f *frame.Factory, names []string) error {
	if len(names) < 2 || !slices.Contains(o.Wrote, config.FileName) || config.CommonGitDir(f.Wiring.Files, o.Dir) == "" {
		return nil
	}
	path := filepath.Join(o.Dir, config.FileName)
	text, err := f.Wiring.Files.ReadFile(path)
	if err != nil {
		return frame.Unwritable(config.FileName, err)
	}
	c, err := config.SetFile(format.FileLayer, path, text, "workspace.strategy", workspace.Worktree)
	if err != nil {
		return err
	}
	o.Notes = append(o.Notes, "several agents can work here ("+words.And(names)+"), so each task gets a git work tree of its own (workspace.strategy in "+config.FileName+")")
	return frame.ReplaceFile(path, c.Out)
}

// create writes a file that does not exist yet.
func (o *initOut) create(name string, text []byte) error {
	if err := frame.CreateFile(filepath.Join(o.Dir, name), text); err != nil {
		return err
	}
	o.Wrote = append(o.Wrote, name)
	return nil
}

// offerLine asks a person on a terminal whether to write the missing line. Without a terminal, init only shows it.
func (o *initOut) offerLine(f *frame.Factory, loaded *config.Loaded) error {
	text, ok := loaded.Declare(string(o.Actor))
	if o.Missing == "" || !ok || !frame.Agreed(f, config.FileName+" does not declare you. Add "+string(o.Missing)+" to its actors?") {
		return nil
	}
	if err := frame.ReplaceFile(loaded.File, text); err != nil {
		return err
	}
	o.Missing, o.Wrote = "", append(o.Wrote, config.FileName)
	return nil
}

// assume makes commands assume a person in this checkout only.
func (o *initOut) assume(person string) error {
	if person == "" || exists(o.Dir, config.LocalName) {
		return nil
	}
	return o.create(config.LocalName, config.Local(person))
}

// ignore keeps the local file out of git. An earlier init may have run before the repository was made.
func (o *initOut) ignore() error {
	if !exists(o.Dir, ".git") || !exists(o.Dir, config.LocalName) {
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

// plan writes a first plan to edit, if wanted and if there is no plan yet.
func (o *initOut) plan(f *frame.Factory, wanted bool) error {
	if !wanted || f.PlanFile(o.Dir) != "" {
		return nil
	}
	text := bytes.Replace(firstPlan, []byte("project: demo"), []byte("project: "+o.Project), 1)
	if o.Gate != "" {
		text = bytes.Replace(text, []byte("# gate: "+config.InitGate), []byte("gate: "+config.InitGate), 1)
	}
	return o.create(frame.PlanNames[0], text)
}

// next says what to do now, in three commands: import what was found, or add a task and apply the plan that is here; and
// see how things stand.
func (o *initOut) next(f *frame.Factory, found []offer) {
	plan := f.PlanFile(o.Dir)
	say := func(line string) string { // commands here assume the person from now on
		return f.AsCommand(hint.Call{Command: line, ByOther: o.Actor != ""})
	}
	switch {
	case o.Project == "":
		o.Next = []string{say("init")}
		return
	case o.Tasks > 0:
		o.Next = []string{say("next --claim"), say("board")}
	case plan == "" && len(found) > 0:
		o.Next = []string{found[0].Command, strings.TrimSuffix(found[0].Command, " --dry-run")}
	default:
		o.Next = []string{say(`add 'The first thing to do'`), words.Either(plan == "", say("next --claim"), say("apply "+plan))}
	}
	o.Next = append(o.Next, say("status"))
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
	name := cmp.Or(o.Project, o.Dir)
	switch {
	case len(o.Wrote) > 0 && o.Created:
		f.Say("%s: created the project, and wrote %s\n", name, words.And(o.Wrote))
	case len(o.Wrote) > 0:
		f.Say("%s: wrote %s\n", name, words.And(o.Wrote))
	case o.Created:
		f.Say("%s: created the project from %s, which is there already\n", name, config.FileName)
	default:
		f.Say("%s: everything is there already, and nothing was written\n", name)
	}
	switch {
	case o.Missing != "":
		f.Say("%s does not declare you; add this line to its actors before your first write, and you are a human here:\n  %s\n", config.FileName, string(o.Missing))
	case o.Actor != "":
		flow(f, fmt.Sprintf("You are %s here, a human: you may approve. Agents act under other names", o.Actor))
	}
	if o.Gate != "" {
		flow(f, fmt.Sprintf("Tasks with the gate %s are done only once `%s` has succeeded: %s runs it", config.InitGate, o.Gate, later(f, "prove ID")))
	}
	if len(o.SetUp) > 0 {
		flow(f, fmt.Sprintf("%s can work here: start one, and say \"plan the work in tasker\" or \"work through the plan\"", words.And(o.SetUp)))
	}
	for _, n := range o.Notes {
		flow(f, "note: "+n)
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
var githubRemote = words.Pattern(`(?m)^\s*url\s*=\s*\S*github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$`)

// leftovers are what other tools left here: the files that show it, and the command that imports it.
var leftovers = []struct{ files, what, before, source string }{
	{".beads", "issues of beads", "bd export | ", "beads -"},
	{".taskmaster/tasks/tasks.json tasks/tasks.json tasks.json", "tasks of Task Master", "", "taskmaster FILE"},
	{"backlog", "tasks of Backlog.md", "", "backlog FILE"},
	{"TODO.md", "a list of tasks", "", "markdown FILE"},
}

// sources returns what other tools left here, each with the command that imports it. It does not read any of it.
func sources(dir string) []offer {
	var out []offer
	for _, l := range leftovers {
		for file := range strings.FieldsSeq(l.files) {
			if exists(dir, file) {
				out = append(out, offer{l.what, l.before + hint.Command("import "+strings.Replace(l.source, "FILE", file, 1)+" --dry-run").String()})
				break
			}
		}
	}
	if git, err := frame.ReadSmall(filepath.Join(dir, ".git", "config")); err == nil {
		if m := githubRemote().FindSubmatch(git); m != nil {
			out = append(out, offer{"the GitHub repository " + string(m[1]), "gh issue list -R " + string(m[1]) +
				" --state all --limit 1000 --json number,title,body,state,stateReason,labels,assignees,milestone,comments,url | " +
				hint.Command("import github - --dry-run").String()})
		}
	}
	return out
}

// signs are the files that show which agents work in a repository, the programs of these agents, and their directories
// in the home directory.
var signs = []struct{ agent, program, files, home string }{
	{"claude", "claude", "CLAUDE.md .claude", ".claude"},
	{"codex", "codex", ".codex AGENTS.md", ".codex"},
	{"cursor", "cursor-agent", ".cursor .cursorrules", ".cursor"},
	{"gemini", "gemini", "GEMINI.md .gemini", ".gemini"},
	{"copilot", "copilot", ".github/copilot-instructions.md", ".copilot"},
	{"opencode", "opencode", "opencode.json .opencode", ".config/opencode"},
}

// installed returns the agents that work here or are installed here.
func installed(f *frame.Factory, dir string) []string {
	var out []string
	for _, s := range signs {
		here := slices.ContainsFunc(strings.Fields(s.files), func(file string) bool { return exists(dir, file) })
		if here || onPath(f, s.program) || f.Env("HOME") != "" && exists(f.Env("HOME"), s.home) {
			out = append(out, s.agent)
		}
	}
	return out
}

// onPath reports whether an agent finds a program by one of its names. A directory of the path that is not absolute does
// not count: the agent works elsewhere.
func onPath(f *frame.Factory, names ...string) bool {
	for _, dir := range filepath.SplitList(f.Env("PATH")) {
		for _, name := range names {
			info, err := os.Stat(filepath.Join(dir, name))
			if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return true
			}
		}
	}
	return false
}
