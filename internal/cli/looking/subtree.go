package looking

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/core/picture"
	"tasker/internal/op"
	"tasker/internal/words"
)

// NewSubtree returns the command `tasker subtree`.
func NewSubtree(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "subtree ID", Short: op.Subtree.Summary, Args: frame.Exactly("ID"), IDs: true,
		Example: []string{"tasker subtree demo-1"},
	}, runSubtree)
}

func runSubtree(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := f.TaskArg(ctx, args[0])
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Subtree, core.TaskIn{Task: id}, showSubtree)
}

// showSubtree prints the tree line by line. It holds a stack of what is still to print, as a tree may be deep.
func showSubtree(f *frame.Factory, s picture.SubtreeOut) {
	r := s.Rollup
	f.Out.Printf("%s: %s below, %d%% closed, %d of %d criteria\n", s.Task, words.Count(r.Total, "task", "tasks"), r.Progress, r.Criteria.Checked, r.Criteria.Total)
	type line struct {
		n      *picture.Node
		indent string
		last   bool
	}
	var todo []line
	push := func(children []*picture.Node, indent string) {
		for i := len(children) - 1; i >= 0; i-- {
			todo = append(todo, line{children[i], indent, i == len(children)-1})
		}
	}
	push(s.Children, "")
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		branch, below := "├ ", "│ "
		if l.last {
			branch, below = "└ ", "  "
		}
		f.Out.Spans(term.Faint.Of(l.indent+branch), term.Bold.Of(string(l.n.ID)), term.Textf("  "), render.Status(l.n.Status))
		f.Out.Printf("  %s\n", l.n.Title)
		if l.n.Truncated {
			f.Out.Printf("%s  … more: tasker subtree %s\n", l.indent+below, l.n.ID)
		}
		push(l.n.Children, l.indent+below)
	}
}
