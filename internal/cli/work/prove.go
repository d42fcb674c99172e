package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// proveOptions holds the options of `tasker prove`.
type proveOptions struct {
	kind, note string
	line       string // to run instead of a command
	named      int    // how many arguments precede --
	check      []int
	fence      *int64
	expected   *int64 // refuse a task with another version
	repeat     bool
}

// NewProve returns the command `tasker prove`.
func NewProve(f *frame.Factory) *cobra.Command {
	o := &proveOptions{}
	return f.Command(frame.Spec{
		Use: "prove [ID] [--kind K] [--check N,…] [--line LINE | -- COMMAND…]", Short: "Run what a task's gate asks for, or a command, and record that it ended well", IDs: true,
		Args: o.args,
		Example: []string{
			"tasker prove demo-4   # run the commands that its gate still asks for",
			"tasker prove --check 2 -- go test -v -run TestLedger ./...   # tick criterion 2, which TestLedger shows",
			"tasker prove demo-4 -- go test ./...   # the kind is found where gate or criterion asks for this command",
			`tasker prove demo-4 --check 3 --line "go vet ./... | wc -l"   # criterion 3 is this command`,
			"tasker prove --again demo-4 demo-5   # on today's files: does it still hold?",
			`tasker prove demo-4 --kind lint --note "the new rules too" -- make lint`,
		},
		Long: "A gate can ask for a command: an evidence kind such as \"$ go test ./...\". Without a COMMAND, prove runs the lines that\n" +
			"are missing, stale, or do not count for an agent's close, and says why; one after the other, each as\n" +
			"sh -c LINE in the directory of the file that declares the gate. An agent next to declared humans claims the task first.\n" +
			"It runs only what a file of this machine declares: a command that only the database knows is printed, not run.\n\n" +
			"A criterion can be a command too: its text begins with $ and a blank, and what follows the last # between blanks is for\n" +
			"readers. Only a run of that line ticks it: give it as --line, which sh -c runs in the root of the repository, or as\n" +
			"words after -- where no shell would read them otherwise. Criteria are in the database, so nothing runs them by itself.\n\n" +
			"With --again the commands of the gates run again, whatever the status of the tasks, which does not change. One that\n" +
			"fails twice is recorded as evidence of the kind fails: show, proof and the page say that the proof no longer holds, until\n" +
			"it passes again. The commands are those that .tasker.json has on the base (branch.base of the project's record, else the\n" +
			"remote's default branch, else the branch of the main checkout), so that an edit in a checkout runs nothing. What else the\n" +
			"gate asks for or was run for the task is printed and counted as cannot; a human at a terminal may confirm it, line by\n" +
			"line. A line of the gate that was not run does not hold: exit 3.\n\n" +
			"The evidence holds the command, where and for how long it ran, the commit and the tree of the files that it ran on\n" +
			"(with changes that are not committed), the digest of its output and its last lines. Without --again it is recorded only\n" +
			"if the command ends with 0. show, proof and the refusal of done say if the files have changed since it ran. The answer\n" +
			"ends with the last lines that the command printed; if standard error is a terminal, all of them go there while it runs.\n\n" +
			"A command shows a criterion only if it would fail where the criterion does not hold: read the two together, as prove\n" +
			"prints them, and name each criterion with the command that shows it. Where a criterion names a test that the output does\n" +
			"not name, or that was skipped, the tick says so (doubt). For what no command can show, use tasker evidence.",
		Flags: []frame.Flag{
			frame.String(&o.kind, "kind", "the kind of evidence, as the gate asks for it"),
			frame.Ints(&o.check, "check", "tick these criteria with it, such as 1,2"),
			frame.String(&o.line, "line", "run this line with sh -c in the root of the repository, instead of a COMMAND"),
			frame.String(&o.note, "note", "more to say about it"),
			frame.Fence(&o.fence),
			frame.Bool(&o.repeat, "again", "run the gates' commands again on today's files, for closed tasks too"),
		},
	}, o.run)
}

// args separates the task from the command: what precedes -- names the task, and nothing there means the current one.
// Without --, the first argument is the task.
func (o *proveOptions) args(cmd *cobra.Command, args []string) error {
	if o.repeat {
		return nil // as many tasks as there are
	}
	if o.named = min(max(cmd.ArgsLenAtDash(), 0), 1); cmd.ArgsLenAtDash() < 0 {
		o.named = min(len(args), 1)
	}
	least := o.named
	if o.line != "" && len(args) > o.named {
		return fault.Bad("--line is a command already, and %s is another", words.List(args[o.named:])).WithHint("leave one of them out")
	}
	if o.line == "" && (o.kind != "" || cmd.ArgsLenAtDash() >= 0) {
		if _, line := task.CommandLine(o.kind); !line {
			least++
		}
	}
	return frame.Between(least, -1, "a COMMAND after --", "a COMMAND after --")(cmd, args)
}

func (o *proveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.repeat {
		return o.again(ctx, f, args)
	}
	a := f.Args(ctx)
	id, with := a.Task(frame.OrCurrent(args[:o.named])), a.Fence(o.fence)
	if a.Err != nil {
		return a.Err
	}
	p, err := o.prove(ctx, f, work.EvidenceIn{Task: id, Fence: with}, args[o.named:])
	if err != nil {
		return p.failed(f, err)
	}
	if len(p.todo) > 0 {
		_, outside := workspace.Outside(ctx, f, p.shown.Task, true, nil)
		p.out.Warnings = append(p.out.Warnings, outside...)
	}
	err = f.AnsweredOr(nil, p.out, p.whole(), frame.ErrExit(fault.ExitDeclined), func() {
		p.say(f)
		if len(p.todo) > 0 {
			frame.EchoStays(ctx, f, task.ID(id))
		}
		f.Warn(p.out.Warnings)
	})
	p.sayPrinted(f)
	return err
}

// proof is what a prove found, ran and recorded.
type proof struct {
	shown   *bundle.Bundle // the task before anything was recorded
	check   []int          // the criteria to tick
	todo    []proving      // what ran, or was to run
	skipped []string       // lines that were not run, and why
	unsure  string         // why it was not judged whether runs are stale
	said    []string       // what was recorded
	ran     []printed
	red     printed // what the one that failed printed
	out     work.EvidenceOut
	version int64 // of the task: the one that was shown, and what this changed
}

// prove runs what was typed, or else the lines of the gate that do not count, and records each that ended well. A command
// that fails ends it: see proof.failed. in names the task and the fence.
func (o *proveOptions) prove(ctx context.Context, f *frame.Factory, in work.EvidenceIn, typed []string) (p *proof, err error) {
	p = &proof{check: o.check}
	if p.shown, err = frame.Call(ctx, f, op.Show, reading.ShowIn{Task: in.Task}); err != nil { // a wrong id must fail before the command runs for an hour
		return p, err
	}
	if err := p.shown.Task.CheckVersion(o.expected); err != nil {
		return p, err
	}
	if p.todo, p.skipped, p.unsure, err = o.todo(ctx, f, p.shown, typed); err != nil {
		return p, err
	}
	claimed, err := o.claimFirst(ctx, f, p.shown)
	if err != nil {
		return p, err
	}
	if claimed != nil { // what ran before it held the task does not count
		if p.shown = claimed; o.expected != nil {
			if err := claimed.Task.CheckVersion(new(*o.expected + 1)); err != nil {
				return p, err
			}
		}
		if p.todo, p.skipped, p.unsure, err = o.todo(ctx, f, p.shown, typed); err != nil {
			return p, err
		}
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	p.out, p.version = work.EvidenceOut{OK: true, IDs: []int64{}, Checked: []int{}, Warnings: p.skipped}, p.shown.Task.Version
	if len(p.todo) > 0 || len(p.skipped) == 0 {
		if err := o.checkRuns(p.shown, p.todo); err != nil {
			return p, err
		}
	}
	if p.unsure != "" {
		p.out.Warnings = append(slices.Clip(p.out.Warnings), p.unsure)
	}
	for i := range p.todo {
		if err := o.runOne(ctx, f, p, in, i); err != nil {
			return p, err
		}
	}
	if p.counted() && len(o.check) > 0 {
		if err := o.tickCounted(ctx, f, p, in.Fence); err != nil {
			return p, err
		}
	}
	if len(p.todo) > 0 {
		if err := workspace.Seen(ctx, f, in.Task); err != nil {
			p.out.Warnings = append(p.out.Warnings, "its workspace was not looked at: "+fault.Of(err).Message)
		}
	}
	return p, nil
}

// runOne runs one of the commands, and records it with the ticks that it makes.
func (o *proveOptions) runOne(ctx context.Context, f *frame.Factory, p *proof, in work.EvidenceIn, i int) error {
	do := &p.todo[i]
	if do.line != "" {
		beside(f).Printf("$ %s%s\n", do.line, words.When(do.why != "", "  # "+do.why))
	}
	do.criteria = p.shown.Criteria
	r, output, err := do.prove(ctx, f)
	if err != nil {
		p.red = output
		if do.line != "" && errors.Is(err, errRed) {
			err = lineFailed{err}
		}
		return err
	}
	p.ran = append(p.ran, output)
	in.Check = o.shownBy(p.shown, *do, i == len(p.todo)-1)
	one, err := o.record(ctx, f, in, do.kind, r, output.kept)
	if err != nil {
		return err
	}
	p.ticked(one.Checked...)
	p.out.IDs, p.out.Warnings = append(p.out.IDs, one.IDs...), append(p.out.Warnings, one.Warnings...)
	if r.Idle != "" {
		p.out.Warnings = append(p.out.Warnings, "the command tested nothing: it printed "+words.Quoted(r.Idle))
	}
	// The kind of a line is the line, which the words of the run begin with.
	p.said = append(p.said, fmt.Sprintf("%s has evidence %d%s: %s", in.Task, one.IDs[0], words.When(!task.IsCommand(do.kind), " of kind "+do.kind), r.Words()))
	return nil
}

// ticked notes what one step ticked. Ticks that are new are one change of the task's record.
func (p *proof) ticked(indexes ...int) {
	p.out.Checked = append(p.out.Checked, indexes...)
	if slices.ContainsFunc(indexes, func(i int) bool { return i <= len(p.shown.Criteria) && !p.shown.Criteria[i-1].Checked }) {
		p.version++
	}
}

// counted reports whether there was nothing to run, because every line of the gate has a run that counts.
func (p *proof) counted() bool { return len(p.todo) == 0 && len(p.skipped) == 0 }

// unmade returns the criteria that were to be ticked and were not.
func (p *proof) unmade() []int {
	return slices.DeleteFunc(slices.Clone(p.check), func(i int) bool { return slices.Contains(p.out.Checked, i) })
}

// whole reports whether every line ran, and every tick was made.
func (p *proof) whole() bool { return len(p.unmade()) == 0 && len(p.skipped) == 0 }

// say prints what was recorded, or what counts already, and each criterion below what is to show it.
func (p *proof) say(f *frame.Factory) {
	for _, line := range p.said {
		f.Say("%s\n", line)
	}
	if p.counted() {
		f.Say("Nothing to run: the gate %s of %s is met by\n", p.shown.Gate.Name, p.shown.Task.ID)
		for _, m := range p.shown.Gate.Met {
			f.Say("  evidence %d: %s\n", m.Evidence, runOf(p.shown, m).Words())
		}
	}
	p.sayTicks(f)
}

// sayPrinted shows the end of what the commands printed.
func (p *proof) sayPrinted(f *frame.Factory) {
	for _, output := range p.ran {
		output.show(f, beside(f))
	}
}

// sayTicks prints each criterion that was to be ticked below the command that is to show it, so that whoever reads it sees
// whether the one shows the other.
func (p *proof) sayTicks(f *frame.Factory) {
	var list []shownBy
	for _, i := range p.check {
		if i > len(p.shown.Criteria) {
			continue // somebody has dropped it meanwhile
		}
		c := p.shown.Criteria[i-1]
		var r proven.Run
		switch k := slices.IndexFunc(p.todo, func(do proving) bool { return do.of(c) }); {
		case k >= 0:
			r = p.todo[k].run()
		case len(p.todo) > 0:
			r = p.todo[len(p.todo)-1].run()
		case p.counted():
			r = runOf(p.shown, p.shown.Gate.Met[len(p.shown.Gate.Met)-1])
		default:
			continue // nothing ran
		}
		list = append(list, shownBy{c, r.Text(), slices.Contains(p.out.Checked, i)})
	}
	sayTicks(f, list, len(p.todo) == 1 || p.counted() && len(p.shown.Gate.Met) == 1)
}

// shownBy is a criterion with the command that is to show it, and whether that ticked it.
type shownBy struct {
	criterion task.Criterion
	command   string
	ticks     bool
}

// sayTicks names a command once for the criteria that follow one another and share it; not where it is the one that the line
// above is about.
func sayTicks(f *frame.Factory, list []shownBy, alone bool) {
	for i, s := range list {
		if i == 0 || s.command != list[i-1].command || s.ticks != list[i-1].ticks {
			f.Say("%s%s\n", words.Either(s.ticks, "It ticks", "It does not tick"), words.When(!alone, ", "+words.Either(s.ticks, "shown by: ", "not shown by: ")+s.command))
		}
		f.Say("  %d. %s\n", s.criterion.Index, s.criterion.Text)
	}
}

// claimFirst claims for an agent next to declared humans a task that nobody holds, where it could: what it runs before it
// holds the task does not count for its close. It returns the bundle as it is then; nil where nothing
// was claimed.
func (o *proveOptions) claimFirst(ctx context.Context, f *frame.Factory, b *bundle.Bundle) (*bundle.Bundle, error) {
	if b.Task.Claim != nil || b.Task.Status == task.InReview || b.Task.Status.Closed() {
		return nil, nil
	}
	eff, err := f.FileSettings(b.Task.Project)
	if err != nil || !eff.DeclaresHuman() {
		return nil, err
	}
	who, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: b.Task.Project})
	if err != nil || who.Kind != "agent" {
		return nil, err
	}
	switch _, err := frame.Call(ctx, f, op.Claim, work.ClaimIn{Task: string(b.Task.ID)}); {
	case fault.Is(err, fault.Declined): // anyone may record evidence; the close says why it does not count
		return nil, nil
	case err != nil:
		return nil, err
	}
	f.Notice(string(b.Task.ID) + " is claimed for you: nobody held it, and only what its holder runs counts")
	return frame.Call(ctx, f, op.Show, reading.ShowIn{Task: string(b.Task.ID)})
}

// tickCounted ticks criteria by a run that counts already, where nothing has to run.
func (o *proveOptions) tickCounted(ctx context.Context, f *frame.Factory, p *proof, fence *int64) error {
	last := p.shown.Gate.Met[len(p.shown.Gate.Met)-1]
	for _, i := range o.check {
		if i < 1 || i > len(p.shown.Criteria) || !p.shown.Criteria[i-1].Checked {
			_, err := frame.Call(ctx, f, op.Tick, work.TickIn{Task: string(p.shown.Task.ID), Index: i, By: &last.Evidence, Fence: fence})
			if err != nil {
				return err
			}
		}
		p.ticked(i)
	}
	return nil
}

// lineFailed is a line of the gate, or of a criterion, that failed: the command ends with exit code 1, so that it is told
// from what was declined.
type lineFailed struct{ error }

func (e lineFailed) Unwrap() error { return e.error }

// failed reports a command that proved nothing: first what happened, then the end of what it printed.
func (p *proof) failed(f *frame.Factory, err error) error {
	code := frame.ExitCode(err)
	if errors.As(err, new(lineFailed)) {
		code = fault.ExitUnexpected
	}
	if f.Flags.JSON || !errors.Is(err, errRed) {
		p.red.show(f, f.Err)
		if code == frame.ExitCode(err) {
			return err
		}
		f.Report(err)
		return frame.ErrExit(code)
	}
	for _, line := range p.said {
		f.Say("%s\n", line)
	}
	f.Report(err)
	p.red.show(f, f.Err)
	return frame.ErrExit(code)
}

// record records a run as evidence of a kind.
func (o *proveOptions) record(ctx context.Context, f *frame.Factory, in work.EvidenceIn, kind string, r proven.Run, output string) (work.EvidenceOut, error) {
	value, err := r.Value()
	if err != nil {
		return work.EvidenceOut{}, err
	}
	in.Items = []task.EvidenceItem{{Kind: kind, Value: value, Note: task.Opt(o.note), Output: task.Opt(output)}}
	return frame.Call(ctx, f, op.Evidence, in)
}

// todo returns what to run: the command that was typed, or else the lines that the gate still misses; warnings about lines that
// are not run; and why it was not judged whether runs are stale, if it was not.
func (o *proveOptions) todo(ctx context.Context, f *frame.Factory, b *bundle.Bundle, typed []string) (todo []proving, skipped []string, unsure string, err error) {
	declared, dir, err := declaredLines(f, b)
	if err != nil {
		return nil, nil, "", err
	}
	if len(typed) > 0 || o.line != "" {
		root, err := rootOf(ctx, f)
		if err != nil {
			return nil, nil, "", err
		}
		do := proving{args: typed, line: strings.TrimSpace(o.line), dir: f.Process.Dir}
		if do.line != "" {
			do.dir = root
		}
		do.kind, err = o.kindOf(ctx, f, b, do, dir, root)
		return []proving{do}, nil, "", err
	}
	wanted := []string{o.kind}
	var why map[string]string
	if o.kind == "" {
		if wanted, why, unsure, err = uncounted(ctx, f, b); err != nil {
			return nil, nil, "", cmp.Or(o.checkRuns(b, nil), err)
		}
	}
	for _, k := range wanted {
		line, _ := task.CommandLine(k)
		if slices.Contains(declared, line) {
			todo = append(todo, proving{kind: k, line: line, dir: dir, why: why[k]})
		} else {
			skipped = append(skipped, "not run, because no file here declares it for the gate: "+line)
		}
	}
	if len(todo) == 0 && len(skipped) > 0 {
		return nil, nil, "", fault.Decline("%s is not run: no file here declares %s, and no command comes from the database", b.Task.ID, gateOf(b)).
			WithMissing(skipped...).WithHint("run it yourself where the project's file is, or have it declared in .tasker.json; what counts is %s there", hint.ProveGate(b.Task.ID))
	}
	return todo, skipped, unsure, nil
}

// uncounted returns the commands of the gate that have no run that counts for an agent's close, whoever asks, and why: none
// ran, none that ran counts, or the one that counts is stale. unsure says if the last was not judged.
func uncounted(ctx context.Context, f *frame.Factory, b *bundle.Bundle) (kinds []string, why map[string]string, unsure string, err error) {
	id := b.Task.ID
	switch {
	case b.Gate == nil:
		return nil, nil, "", fault.Bad("%s has no gate, so there is nothing to run", id).
			WithHint("name the command and the kind of evidence: %s", hint.Prove(id, "test", []string{"CMD"}))
	case !proven.Asks(b.Gate.Requires):
		return nil, nil, "", fault.Bad("the gate %s of %s asks for no command, so there is nothing to run", b.Gate.Name, id).
			WithHint("name the command and the kind of evidence: %s", hint.Prove(id, firstOr(b.Gate.Requires, "test"), []string{"CMD"}))
	}
	why = map[string]string{}
	for _, k := range b.Gate.Requires {
		if task.IsCommand(k) {
			why[k] = "not run yet"
		}
	}
	for _, d := range b.Gate.Why {
		why[d.Kind] = d.Why
	}
	sight := workspace.Sight(ctx, f, b)
	var runs []proven.Relied
	for _, m := range b.Gate.Met {
		r := runOf(b, m)
		runs = append(runs, proven.Relied{Run: r})
		if files, stale := sight.Stale(r); stale {
			why[m.Kind] = proven.StaleWords(files)
		} else {
			delete(why, m.Kind)
		}
	}
	for _, k := range b.Gate.Requires {
		if why[k] != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, why, sight.Unjudged(runs), nil
}

// runOf returns the run that meets a command of the gate.
func runOf(b *bundle.Bundle, m proven.Met) (r proven.Run) {
	if i := slices.IndexFunc(b.Evidence, func(e task.Evidence) bool { return e.ID == m.Evidence }); i >= 0 {
		r, _ = proven.Parse(b.Evidence[i].Value)
	}
	return r
}

func firstOr(list []string, otherwise string) string {
	if len(list) > 0 {
		return list[0]
	}
	return otherwise
}

func gateOf(b *bundle.Bundle) string {
	if b.Gate == nil {
		return "its gate"
	}
	return "its gate " + b.Gate.Name
}

// declaredLines returns the commands of a task's gate that a file of this machine declares, and where they run.
func declaredLines(f *frame.Factory, b *bundle.Bundle) (lines []string, dir string, err error) {
	if b.Gate == nil {
		return nil, "", nil
	}
	return f.GateCommands(b.Task.Project, b.Gate.Name)
}

// checkRuns declines to run anything where a criterion to tick is a command that is not among what is run: no run of
// anything else ticks it.
func (o *proveOptions) checkRuns(b *bundle.Bundle, todo []proving) error {
	for _, i := range o.check {
		if i < 1 || i > len(b.Criteria) || slices.ContainsFunc(todo, func(do proving) bool { return do.of(b.Criteria[i-1]) }) {
			continue
		}
		if call, ok := b.Criteria[i-1].Run(b.Task.ID); ok {
			line, _ := b.Criteria[i-1].Line()
			return fault.Decline("criterion %d of %s is the command %s: only a run of that ticks it, and nothing runs it by itself", i, b.Task.ID, line).
				WithMissing(fmt.Sprintf("criterion %d: %s", i, b.Criteria[i-1].Text)).WithHint("run it: %s", call)
		}
	}
	return nil
}

// shownBy returns the criteria that a run is to tick: those that are its command, and with the last run, after which all
// have passed, those that are no command.
func (o *proveOptions) shownBy(b *bundle.Bundle, do proving, last bool) (out []int) {
	for _, i := range o.check {
		var c task.Criterion
		if i >= 1 && i <= len(b.Criteria) {
			c = b.Criteria[i-1]
		}
		if _, command := c.Line(); command && do.of(c) || !command && last {
			out = append(out, i)
		}
	}
	return out
}

// kindOf returns the kind of evidence that a typed command is: the one that is given, or else the one of the gate or of a
// criterion that is exactly this command. dir is where the gate's commands run, if a file here declares it, and root where
// those of criteria do.
func (o *proveOptions) kindOf(ctx context.Context, f *frame.Factory, b *bundle.Bundle, do proving, dir, root string) (string, error) {
	of, id := o.kind, b.Task.ID
	owner, call := "gate", hint.ProveGate(id)
	if of == "" && b.Gate != nil {
		if i := slices.IndexFunc(b.Gate.Requires, do.is); i >= 0 {
			of = b.Gate.Requires[i]
		}
	}
	if of == "" {
		if i := slices.IndexFunc(b.Criteria, do.of); i >= 0 {
			line, _ := b.Criteria[i].Line()
			of, dir, owner = task.CommandKind(line), root, "criterion"
			call, _ = b.Criteria[i].Run(id)
		}
	}
	_, command := task.CommandLine(of)
	switch {
	case of == "":
		return "", fault.Bad("say what kind of evidence it is").WithHint("add --kind, such as --kind test")
	case command && !do.is(of):
		return "", fault.Decline("%s is not the command that %s asks for", do.run().Text(), words.Quoted(of)).
			WithHint("run that: %s", hint.ProveGate(id))
	case command && dir != "":
		here, err := placeOf(ctx, f, do.dir)
		if err != nil {
			return "", err
		}
		there, err := placeOf(ctx, f, dir)
		if err != nil {
			return "", err
		}
		if here != there {
			return "", fault.Decline("the %s's command runs in %s, and this is %s", owner, dir, do.dir).WithHint("run it there: %s", call)
		}
	}
	return of, nil
}
