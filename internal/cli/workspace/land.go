package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/landing"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/workspace/machine"
)

// landOut is the answer of `tasker land`.
type landOut struct {
	Base     string         `json:"base"`
	Landed   []landedItem   `json:"landed"`
	Failed   []failedItem   `json:"failed"`
	Skipped  []landing.Skip `json:"skipped"`
	DryRun   bool           `json:"dryRun"`
	Cannot   []cannotItem   `json:"cannot"` // lines that were not run
	Warnings []string       `json:"warnings"`
}

// landedItem is a task that has landed, or that would.
type landedItem struct {
	Task   task.ID       `json:"task"`
	Branch string        `json:"branch"`
	Commit string        `json:"commit"` // on the base; in a dry run the newest of the branch
	Runs   []landing.Run `json:"runs"`   // without results in a dry run
}

// failedItem is a task that failed to land; the task is null where the base itself is red.
type failedItem struct {
	Task    task.Opt  `json:"task"`
	Why     string    `json:"why"`
	With    []task.ID `json:"with"`
	Command task.Opt  `json:"command"`
	Output  string    `json:"output"`
}

// cannotItem is a line that was not run.
type cannotItem struct {
	Task    task.ID `json:"task"`
	Command string  `json:"command"`
	Why     string  `json:"why"`
}

// landOptions holds the options of `tasker land`.
type landOptions struct {
	ready, dryRun, exitCode bool
}

// NewLand returns the command `tasker land`.
func NewLand(f *frame.Factory) *cobra.Command {
	o := &landOptions{}
	return f.Command(frame.Spec{
		Use: "land (--ready | ID…)", Short: "Merge what is done into the base, in the order of the graph, and prove it first", Many: true, Here: "land", Args: frame.Between(0, -1),
		Example: []string{"tasker land --ready --dry-run", "tasker land --ready", "tasker land demo-4 demo-7 --json"},
		Long: "A task can land that is done, or in review with nothing missing, and whose branch is not on the base yet. Of those whose\n" +
			"dependencies have gone, the one that was closed first comes first. --ready is all of them; a task in review is among them\n" +
			"once a human has approved it. With --dry-run the answer names the branch of each, the commands that will judge it,\n" +
			"what would conflict, and why others are skipped.\n\n" +
			"Each branch is put on top of the base in a work tree of its own, and the $ lines of the task's gate run there, as\n" +
			".tasker.json has them on the base. First they run on the base alone: where it is red already, nothing lands. A line that\n" +
			"fails is run once more before it counts. Then the base is moved, never by force: by a push where it is a remote's, which\n" +
			"moves no branch and no work tree here, and is tried three times where others push in between. The files on the base\n" +
			"are compared with those that were proven. A task in review is closed when it lands. One that conflicts, or is red on top\n" +
			"of the base, is open again, with a note that says why; the rest lands.",
		Flags: []frame.Flag{
			frame.Bool(&o.ready, "ready", "everything that is ready to land"),
			frame.Bool(&o.dryRun, "dry-run", "show order, commands and conflicts; run nothing and move nothing"),
			frame.Bool(&o.exitCode, "exit-code", "end with exit code 7 if there is nothing to land"),
		},
	}, o.run)
}

func (o *landOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	switch {
	case o.ready && len(args) > 0:
		return fault.Bad("--ready is all that can land, and %s is named as well", words.List(args)).WithHint("leave one of them out")
	case !o.ready && len(args) == 0:
		return fault.Bad("say what to land").WithHint("name tasks, or land all that is ready: --ready")
	}
	l, err := o.landing(ctx, f, args)
	if err != nil {
		return err
	}
	ctx, stop := f.Stop(l.ctx)
	defer stop()
	tip, err := l.plan(ctx)
	if err != nil {
		return err
	}
	if !o.dryRun && len(l.out.Landed)+len(l.out.Failed) > 0 {
		if err := l.land(ctx, tip); err != nil {
			return err
		}
	}
	return l.answer()
}

// lander lands tasks on one base.
type lander struct {
	ctx    context.Context
	f      *frame.Factory
	o      *landOptions
	m      *machine.Manager
	s      *landing.Service
	list   landing.Listed
	target *machine.Target
	file   string // the project's file here; empty if there is none
	by     map[task.ID]*machine.Branch
	out    landOut
}

// landing finds out what can land, and on which base.
func (o *landOptions) landing(ctx context.Context, f *frame.Factory, args []string) (*lander, error) {
	var named []task.ID
	project := ""
	for _, arg := range args {
		id, err := f.TaskIDToRead(ctx, arg)
		if err != nil {
			return nil, err
		}
		slug, _, _ := task.ParseID(id)
		if project != "" && slug != project {
			return nil, fault.Bad("%s is a task of another project than %s", id, args[0]).WithHint("land one project at a time")
		}
		named, project = append(named, task.ID(id)), slug
	}
	if project == "" {
		var err error
		if project, err = f.OneProject(ctx); err != nil {
			return nil, err
		}
	}
	ctx, m, err := Manager(ctx, f)
	if err != nil {
		return nil, err
	}
	if err := LookAgain(ctx, f, project); err != nil {
		return nil, err
	}
	l := &lander{ctx: ctx, f: f, o: o, m: m}
	l.out = landOut{Landed: []landedItem{}, Failed: []failedItem{}, Skipped: []landing.Skip{}, DryRun: o.dryRun, Cannot: []cannotItem{}, Warnings: []string{}}
	_, s, err := f.Acting(ctx)
	if err != nil {
		return nil, err
	}
	l.s = s.Landing
	if l.list, err = l.s.List(core.Doing(ctx, "land-list"), landing.ListIn{Project: project, Tasks: named, DryRun: o.dryRun}); err != nil {
		return nil, err
	}
	l.out.Skipped = append(l.out.Skipped, l.list.Skipped...)
	stored, _, _ := f.StoredLayer(ctx, l.list.Project)
	base, err := config.BaseOf(l.list.Project, stored)
	if err != nil {
		return nil, err
	}
	if l.target, err = m.Target(ctx, base); err != nil {
		return nil, err
	}
	l.out.Base = l.target.Base.Name
	l.out.Warnings = append(l.out.Warnings, l.target.Warnings...)
	loaded, err := f.Configuration()
	if err == nil && loaded.File != "" && loaded.FileProject() == l.list.Project {
		l.file = loaded.File
	}
	return l, err
}

// branches finds the branch of each task, in order. A task without one, or whose work is on the base, does not land; what
// waits for the former is skipped with it.
func (l *lander) branches(ctx context.Context) ([]*machine.Branch, error) {
	items := map[task.ID]landing.Item{}
	var order []task.ID
	for _, item := range l.list.Items {
		items[item.Task] = item
		order = append(order, item.Task)
	}
	var out []*machine.Branch
	for len(order) > 0 {
		item := items[order[0]]
		b, err := l.target.Branch(ctx, machine.Subject{ID: item.Task, Title: item.Title}, item.Bound)
		if err != nil {
			return nil, err
		}
		for _, w := range b.Warnings {
			l.out.Warnings = append(l.out.Warnings, string(b.Task)+": "+w)
		}
		if b.Head == "" {
			l.out.Skipped = append(l.out.Skipped, landing.Skip{Task: b.Task, Why: "no branch of it is here: " + b.Tried})
			order = l.without(order, b.Task)
			continue
		}
		order = order[1:]
		has, err := l.target.Has(ctx, l.target.Base.Commit, b.Head)
		if err != nil {
			return nil, err
		}
		if has && !l.o.dryRun {
			if err := l.settle(ctx, landedItem{b.Task, b.Name, b.Head, []landing.Run{}}); err != nil {
				return nil, err
			}
		}
		if has {
			l.out.Skipped = append(l.out.Skipped, landing.Skip{Task: b.Task, Why: fmt.Sprintf("%s has all of %s", l.target.Base.Name, b.Name)})
			continue
		}
		out = append(out, b)
	}
	return out, nil
}

// without leaves a task that does not land out of the order, with what waits for it.
func (l *lander) without(order []task.ID, failed task.ID) []task.ID {
	rest, skipped := landing.Without(order, failed, l.list.Records)
	l.out.Skipped = append(l.out.Skipped, skipped...)
	return rest
}

// plan says what would land, with what would judge it, and what would conflict.
func (l *lander) plan(ctx context.Context) (tip string, err error) {
	branches, err := l.branches(ctx)
	if err != nil {
		return "", err
	}
	by := map[task.ID]*machine.Branch{}
	l.by = by
	var order []task.ID
	for _, b := range branches {
		by[b.Task] = b
		order = append(order, b.Task)
	}
	tip = l.target.Base.Commit
	for len(order) > 0 {
		b := by[order[0]]
		commit, _, conflict, err := l.target.Onto(ctx, tip, b)
		if err != nil {
			return "", err
		}
		if conflict != nil {
			with, err := l.against(ctx, b, by)
			if err != nil {
				return "", err
			}
			l.out.Failed = append(l.out.Failed, failedItem{Task: task.Opt(b.Task), Why: landing.Conflict, With: with, Output: strings.Join(conflict, "\n")})
			order = l.without(order, b.Task)
			continue
		}
		lines, err := l.lines(ctx, l.target.Base.Commit, b.Task)
		if err != nil {
			return "", err
		}
		item := landedItem{b.Task, b.Name, b.Head, make([]landing.Run, len(lines))}
		for i, line := range lines {
			item.Runs[i].Command = line
		}
		l.out.Landed = append(l.out.Landed, item)
		tip, order = commit, order[1:]
	}
	return tip, nil
}

// against returns the tasks before a task with which its branch conflicts, or none where it conflicts with the base.
func (l *lander) against(ctx context.Context, b *machine.Branch, by map[task.ID]*machine.Branch) ([]task.ID, error) {
	with := []task.ID{}
	if _, _, conflict, err := l.target.Onto(ctx, l.target.Base.Commit, b); err != nil || conflict != nil {
		return with, err
	}
	for _, done := range l.out.Landed {
		if _, _, conflict, err := l.target.Onto(ctx, by[done.Task].Head, b); err != nil {
			return with, err
		} else if conflict != nil {
			with = append(with, done.Task)
		}
	}
	return with, nil
}

// lines returns the commands that judge a task: the $ lines of its gate, as the file at a commit of the base has them. What
// else its gate asks for is not run.
func (l *lander) lines(ctx context.Context, commit string, id task.ID) (lines []string, err error) {
	item := l.item(id)
	if item.Gate == "" {
		return nil, nil
	}
	if l.file != "" {
		text, found, err := l.target.FileAt(ctx, commit, l.file)
		if err != nil {
			return nil, err
		}
		if found {
			if lines, err = config.GateLines(l.file, text, l.list.Project, item.Gate); err != nil {
				return nil, fault.Decline("%s on %s is not valid: %s", filepath.Base(l.file), l.target.Base.Name, fault.Of(err).Message).
					WithHint("mend it on the base first")
			}
		}
	}
	for _, line := range item.Asks {
		if !slices.Contains(lines, line) {
			l.out.Cannot = append(l.out.Cannot, cannotItem{id, line, "not in the file"})
		}
	}
	return lines, nil
}

func (l *lander) item(id task.ID) landing.Item {
	for _, item := range l.list.Items {
		if item.Task == id {
			return item
		}
	}
	return landing.Item{Task: id}
}

// answer says what became of each task.
func (l *lander) answer() error {
	f, out := l.f, &l.out
	var otherwise error
	switch {
	case len(out.Failed) > 0:
		otherwise = frame.ErrExit(fault.ExitDeclined)
	case len(out.Landed) == 0 && l.o.exitCode:
		otherwise = frame.ErrNothing
	}
	return f.AnsweredOr(nil, out, otherwise == nil, otherwise, func() {
		for i, done := range out.Landed {
			f.Out.Printf("%d. %s  %s\n", i+1, done.Task, done.Branch)
			for _, r := range done.Runs {
				f.Out.Printf("   $ %s\n", r.Command)
			}
			if len(done.Runs) == 0 {
				f.Out.Printf("   nothing is run for it: its gate has no command on %s\n", out.Base)
			}
		}
		for _, failed := range out.Failed {
			failed.say(f, out)
		}
		for _, s := range out.Skipped {
			f.Out.Printf("%s is skipped: %s\n", s.Task, s.Why)
		}
		for _, c := range out.Cannot {
			f.Out.Printf("%s: not run, because it is %s on %s: %s\n", c.Task, c.Why, out.Base, c.Command)
		}
		if len(out.Landed)+len(out.Failed) == 0 {
			f.Say("Nothing can land on %s\n", out.Base)
		} else {
			f.Say("%s on %s\n", strconv.Itoa(len(out.Landed))+words.Either(out.DryRun, " would land", " landed"), out.Base)
		}
		f.Warn(out.Warnings)
	})
}

// among names what a task fails with.
func (i failedItem) among(base string) string {
	if len(i.With) == 0 {
		return base
	}
	return words.And(words.Each(i.With, func(id task.ID) string { return string(id) }))
}
