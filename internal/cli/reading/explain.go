package reading

import (
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/config/format"
	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// NewExplain returns the command `tasker explain`.
func NewExplain(f *frame.Factory) *cobra.Command {
	var all bool
	return frame.Operation(f, frame.Spec{
		Use: "explain ID", Args: frame.Exactly("the ID of a task"), IDs: true,
		Example: []string{"tasker explain demo-4", "tasker explain demo-4 --all", "tasker explain demo-4 --actor alice", "tasker explain demo-4 --json"},
		Long: "It says what is in the way, which settings decide that (with their layer, file and line), and what would change\n" +
			"it. With --all it also says what is satisfied.",
		Flags: []frame.Flag{
			frame.Bool(&all, "all", "show the rules that are satisfied too"),
		},
	}, op.Explain, func(a *frame.Args, args []string) core.TaskIn { return core.TaskIn{Task: a.TaskToRead(args[0])} },
		func(f *frame.Factory, x reading.ExplainOut) { showExplain(f, x, all) })
}

func showExplain(f *frame.Factory, x reading.ExplainOut, all bool) {
	f.Out.Line(term.Bold.Of(string(x.Task)), term.Textf("  "), render.Status(x.Status), term.Textf("  "), term.Bold.Of(x.Title))
	mine := x.Mine()
	render.Cause(f, x.ActOn)
	f.Out.Printf("for %s, %s%s\n\n", x.Actor, x.Kind, words.When(mine, ", who holds it"))
	e := explanation{f: f, all: all, said: map[string]bool{}}
	if mine && !all { // it is claimed: only what keeps it from being closed matters to its holder
		e.circles(x.Ready)
	} else {
		e.verdict("Ready", x.Ready)
		e.verdict("Claimable by you", x.Claimable)
	}
	e.verdict("Closable by you", x.Closable)
	if !all {
		f.Out.Line(term.Faint.Of("every rule: "), term.Textf("%s", f.AsCommand(hint.Command("explain "+string(x.Task)+" --all"))))
	}
}

// explanation prints verdicts. Without all it prints what is in the way, and says nothing twice.
type explanation struct {
	f    *frame.Factory
	all  bool
	said map[string]bool
}

func (e explanation) verdict(what string, v reading.Verdict) {
	var show []reading.Reason
	for _, r := range v.Reasons {
		key := r.Rule + ": " + r.Why
		if e.all || !r.OK && !e.said[key] || r.Rule == reading.RuleCircle {
			show = append(show, r)
		}
		if !r.OK {
			e.said[key] = true
		}
	}
	answer := term.Yellow.Of("no")
	if v.Yes {
		answer = term.Green.Of("yes")
	}
	e.f.Out.Line(term.Bold.Of(what+": "), answer, term.Plain.Of(words.When(!v.Yes && len(show) == 0, ", for the same reason")))
	for _, r := range show {
		e.reason(r)
	}
}

// circles prints the circles that the task is in.
func (e explanation) circles(v reading.Verdict) {
	for _, r := range v.Reasons {
		if r.Rule == reading.RuleCircle {
			e.reason(r)
		}
	}
}

func (e explanation) reason(r reading.Reason) {
	mark := term.Green.Of("  ✓ ")
	if !r.OK {
		mark = term.Yellow.Of("  ✕ ")
	}
	e.f.Out.Line(mark, term.Textf("%s: ", r.Rule), term.Textf("%s", frame.Plain(e.f, r.Why)))
	if len(r.Change) > 0 && !r.OK {
		e.f.Out.Line(term.Faint.Of("      to change it: "), term.Textf("%s", r.Change.In(e.f.AsCommand)))
	}
	for _, s := range r.Settings {
		if e.all || s.Layer != string(format.DefaultsLayer) { // nobody set a default
			e.f.Out.Line(term.Faint.Of("      by "), term.Textf("%s = %s (%s)", s.Key, string(s.Value), origin(s)))
		}
	}
}

// origin says where a setting comes from.
func origin(s reading.Setting) string {
	if s.File == "" || s.Line == nil {
		return s.Layer
	}
	return fmt.Sprintf("%s, %s:%d", s.Layer, s.File, *s.Line)
}
