package planning

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// fieldFlags are the fields of a task as flags. A flag that is not given leaves its field, an empty one clears it.
type fieldFlags struct {
	body, parent, due, gate, autonomy, prefer, severity frame.TextFlag

	priority            frame.PriorityFlag
	mayExecute, touches *frame.ListFlag
	links               linkFlag
}

// flags adds them to those of a command; replacing is said of the lists that a task has already.
func (d *fieldFlags) flags(fs *pflag.FlagSet, replacing string) {
	fs.Var(&d.body, "body", "what is to be done (- reads standard input)")
	fs.Var(&d.parent, "parent", "what it is a part of")
	fs.Var(&d.priority, "priority", "0 or P0 (most urgent) to 3")
	fs.Var(&d.severity, "severity", "1 (worst) to 4, or none")
	fs.Var(&d.due, "due", "2026-03-31, tomorrow, fri, +3d or a time")
	fs.Var(&d.gate, "gate", "whose evidence it needs")
	fs.Var(&d.autonomy, "autonomy", "autonomous, supervised or human_only")
	fs.Var(&d.prefer, "prefer", "who should do it, never a lock")
	d.mayExecute = frame.AddList(fs, "may-execute", "role", "who may claim it"+replacing+" (can be given again)")
	d.touches = frame.AddList(fs, "touches", "glob", "paths"+replacing+" (can be given again)")
	fs.Var(&d.links, "link", "doc=…, url=… or file=…"+replacing+" (can be given again)")
}

// fill puts the given flags into the fields of a definition or an edit.
func (d *fieldFlags) fill(ctx context.Context, f *frame.Factory, to *plan.Fields) error {
	body, err := f.Given(d.body)
	if err != nil {
		return err
	}
	opt(&to.Body, body)
	parent, err := references(ctx, f, given(d.parent.Text))
	if err != nil {
		return err
	}
	if parent != nil {
		opt(&to.Parent, &parent[0])
	}
	if d.due.Text != nil {
		due := words.Day(*d.due.Text, f.Now())
		if _, err := task.ParseDue(due); due != "" && err != nil {
			return fault.Bad("--due: %s is not a day", words.Quoted(due)).
				WithHint("a day such as 2026-03-31, tomorrow, fri, +3d or +2w, or a time such as 2026-03-31T17:00:00Z")
		}
		opt(&to.Due, &due)
	}
	opt(&to.Gate, d.gate.Text)
	opt(&to.Autonomy, d.autonomy.Text)
	opt(&to.PreferredActor, d.prefer.Text)
	if d.priority.N != nil {
		to.Priority = plan.Give(*d.priority.N)
	}
	if s := d.severity.Text; s != nil {
		var n frame.IntFlag[int]
		switch {
		case *s == "" || *s == "none":
			to.Severity = plan.Give(task.Severity(0))
		case n.Set(*s) != nil || *n.N == 0:
			return fault.Bad("--severity: %q is not a severity", *s).WithHint("1 (worst) to 4, or none")
		default:
			to.Severity = plan.Give(task.Severity(*n.N))
		}
	}
	many(&to.MayExecute, d.mayExecute.All)
	many(&to.Touches, d.touches.All)
	if d.links != nil {
		to.Links = plan.Give([]task.Link(d.links))
	}
	return nil
}

// given returns a text as a list, nil where it was not given.
func given(text *string) []string {
	if text == nil {
		return nil
	}
	return []string{*text}
}

// references returns what flags call other tasks, as documents call them.
func references(ctx context.Context, f *frame.Factory, names []string) ([]string, error) {
	for i, name := range names {
		ref, err := frame.Reference(ctx, f, name)
		if err != nil {
			return nil, err
		}
		names[i] = ref
	}
	return names, nil
}

// opt puts a text into a field, where it was given.
func opt(to *plan.Field[task.Opt], given *string) {
	if given != nil {
		*to = plan.Give(task.Opt(*given))
	}
}

// many puts a list into a field, where it was given.
func many(to *plan.Field[[]string], given []string) {
	if given != nil {
		*to = plan.Give(given)
	}
}

// linkFlag collects KIND=REF links.
type linkFlag []task.Link

func (l *linkFlag) String() string { return "" }
func (l *linkFlag) Type() string   { return "kind=ref" }

// Set reads one link; an empty one leaves the list empty.
func (l *linkFlag) Set(s string) error {
	if s == "" {
		*l = linkFlag{}
		return nil
	}
	if strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") {
		s = "url=" + s // an address can be nothing else
	}
	kind, ref, err := frame.Pair(s, "kind", "ref")
	if err != nil {
		return err
	}
	*l = append(*l, task.Link{Kind: kind, Ref: ref})
	return nil
}
