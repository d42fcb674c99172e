package planning

import (
	"strings"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// fieldFlags are the fields of a task as flags. Without its flag, a field stays as it is; an empty flag clears it.
type fieldFlags struct {
	body, parent, due, gate, autonomy, prefer, severity *string

	priority            *int
	mayExecute, touches []string
	links               []task.Link
}

// flags returns the flags; replacing is added to the help of lists that a task may already have.
func (d *fieldFlags) flags(replacing string) []frame.Flag {
	return []frame.Flag{
		frame.MaybeText(&d.body, "body", "what is to be done (- reads standard input)"),
		frame.MaybeText(&d.parent, "parent", "the task that it is part of"),
		frame.Priority(&d.priority, "0 or P0 (most urgent) to 3"),
		frame.MaybeText(&d.severity, "severity", "1 (worst) to 4, or none"),
		frame.MaybeText(&d.due, "due", "2026-03-31, tomorrow, fri, +3d or a time"),
		frame.MaybeText(&d.gate, "gate", "the gate whose evidence it needs"),
		frame.MaybeText(&d.autonomy, "autonomy", "autonomous, supervised or human_only"),
		frame.MaybeText(&d.prefer, "prefer", "who should do it, never a lock"),
		frame.List(&d.mayExecute, "may-execute", "role", "who may claim it"+replacing+" (can be given again)"),
		frame.List(&d.touches, "touches", "glob", "paths"+replacing+" (can be given again)"),
		frame.Value("link", "kind=ref", "doc=…, url=… or file=…"+replacing+" (can be given again)", func(s string) error { return addLink(&d.links, s) }),
	}
}

// fill copies the given flags into the fields of a definition or an edit.
func (d *fieldFlags) fill(a *frame.Args, now time.Time, to *plan.Fields) {
	opt(&to.Body, a.Given(d.body))
	if d.parent != nil {
		opt(&to.Parent, new(a.Reference(*d.parent)))
	}
	if d.due != nil {
		due := words.Day(*d.due, now)
		if _, err := task.ParseDue(due); due != "" && err != nil {
			a.Refuse(fault.Bad("--due: %s is not a day", words.Quoted(due)).
				WithHint("a day such as 2026-03-31, tomorrow, fri, +3d or +2w, or a time such as 2026-03-31T17:00:00Z"))
		}
		opt(&to.Due, &due)
	}
	opt(&to.Gate, d.gate)
	opt(&to.Autonomy, d.autonomy)
	opt(&to.PreferredActor, d.prefer)
	if d.priority != nil {
		to.Priority = plan.Give(*d.priority)
	}
	if s := d.severity; s != nil {
		switch n, err := frame.ReadInt[int](*s); {
		case *s == "" || *s == "none":
			to.Severity = plan.Give(task.Severity(0))
		case err != nil || *n == 0:
			a.Refuse(fault.Bad("--severity: %q is not a severity", *s).WithHint("1 (worst) to 4, or none"))
		default:
			to.Severity = plan.Give(task.Severity(*n))
		}
	}
	many(&to.MayExecute, d.mayExecute)
	many(&to.Touches, d.touches)
	many(&to.Links, d.links)
}

// references resolves the names that flags give for other tasks, in the form of documents.
func references(a *frame.Args, names []string) []string {
	for i, name := range names {
		names[i] = a.Reference(name)
	}
	return names
}

// opt sets a field to a text, if it was given.
func opt(to *plan.Field[task.Opt], given *string) {
	if given != nil {
		*to = plan.Give(task.Opt(*given))
	}
}

// many sets a field to a list, if it was given.
func many[T any](to *plan.Field[[]T], given []T) {
	if given != nil {
		*to = plan.Give(given)
	}
}

// addLink parses a KIND=REF link and adds it to a list; an empty one leaves the list empty.
func addLink(to *[]task.Link, s string) error {
	if s == "" {
		*to = []task.Link{}
		return nil
	}
	if strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") {
		s = "url=" + s // an address needs no kind
	}
	kind, ref, err := frame.Pair(s, "kind", "ref")
	if err == nil {
		*to = append(*to, task.Link{Kind: kind, Ref: ref})
	}
	return err
}
