package reading

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/reading"
)

// NewExplain returns the command `tasker explain`.
func NewExplain(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "explain ID", Short: op.Explain.Summary, Args: frame.Exactly("the ID of a task"), IDs: true,
		Example: []string{"tasker explain demo-4", "tasker explain demo-4 --actor alice", "tasker explain demo-4 --json"},
		Long:    "Each rule says whether it is satisfied, which settings it goes by (with their layer, file and line), and what would\nchange it.",
	}, runExplain)
}

func runExplain(ctx context.Context, f *frame.Factory, args []string) error {
	a := f.Args(ctx)
	return frame.DoWith(a, op.Explain, core.TaskIn{Task: a.TaskToRead(args[0])}, showExplain)
}

func showExplain(f *frame.Factory, x reading.ExplainOut) {
	f.Out.Spans(term.Bold.Of(string(x.Task)), term.Textf("  "), render.Status(x.Status), term.Textf("  "), term.Bold.Of(x.Title))
	f.Out.Printf("\nfor %s, %s\n", x.Actor, x.Kind)
	verdict(f, "Ready", x.Ready)
	verdict(f, "Claimable by you", x.Claimable)
	verdict(f, "Closable by you", x.Closable)
}

func verdict(f *frame.Factory, what string, v reading.Verdict) {
	yes := term.Green.Of("yes")
	if !v.Yes {
		yes = term.Yellow.Of("no")
	}
	f.Out.Printf("\n")
	f.Out.Line(term.Bold.Of(what+": "), yes)
	for _, r := range v.Reasons {
		mark := term.Green.Of("  ✓ ")
		if !r.OK {
			mark = term.Yellow.Of("  ✕ ")
		}
		f.Out.Line(mark, term.Textf("%s: ", r.Rule), term.Textf("%s", frame.Plain(f, r.Why)))
		if len(r.Change) > 0 && !r.OK {
			f.Out.Line(term.Faint.Of("      to change it: "), term.Textf("%s", r.Change.In(f.AsCommand)))
		}
		for _, s := range r.Settings {
			f.Out.Line(term.Faint.Of("      by "), term.Textf("%s = %s (%s)", s.Key, string(s.Value), origin(s)))
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
