package cli

import (
	"bufio"
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

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/setup"
	"tasker/internal/task"
	"tasker/internal/view"
)

// setupOut is what setup answers.
type setupOut struct {
	Agent   string        `json:"agent"`
	Dir     string        `json:"dir"`     // that the paths are below
	Written bool          `json:"written"` // false: only shown
	Changes []setupChange `json:"changes"`
}

type setupChange struct {
	Path   string  `json:"path"`
	Before *string `json:"before"` // null where there was no file
	After  *string `json:"after"`  // null where there is none any more
}

func (f *factory) newSetup() *cobra.Command {
	var remove, dryRun, yes, hook bool
	cmd := f.command(spec{
		use: "setup AGENT", short: "Set an agent up to work with tasker, in the files of this project", args: exactly("an AGENT: one of " + strings.Join(setup.Agents(), ", ")),
		example: []string{
			"tasker setup claude             # shows the change, and asks",
			"tasker setup codex --dry-run",
			"tasker setup cursor --yes --actor cursor-2",
			"tasker setup claude --remove    # every file is what it was",
		},
		long: "Agents: " + strings.Join(setup.Agents(), ", ") + ". It writes the entry of the tool server, a start hook that tells the\n" +
			"agent how to work here (where the agent has hooks), and a marked block in the agent's guidance file. The agent acts\n" +
			"under its own name, or the one that --actor gives; what --project, --server and --db say is its own too. On a\n" +
			"terminal it asks first; elsewhere it only shows the change unless --yes is given. Nothing that setup did not write is touched.",
	}, func(ctx context.Context, f *factory, args []string) error {
		if hook {
			return f.setupHook(ctx, args[0])
		}
		return f.setup(ctx, args[0], remove, dryRun, yes)
	})
	fs := cmd.Flags()
	fs.BoolVar(&remove, "remove", false, "take out again what setup wrote")
	fs.BoolVar(&dryRun, "dry-run", false, "show the change, and write nothing")
	fs.BoolVar(&yes, "yes", false, "write without asking")
	fs.BoolVar(&hook, "hook", false, "print the manual in the form that the agent's start hook wants; setup writes hooks that call this")
	cmd.ValidArgsFunction = cobra.FixedCompletions(setup.Agents(), cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

func (f *factory) setup(ctx context.Context, agent string, remove, dryRun, yes bool) error {
	title, err := setup.Find(agent)
	if err != nil {
		return err
	}
	root := f.agentRoot()
	changes, err := f.setupChanges(ctx, agent, root, remove)
	if err != nil {
		return err
	}
	if !f.flags.json {
		f.showChanges(root, changes)
	}
	out := setupOut{Agent: agent, Dir: root}
	for _, c := range changes {
		out.Changes = append(out.Changes, setupChange{c.Path, texts(c.Before), texts(c.After)})
	}
	if len(changes) > 0 && !dryRun && (yes || f.agrees()) {
		if err := writeChanges(root, changes); err != nil {
			return err
		}
		out.Written = true
	}
	return f.answer(out, func() {
		switch {
		case len(changes) == 0 && remove:
			f.say("There is nothing of setup's here for %s\n", title)
		case len(changes) == 0:
			f.say("%s is set up here already\n", title)
		case !out.Written:
			f.say("Nothing was written; --yes writes it\n")
		case remove:
			f.say("%s is no longer set up here\n", title)
		default:
			f.say("%s is set up: start it here, and ask it to work through the plan\n", title)
			if slug, err := f.project(); err == nil && slug == "" {
				f.say("No project is named here; tasker config init does that\n")
			}
		}
	})
}

// agentRoot is the directory whose files the agent reads: the nearest, from here up, that is a repository or has a
// configuration of ours; else this one.
func (f *factory) agentRoot() string {
	for dir := f.p.Dir; ; dir = filepath.Dir(dir) {
		for _, name := range []string{".git", config.FileName} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return f.p.Dir
		}
	}
}

func texts(src []byte) *string {
	if src == nil {
		return nil
	}
	s := string(src)
	return &s
}

func (f *factory) setupChanges(ctx context.Context, agent, root string, remove bool) ([]setup.Change, error) {
	if remove {
		return setup.Remove(agent, hereFiles(root))
	}
	o := setup.Options{Actor: cmp.Or(f.flags.actor, agent), Project: f.flags.project, Server: f.flags.server}
	if f.flags.db != "" {
		o.DB = f.database()
	}
	name, _, err := task.ParseActor(o.Actor)
	if err != nil {
		return nil, err
	}
	if o.Server != "" {
		f.checkServer(ctx, o.Server, name)
	}
	return setup.Add(agent, hereFiles(root), o)
}

// checkServer warns where an agent of the name could not work through a server.
func (f *factory) checkServer(ctx context.Context, url, name string) {
	c, err := f.w.Dial(Dialling{URL: url, Token: f.env("TASKER_TOKEN"), Session: f.env("TASKER_SESSION")})
	if err == nil {
		var me core.WhoamiOut
		if me, err = op.Whoami.Do(ctx, c, core.WhoamiIn{}); err == nil && me.Actor == name {
			return
		}
		if err == nil {
			f.warn([]string{fmt.Sprintf("%s acts as %s, so it will refuse %s: start it with TASKER_ACTOR=%s, or ask for sessions (auth.mode) and start the agent with TASKER_SESSION set to one that was made for %s", url, me.Actor, name, name, name)})
			return
		}
	}
	if e := fault.Of(err); e.Kind == fault.Unauthorized {
		f.warn([]string{fmt.Sprintf("%s wants a session: make one with tasker session create --actor %s, and start the agent with TASKER_SESSION set to it", url, name)})
	} else {
		f.warn([]string{fmt.Sprintf("%s could not be asked whom it acts for: %s", url, e.Message)})
	}
}

// hereFiles are the files below a directory.
type hereFiles string

// ReadFile reads one.
func (dir hereFiles) ReadFile(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(dir), filepath.FromSlash(path)))
}

// agrees asks on a terminal; elsewhere nobody can agree.
func (f *factory) agrees() bool {
	if !f.p.InTTY || !f.p.OutTTY || f.flags.json {
		return false
	}
	f.out.Printf("Write this? [y/N] ")
	line, _ := bufio.NewReader(f.p.Stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// showChanges prints the exact change, file by file.
func (f *factory) showChanges(root string, changes []setup.Change) {
	if f.flags.quiet {
		return
	}
	if root != f.p.Dir && len(changes) > 0 {
		f.out.Printf("In %s:\n", root)
	}
	for _, c := range changes {
		what := "changed"
		switch {
		case c.Before == nil:
			what = "new"
		case c.After == nil:
			what = "removed"
		}
		f.out.Spans(span{c.Path, bold}, txt(" (%s)", what))
		f.out.Printf("\n")
		for _, l := range setup.Diff(c.Before, c.After) {
			color := plain
			switch l.Op {
			case '+':
				color = green
			case '-':
				color = red
			}
			f.out.Spans(span{strings.TrimRight("  "+string(l.Op)+" "+l.Text, " "), color})
			f.out.Printf("\n")
		}
	}
}

// writeChanges writes every file whole. Where one cannot be written, or is no longer what the change was computed from,
// all are left as they were.
func writeChanges(root string, changes []setup.Change) error {
	for _, c := range changes {
		now, err := hereFiles(root).ReadFile(c.Path)
		if gone := errors.Is(err, fs.ErrNotExist); gone != (c.Before == nil) || !gone && (err != nil || !bytes.Equal(now, c.Before)) {
			return fault.Stale("%s has changed meanwhile", c.Path).WithHint("nothing was written; try again")
		}
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(c.Path))); c.Before == nil && err == nil {
			return fault.Decline("%s is a link that leads nowhere", c.Path).WithHint("nothing was written; remove it, or make what it leads to")
		}
	}
	for i, c := range changes {
		if err := writeChange(root, c.Path, c.After); err != nil {
			for _, done := range slices.Backward(changes[:i]) {
				_ = writeChange(root, done.Path, done.Before) // it could be written a moment ago
			}
			return err
		}
	}
	return nil
}

// writeChange writes a file, or removes it with the directories that are empty then.
func writeChange(root, name string, text []byte) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(name, err)
		}
		for dir := filepath.Dir(path); dir != root && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
		return nil
	}
	//nolint:gosec // a directory of the project is for all who work on it, as far as their umask says
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return unwritable(name, err)
	}
	return replaceFile(path, text)
}

// setupHook prints the manual in the form in which an agent's start hook is read.
func (f *factory) setupHook(ctx context.Context, agent string) error {
	if _, err := setup.Find(agent); err != nil {
		return err
	}
	manual, err := f.manual(ctx)
	if err != nil {
		return err
	}
	form := setup.Hook(agent, manual)
	if form == nil {
		f.out.Text(manual)
		return nil
	}
	doc, err := f.json(form)
	if err != nil {
		return err
	}
	f.out.Document(doc)
	return nil
}

// manual is what tasker prime prints.
func (f *factory) manual(ctx context.Context) (string, error) {
	project, err := f.project()
	if err != nil {
		return "", err
	}
	text, err := call(ctx, f, op.Prime, view.PrimeIn{Project: project})
	return string(text), err
}
