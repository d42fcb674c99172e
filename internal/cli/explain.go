package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/op"
	"tasker/internal/view"
)

func (f *factory) newExplain() *cobra.Command {
	return f.command(spec{
		use: "explain ID", short: op.Explain.Summary, args: exactly("the ID of a task"), ids: true,
		example: []string{"tasker explain demo-4", "tasker explain demo-4 --actor alice", "tasker explain demo-4 --json"},
		long:    "Each rule says whether it is satisfied, which settings it goes by (with their layer, file and line), and what would\nchange it.",
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		return do(ctx, f, op.Explain, view.TaskIn{Task: id}, (*factory).showExplain)
	})
}

func (f *factory) showExplain(x view.ExplainOut) {
	f.out.Spans(span{string(x.Task), bold}, txt("  "), statusSpan(x.Status), txt("  "), span{x.Title, bold})
	f.out.Printf("\nfor %s, %s\n", x.Actor, x.Kind)
	f.verdict("Ready", x.Ready)
	f.verdict("Claimable by you", x.Claimable)
	f.verdict("Closable by you", x.Closable)
}

func (f *factory) verdict(what string, v view.Verdict) {
	yes := span{"yes", green}
	if !v.Yes {
		yes = span{"no", yellow}
	}
	f.out.Printf("\n")
	f.out.Spans(span{what + ": ", bold}, yes)
	f.out.Printf("\n")
	for _, r := range v.Reasons {
		mark := span{"  ✓ ", green}
		if !r.OK {
			mark = span{"  ✕ ", yellow}
		}
		f.out.Spans(mark, txt("%s: ", r.Rule))
		f.out.Printf("%s\n", r.Why)
		if r.Change != "" && !r.OK {
			f.out.Spans(span{"      to change it: ", faint})
			f.out.Printf("%s\n", string(r.Change))
		}
		for _, s := range r.Settings {
			f.out.Spans(span{"      by ", faint})
			f.out.Printf("%s = %s (%s)\n", s.Key, string(s.Value), origin(s))
		}
	}
}

// origin is where a setting comes from.
func origin(s view.Setting) string {
	if s.File == "" || s.Line == nil {
		return s.Layer
	}
	return txt("%s, %s:%d", s.Layer, s.File, *s.Line).text
}
