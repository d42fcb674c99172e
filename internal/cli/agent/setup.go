package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/agent/setup"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/workspace"
)

// setupOut is the answer of setup.
type setupOut struct {
	Agent   string        `json:"agent"`
	Dir     string        `json:"dir"`     // the paths are relative to it
	Written bool          `json:"written"` // false: the changes were only shown
	Changes []setupChange `json:"changes"`
	// Warnings is what was left for a person to add, and what holds on this machine alone.
	Warnings []string `json:"warnings"`
}

type setupChange struct {
	Path   string  `json:"path"`
	Before *string `json:"before"` // null if the file did not exist
	After  *string `json:"after"`  // null if the file is removed
}

// setupOptions holds the options of `tasker setup`.
type setupOptions struct {
	remove, dryRun, yes, hook, check bool
}

// NewSetup returns the command `tasker setup`.
func NewSetup(f *frame.Factory) *cobra.Command {
	o := &setupOptions{}
	return f.Command(frame.Spec{
		Use: "setup AGENT", Short: "Set an agent up to work with tasker, in the files of this project",
		Args: frame.Exactly("an AGENT: one of " + strings.Join(setup.Agents(), ", ")),
		Example: []string{
			"tasker setup claude             # shows the change, and asks",
			"tasker setup codex --dry-run",
			"tasker setup cursor --yes --actor cursor-2",
			"tasker setup claude --check     # start it as the agent would, claim a task, and give it back",
			"tasker setup claude --remove    # every file is what it was",
		},
		Long: "Agents: " + strings.Join(setup.Agents(), ", ") + ". It writes the entry of the tool server, a start hook that tells the\n" +
			"agent how to work here (where the agent has hooks), and a marked block in the agent's guidance file, which agents that\n" +
			"read the same file share. The agent acts under its own name, or the one that --actor gives: agents read each other's\n" +
			"files, so no entry says who acts, unless --actor does. The values of --project, --server and --db are written too, and so are\n" +
			"those of TASKER_DB and TASKER_URL, which only this shell has. If tasker is not on the path, the files name this program by its\n" +
			"path. On a terminal it asks first; elsewhere it only shows the change unless --yes is given. Nothing that setup did not\n" +
			"write is touched.",
		Flags: []frame.Flag{
			frame.Bool(&o.remove, "remove", "take out again what setup wrote"),
			frame.Bool(&o.dryRun, "dry-run", "show the change, and write nothing"),
			frame.Bool(&o.yes, "yes", "write without asking"),
			frame.Bool(&o.check, "check", "start what the agent's files name, claim a task in its name, and give it back"),
			frame.Bool(&o.hook, "hook", "print the manual in the form that the agent's start hook wants, as hooks of version 0.2 call it"),
		},
		Complete: frame.Offering(setup.Agents()),
	}, o.run)
}

// run shows what would change in the agent's files, and writes it if the user agrees.
func (o *setupOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.hook {
		return setupHook(ctx, f, args[0])
	}
	if o.check {
		return checkSetup(ctx, f, args[0])
	}
	agent := args[0]
	title, err := setup.Find(agent)
	if err != nil {
		return err
	}
	root := agentRoot(f)
	changes, warnings, err := setupChanges(f, agent, f.Flags.Actor, root, o.remove)
	if err != nil {
		return err
	}
	box, dir, err := sandboxChanges(f, agent, root, o.remove)
	if err != nil {
		return err
	}
	changes, warnings = append(changes, box.changes...), append(warnings, box.left...)
	if !o.remove {
		warnings = append(warnings, refused(ctx, f, cmp.Or(f.Flags.Actor, agent))...)
	}
	if !f.Flags.JSON {
		showChanges(f, root, changes)
	}
	f.Warn(warnings)
	out := setupOut{Agent: agent, Dir: root, Warnings: warnings}
	for _, c := range changes {
		out.Changes = append(out.Changes, setupChange{c.Path, texts(c.Before), texts(c.After)})
	}
	if len(changes) > 0 && !o.dryRun && (o.yes || frame.Agrees(f, "Write this?")) {
		if err := writeChanges(root, changes); err != nil {
			return err
		}
		if dir != "" { // a sandbox may refuse to start where what it lets write is not there
			_ = os.MkdirAll(dir, 0o700) // the first write reports why it cannot be made
		}
		out.Written = true
	}
	return f.Answer(out, func() {
		switch {
		case len(changes) == 0 && o.remove:
			f.Say("Setup has written nothing here for %s\n", title)
		case len(changes) == 0:
			f.Say("%s is set up here already\n", title)
		case !out.Written:
			f.Say("Nothing was written; --yes writes it\n")
		case o.remove:
			f.Say("%s is no longer set up here\n", title)
		default:
			f.Say("%s is set up: start it here, and ask it to work through the plan; %s tries it\n", title,
				f.AsCommand(hint.Call{Command: "setup " + agent + " --check", ByOther: true}))
			if slug, err := f.Project(); err == nil && slug == "" {
				f.Say("No project is named here; %s does that\n", f.AsCommand(hint.Command("init")))
			}
			if others := together(f, agent, root); len(others) > 0 {
				f.Say("%s set up here, too: to give each task a git work tree of its own, %s\n", words.And(others)+words.Either(len(others) == 1, " is", " are"),
					f.AsCommand(hint.Call{Command: "config set workspace.strategy worktree", ByOther: true}))
			}
		}
	})
}

// together returns the other agents that are set up in a repository if all of them work in its one directory, where they
// would change each other's files.
func together(f *frame.Factory, agent, root string) []string {
	eff, err := f.FileSettings("")
	if err != nil || eff.Workspace.Strategy != workspace.InPlace || config.CommonGitDir(f.Wiring.Files, root) == "" {
		return nil
	}
	return slices.DeleteFunc(setup.Agents(), func(name string) bool {
		_, err := setup.Written(name, hereFiles(root))
		return name == agent || err != nil
	})
}

// texts returns the text of a file, or nil if there is no file.
func texts(src []byte) *string {
	if src == nil {
		return nil
	}
	return new(string(src))
}

// setupChanges returns what setting up the agent, under its own name or the one that is given, or removing it, changes in its
// files, and what to warn of.
func setupChanges(f *frame.Factory, agent, actor, root string, remove bool) (changes []setup.Change, warnings []string, err error) {
	warnings = []string{}
	if remove {
		changes, err = setup.Remove(agent, hereFiles(root))
		return changes, warnings, err
	}
	o := setup.Options{Actor: actor, Project: f.Flags.Project, Default: assumedAgent(f)}
	if _, _, err := task.ParseCaller(cmp.Or(o.Actor, agent)); err != nil {
		return nil, nil, err
	}
	if !onPath(f, "tasker", "tasker.exe") && f.Process.Program != "" {
		o.Program = f.Process.Program
		warnings = append(warnings, fmt.Sprintf("tasker is not on the path, so the files name %s, which holds on this machine only: "+
			"put tasker on the path and run this again before you share them", o.Program))
	}
	var secret string
	if o.DB, secret = databaseFor(f); secret != "" {
		warnings = append(warnings, secret)
	}
	if o.Server, secret = serverFor(f); secret != "" {
		warnings = append(warnings, secret)
	}
	if changes, err = setup.Add(agent, hereFiles(root), o); err != nil {
		return nil, nil, err
	}
	left, err := setup.Unset(agent, hereFiles(root), changes, o)
	return changes, append(warnings, left...), err
}

// boxed is what changes in the user's own file, and what is left for the user to do.
type boxed struct {
	changes []setup.Change
	left    []string
}

// sandboxChanges returns what changes in the file in which the user says what the agent's sandbox may write, and the directory
// that it is to let tasker write: the one of the database, unless that is in the project.
func sandboxChanges(f *frame.Factory, agent, root string, remove bool) (out boxed, dir string, err error) {
	home := f.Env("CODEX_HOME")
	if home == "" && filepath.IsAbs(f.Env("HOME")) {
		home = filepath.Join(f.Env("HOME"), ".codex")
	}
	if !setup.Sandboxed(agent) || !filepath.IsAbs(home) {
		return out, "", nil
	}
	s := setup.Sandbox{File: filepath.Join(home, "config.toml"), For: root}
	if remove {
		out.changes, err = setup.Disallow(agent, hereFiles(root), s)
		return out, "", err
	}
	if f.ServerURL() != "" && f.Flags.DB == "" || words.Address(f.Database()) {
		out.left = []string{"the sandbox of Codex reaches no network: for commands in its shell, network_access = true under [sandbox_workspace_write] in " + s.File}
		return out, "", nil
	}
	if dir, err = filepath.Abs(filepath.Dir(f.Database())); err != nil {
		return out, "", nil //nolint:nilerr // a directory without a name is in no sandbox's file
	}
	if followed, err := filepath.EvalSymlinks(dir); err == nil {
		dir = followed
	}
	if within, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(within) {
		return out, "", nil
	}
	s.Dir = dir
	var left string
	if out.changes, left, err = setup.Allow(agent, hereFiles(root), s); left != "" {
		out.left = []string{left}
	}
	return out, dir, err
}

// assumedAgent returns the declared agent as whom everybody acts here whom nobody names, or "".
func assumedAgent(f *frame.Factory) string {
	eff, err := f.FileSettings("")
	if err != nil {
		return ""
	}
	loaded, err := f.Configuration()
	if err != nil {
		return ""
	}
	name, _, _ := frame.DefaultActor(loaded) // the same settings gave eff
	if a, ok := eff.Actor(name); !ok || a.Kind != "agent" {
		return ""
	}
	return name
}

// databaseFor returns the database that the agent's files must name, since it is not the one that is assumed, and why it
// is left out if its address holds a password.
func databaseFor(f *frame.Factory) (db, secret string) {
	db = f.Database()
	if f.ServerURL() != "" && f.Flags.DB == "" || db == f.DefaultDatabase() {
		return "", ""
	}
	return withoutPassword(db, "database", "TASKER_DB")
}

// serverFor returns the server that the agent's files must name, and why it is left out if its address holds a password.
// A database that was given by a flag goes before the server that the shell names.
func serverFor(f *frame.Factory) (url, secret string) {
	if f.Flags.Server == "" && f.Flags.DB != "" {
		return "", ""
	}
	return withoutPassword(f.ServerURL(), "server", "TASKER_URL")
}

// withoutPassword returns an address for the agent's files, or why it is left out of them.
func withoutPassword(address, what, variable string) (kept, secret string) {
	if words.Redacted(address) != address {
		return "", "the address of the " + what + " holds a password, which does not belong in these files: start the agent with " + variable + " set"
	}
	return address, ""
}

// refused asks the server that an agent is set up for, and returns why the agent could not work through it, or nothing.
func refused(ctx context.Context, f *frame.Factory, actor string) []string {
	url, _ := serverFor(f)
	if url == "" {
		return nil
	}
	name, _, _ := strings.Cut(actor, "/")
	c, err := f.Wiring.Dial(frame.Dialling{URL: url, Token: f.Env("TASKER_TOKEN"), Session: f.Env("TASKER_SESSION")})
	if err == nil {
		var me reading.WhoamiOut
		if me, err = op.Whoami.Do(ctx, c, reading.WhoamiIn{}); err == nil && me.Actor == name {
			return nil
		}
		if err == nil {
			return []string{fmt.Sprintf("%s acts as %s, so %s cannot act as itself through it: start it with TASKER_ACTOR=%s, "+
				"or ask for sessions (auth.mode) and start the agent with TASKER_SESSION set to one that was made for %s", url, me.Actor, name, name, name)}
		}
	}
	if e := fault.Of(err); e.Kind != fault.Unauthorized {
		return []string{fmt.Sprintf("%s could not be asked whom it acts for: %s", url, e.Message)}
	}
	return []string{fmt.Sprintf("%s wants a session: create one with %s where its database is, "+
		"and start the agent with TASKER_SESSION set to it", url, hint.Command("session create --actor "+words.Shell(name)))}
}

// showChanges prints the exact changes, file by file.
func showChanges(f *frame.Factory, root string, changes []setup.Change) {
	if f.Flags.Quiet {
		return
	}
	if root != f.Process.Dir && len(changes) > 0 {
		f.Out.Printf("In %s:\n", root)
	}
	for _, c := range changes {
		what := words.Either(c.Before == nil, "new", words.Either(c.After == nil, "removed", "changed"))
		f.Out.Line(term.Bold.Of(c.Path), term.Textf(" (%s)", what))
		for _, l := range setup.Diff(c.Before, c.After) {
			f.Out.Line(render.Changed(l.Op).Of(strings.TrimRight("  "+string(l.Op)+" "+l.Text, " ")))
		}
	}
}

// setupHook prints the manual in the form that the agent's start hook expects.
func setupHook(ctx context.Context, f *frame.Factory, agent string) error {
	if _, err := setup.Find(agent); err != nil {
		return err
	}
	manual, err := primed(ctx, f, true)
	if err != nil {
		return err
	}
	form := setup.Start(agent, string(manual))
	if form == nil {
		f.Out.Text(string(manual))
		return nil
	}
	doc, err := f.JSON(form)
	if err != nil {
		return err
	}
	f.Out.Document(doc)
	return nil
}

// agentRoot returns the directory whose files the agent reads: the nearest one, from the working directory up, that is
// a repository or has a tasker configuration, or else the working directory.
func agentRoot(f *frame.Factory) string {
	for dir := range config.Upwards(f.Process.Dir) {
		for _, name := range []string{".git", config.FileName} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
	}
	return f.Process.Dir
}

// hereFiles reads the files below a directory, and the user's own by their whole path.
type hereFiles string

// at returns where a file of the agent is.
func (dir hereFiles) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(string(dir), filepath.FromSlash(path))
}

// ReadFile reads a file; the path uses slashes.
func (dir hereFiles) ReadFile(path string) ([]byte, error) {
	return frame.ReadSmall(dir.at(path))
}

// writeChanges replaces every file as a whole. If one of them cannot be written, or has changed since the changes were
// computed, it restores all of them.
func writeChanges(root string, changes []setup.Change) error {
	for _, c := range changes {
		now, err := hereFiles(root).ReadFile(c.Path)
		if gone := errors.Is(err, fs.ErrNotExist); gone != (c.Before == nil) || !gone && (err != nil || !bytes.Equal(now, c.Before)) {
			return fault.Stale("%s has changed meanwhile", c.Path).WithHint("nothing was written; try again")
		}
		if _, err := os.Lstat(hereFiles(root).at(c.Path)); c.Before == nil && err == nil {
			return fault.Decline("%s is a link that points nowhere", c.Path).WithHint("nothing was written; remove it, or create what it points to")
		}
	}
	for i, c := range changes {
		if err := writeChange(root, c.Path, c.After); err != nil {
			for _, done := range slices.Backward(changes[:i]) {
				_ = writeChange(root, done.Path, done.Before) // best effort: it was writable a moment ago
			}
			return err
		}
	}
	return nil
}

// writeChange writes a file, or removes it together with directories that become empty.
func writeChange(root, name string, text []byte) error {
	path := hereFiles(root).at(name)
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return frame.Unwritable(name, err)
		}
		for dir := filepath.Dir(path); dir != root && path != name && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
		return nil
	}
	//nolint:gosec // everybody who works on the project may use its directories, subject to umask
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return frame.Unwritable(name, err)
	}
	return frame.ReplaceFile(path, text)
}
