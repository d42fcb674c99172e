package work

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// againOut is the answer of `tasker prove --again`.
type againOut struct {
	Holds  int         `json:"holds"`
	Fails  int         `json:"fails"`
	Cannot int         `json:"cannot"`
	Items  []againItem `json:"items"`
}

// againItem is one command that was run again, or that was not.
type againItem struct {
	Task     string   `json:"task"`
	Evidence *int64   `json:"evidence"` // what was recorded; null if it was not run
	Command  string   `json:"command"`
	Outcome  string   `json:"outcome"` // holds, fails, cannot
	Why      task.Opt `json:"why"`
}

// The outcomes of a command that was to run again.
const (
	holds  = "holds"
	fails  = "fails"
	cannot = "cannot"
)

func (o *againOut) add(item againItem) {
	switch item.Outcome {
	case holds:
		o.Holds++
	case fails:
		o.Fails++
	default:
		o.Cannot++
	}
	o.Items = append(o.Items, item)
}

// again runs the commands of the gates of tasks again, on the files as they are now, whatever the status of the tasks, and
// changes no status. What it finds is recorded, also that a command fails by now. A recorded command is data: it is run
// only where the file declares it, or where a human at a terminal confirms this very line.
func (o *proveOptions) again(ctx context.Context, f *frame.Factory, names []string) error {
	if o.kind != "" || len(o.check) > 0 {
		return fault.Bad("--again runs what the gate asks for, and ticks nothing").WithHint("leave --kind and --check out")
	}
	if len(names) == 0 {
		names = []string{frame.OrCurrent(nil)}
	}
	var all []*bundle.Bundle
	for _, name := range names { // a wrong id must fail before anything runs
		a := f.Args(ctx)
		b, err := frame.CallWith(a, op.Show, reading.ShowIn{Task: a.Task(name)})
		if err != nil {
			return err
		}
		all = append(all, b)
	}
	ctx, stop := f.Process.Stop(ctx)
	defer stop()
	out := againOut{Items: []againItem{}}
	for _, b := range all {
		if err := o.againOne(ctx, f, b, &out); err != nil {
			return err
		}
	}
	return f.AnswerOr(out.Fails == 0, frame.ErrExit(fault.ExitDeclined), out, func() {
		for _, i := range out.Items {
			if i.Why == "" {
				f.Say("%s %s: %s\n", i.Task, i.Outcome, i.Command)
			} else {
				f.Say("%s %s: %s (%s)\n", i.Task, i.Outcome, i.Command, i.Why)
			}
		}
		f.Say("%d hold, %d fail, %d cannot be run\n", out.Holds, out.Fails, out.Cannot)
	})
}

// againOne runs what one task rests on: the lines of its gate, then what else was run for it.
func (o *proveOptions) againOne(ctx context.Context, f *frame.Factory, b *bundle.Bundle, out *againOut) error {
	declared, dir, err := declaredLines(f, b)
	if err != nil {
		return err
	}
	var asked []string
	if b.Gate != nil {
		asked = task.CommandLines(b.Gate.Requires)
	}
	for _, line := range asked {
		if !slices.Contains(declared, line) {
			out.add(againItem{Task: string(b.Task.ID), Command: line, Outcome: cannot, Why: "not in the file"})
			continue
		}
		if err := o.rerun(ctx, f, b, proving{kind: task.CommandKind(line), line: line, dir: dir}, out); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, e := range slices.Backward(b.Evidence) {
		r, ok := proven.Parse(e.Value)
		if !ok || r.ExitCode != 0 || slices.Contains(asked, r.Text()) || seen[r.Text()] {
			continue
		}
		seen[r.Text()] = true
		here, err := placeOf(ctx, f, f.Process.Dir)
		if err != nil {
			return err
		}
		switch {
		case r.Dir != "" && here != string(r.Dir):
			out.add(againItem{Task: string(b.Task.ID), Command: r.Text(), Outcome: cannot, Why: task.Opt("not in the file; it ran in " + string(r.Dir))})
		case !confirmed(ctx, f, b, r):
			out.add(againItem{Task: string(b.Task.ID), Command: r.Text(), Outcome: cannot, Why: "not in the file"})
		default:
			if err := o.rerun(ctx, f, b, proving{kind: e.Kind, args: r.Command, line: r.Line, dir: f.Process.Dir}, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// confirmed reports whether a human at a terminal says that a recorded command is to be run: this very one, as it is run,
// with what a shell would need to read its words alike. Nobody is asked in an agent's shell, in an agent's name, or about
// a command with characters that a terminal does not show.
func confirmed(ctx context.Context, f *frame.Factory, b *bundle.Bundle, r proven.Run) bool {
	shown := r.Line
	if shown == "" {
		shown = strings.Join(words.Each(r.Command, words.Shell), " ")
	}
	if f.Named().Agent != "" || term.Inert(shown, false) != shown || !person(ctx, f, b.Task.Project) {
		return false
	}
	return frame.Agrees(f, "No file here declares this command. Run it? "+shown)
}

// person reports whether the caller is a human of the project. Where no file here declares one, everybody at a terminal
// counts.
func person(ctx context.Context, f *frame.Factory, project string) bool {
	who, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil || who.Kind == "human" {
		return err == nil
	}
	loaded, err := f.Configuration()
	if err != nil {
		return false
	}
	eff, err := loaded.For(project, nil)
	return err == nil && !eff.DeclaresHuman()
}

// rerun runs one command, and records how it ended: as evidence of its kind, or that it fails by now. What fails is run
// once more before that counts.
func (o *proveOptions) rerun(ctx context.Context, f *frame.Factory, b *bundle.Bundle, do proving, out *againOut) error {
	id := string(b.Task.ID)
	f.Err.Printf("$ %s\n", proven.Run{Command: do.args, Line: do.line}.Text())
	r, output, err := do.prove(ctx, f)
	if errors.Is(err, errRed) {
		f.Err.Printf("It failed. Once more:\n")
		r, output, err = do.prove(ctx, f)
	}
	item := againItem{Task: id, Command: r.Text(), Outcome: holds, Why: task.Opt(r.Idle)}
	switch {
	case errors.Is(err, errNoShell):
		item.Outcome, item.Why = cannot, task.Opt(fault.Of(err).Message)
		out.add(item)
		return nil
	case errors.Is(err, errRed):
		item.Outcome, item.Why = fails, task.Opt("exit code "+strconv.Itoa(r.ExitCode))
		do.kind = proven.KindFails
	case err != nil:
		return err
	}
	value, err := r.Value()
	if err != nil {
		return err
	}
	kept, err := frame.Call(ctx, f, op.Evidence, work.EvidenceIn{
		Task: id, Items: []task.EvidenceItem{{Kind: do.kind, Value: value, Note: task.Opt(o.note), Output: task.Opt(output)}},
	})
	if err != nil {
		return err
	}
	item.Evidence = &kept.IDs[0]
	out.add(item)
	return nil
}
