package work

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// auditOptions holds the options of `tasker audit`.
type auditOptions struct{ in reading.AuditIn }

// NewAudit returns the command `tasker audit`.
func NewAudit(f *frame.Factory) *cobra.Command {
	o := &auditOptions{}
	return f.Command(frame.Spec{
		Use: "audit", Short: "Run again what closed tasks were closed on, a sample of it, where it was run", Here: "an audit", Args: frame.Exactly(),
		Example: []string{"tasker audit", "tasker audit --sample 50 --by codex", "tasker audit --json"},
		Long: "A recorded run is the word of whoever recorded it. An audit takes a sample of those of done tasks and runs each again\n" +
			"on the files that it names: the commit is checked out in a work tree of its own, without hooks, and removed afterwards.\n" +
			"A command that fails twice there did not hold. Nothing is recorded; tasker prove --again ID says whether it holds on\n" +
			"today's files, and records that.\n\n" +
			"Only the $ lines that .tasker.json declares on the base for the gate of the task are run, in its directory. Anything\n" +
			"else is printed and counted as cannot, unless a human at a terminal confirms exactly that command. So is a run on files\n" +
			"that no commit here has. The exit code is 3 if one fails.",
		Flags: []frame.Flag{
			frame.MaybeInt(&o.in.Sample, "sample", "how many runs, drawn at random, up to 1000 (default 20)"),
			frame.String(&o.in.By, "by", "only what this actor recorded"),
		},
	}, o.run)
}

// auditOut is the answer of `tasker audit`.
type auditOut struct {
	Sampled  int           `json:"sampled"`
	Recorded int           `json:"recorded"` // the runs that the sample was drawn from
	Holds    int           `json:"holds"`
	Fails    int           `json:"fails"`
	Cannot   int           `json:"cannot"`
	ByActor  []auditedBy   `json:"byActor"`
	Items    []auditedItem `json:"items"`
	Warnings []string      `json:"warnings"`

	ran []printed
}

// auditedBy counts what one actor recorded.
type auditedBy struct {
	Actor  string `json:"actor"`
	Holds  int    `json:"holds"`
	Fails  int    `json:"fails"`
	Cannot int    `json:"cannot"`
}

// auditedItem is one recorded run, and how running it again ended.
type auditedItem struct {
	Task     task.ID  `json:"task"`
	Evidence int64    `json:"evidence"`
	Command  string   `json:"command"`
	Outcome  string   `json:"outcome"` // holds, fails, cannot
	Why      task.Opt `json:"why"`
}

// audit is one audit while it goes on.
type audit struct {
	project string
	base    *workspace.Based
	scratch *workspace.Scratch // nil outside a repository
	asked   map[string]bool    // what a human said about commands that no file declares
	out     auditOut
}

func (o *auditOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	a := f.Args(ctx)
	o.in.Slug = a.Project()
	sample, err := frame.CallWith(a, op.Audit, o.in)
	if err != nil {
		return err
	}
	x := &audit{project: sample.Project, asked: map[string]bool{}, out: auditOut{
		Sampled: len(sample.Runs), Recorded: sample.Recorded, ByActor: []auditedBy{}, Items: []auditedItem{}, Warnings: []string{},
	}}
	if x.base, err = workspace.OnBase(ctx, f); err != nil {
		return err
	}
	if len(sample.Runs) > 0 {
		if x.scratch, err = workspace.NewScratch(ctx, f, sample.Project); err != nil {
			return err
		}
	}
	if x.scratch != nil {
		defer x.scratch.Close()
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	for _, recorded := range sample.Runs {
		item, err := x.one(ctx, f, recorded)
		if err != nil {
			return err
		}
		x.out.add(item, recorded.Evidence.Actor)
	}
	slices.SortFunc(x.out.ByActor, func(a, b auditedBy) int { return cmp.Compare(a.Actor, b.Actor) })
	if x.base.Why != "" && x.out.Cannot > 0 {
		x.out.Warnings = append(x.out.Warnings, "no command counts as declared: "+x.base.Why)
	}
	if sample.More {
		x.out.Warnings = append(x.out.Warnings, "older closed work was not looked at")
	}
	err = f.AnsweredOr(nil, x.out, x.out.Fails == 0, frame.ErrExit(fault.ExitDeclined), func() { x.out.show(f) })
	for _, output := range x.out.ran {
		output.show(f, beside(f))
	}
	return err
}

// one runs one recorded run again, if it may be run and its files are here.
func (x *audit) one(ctx context.Context, f *frame.Factory, recorded reading.Audited) (item auditedItem, err error) {
	r, _ := proven.Parse(recorded.Evidence.Value)
	item = auditedItem{Task: recorded.Task, Evidence: recorded.Evidence.ID, Command: r.Text(), Outcome: cannot}
	do := proving{args: r.Command, line: r.Line}
	if line, declared := x.declared(recorded.Gate, r); declared {
		do = proving{line: line}
	} else if !x.agreed(ctx, f, r) {
		item.Why = notInFile
		return item, nil
	}
	if x.scratch == nil {
		item.Why = "there is no git repository here, so its files are not"
		return item, nil
	}
	named := string(r.Commit)
	if r.Dirty { // it ran on files that the commit does not have
		named = ""
	}
	commit, err := x.scratch.Find(ctx, named, string(r.Tree))
	if err != nil {
		return item, err
	}
	if commit == "" {
		item.Why = "no commit here has the files that it ran on"
		return item, nil
	}
	beside(f).Printf("$ %s  # %s, on %s\n", do.run().Text(), recorded.Task, commit[:min(len(commit), 12)])
	err = x.scratch.In(ctx, commit, func(root string) error {
		item, err = x.rerun(ctx, f, item, do, root, string(r.Dir))
		return err
	})
	if fault.Is(err, fault.Declined) { // files that cannot be checked out here
		item.Why = task.Opt(fault.Of(err).Message)
		return item, nil
	}
	return item, err
}

// rerun runs a command in a work tree. One that fails is run once more before that counts.
func (x *audit) rerun(ctx context.Context, f *frame.Factory, item auditedItem, do proving, root, below string) (auditedItem, error) {
	dir := filepath.Join(root, filepath.FromSlash(below))
	if !filepath.IsLocal(filepath.Join(".", filepath.FromSlash(below))) {
		item.Why = "it ran outside the repository"
		return item, nil
	}
	if !isDir(dir) {
		item.Why = "its commit has no directory " + task.Opt(below)
		return item, nil
	}
	r := do.run()
	output, err := do.execute(ctx, f, dir, &r)
	if err == nil && r.ExitCode != 0 {
		beside(f).Printf("It failed. Once more:\n")
		output, err = do.execute(ctx, f, dir, &r)
	}
	switch {
	case errors.Is(err, errNoShell) || errors.Is(err, frame.ErrNoProgram):
		item.Why = task.Opt(fault.Of(err).Message)
		return item, nil
	case err != nil:
		return item, err
	}
	x.out.ran = append(x.out.ran, output)
	if item.Outcome, item.Why = holds, task.Opt(r.Idle); r.ExitCode != 0 {
		item.Outcome, item.Why = fails, task.Opt("exit code "+strconv.Itoa(r.ExitCode))
	}
	return item, nil
}

// declared returns the line of a gate that a run is of, as the base's file declares it where it ran.
func (x *audit) declared(gate string, r proven.Run) (line string, ok bool) {
	for _, line := range x.base.Lines(x.project, gate) {
		if r.Meets(task.CommandKind(line), x.base.From()) {
			return line, true
		}
	}
	return "", false
}

// agreed reports whether a human at a terminal agrees to run a command that no file declares; each is asked about once.
func (x *audit) agreed(ctx context.Context, f *frame.Factory, r proven.Run) bool {
	said, known := x.asked[r.Text()]
	if !known {
		said = confirmed(ctx, f, x.project, r)
		x.asked[r.Text()] = said
	}
	return said
}

func (o *auditOut) add(item auditedItem, actor string) {
	i := slices.IndexFunc(o.ByActor, func(b auditedBy) bool { return b.Actor == actor })
	if i < 0 {
		i, o.ByActor = len(o.ByActor), append(o.ByActor, auditedBy{Actor: actor})
	}
	by := &o.ByActor[i]
	switch item.Outcome {
	case holds:
		o.Holds, by.Holds = o.Holds+1, by.Holds+1
	case fails:
		o.Fails, by.Fails = o.Fails+1, by.Fails+1
	default:
		o.Cannot, by.Cannot = o.Cannot+1, by.Cannot+1
	}
	o.Items = append(o.Items, item)
}

func (o *auditOut) show(f *frame.Factory) {
	for _, i := range o.Items {
		f.Say("%s %s: %s%s\n", i.Task, i.Outcome, i.Command, words.When(i.Why != "", " ("+string(i.Why)+")"))
	}
	for _, by := range o.ByActor {
		f.Say("%s: %d hold, %d fail, %d cannot be run\n", by.Actor, by.Holds, by.Fails, by.Cannot)
	}
	f.Say("%d of %s: %d hold, %d fail, %d cannot be run\n", o.Sampled, words.Count(o.Recorded, "recorded run", "recorded runs"), o.Holds, o.Fails, o.Cannot)
	f.Warn(o.Warnings)
}

// isDir reports whether there is a directory.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
