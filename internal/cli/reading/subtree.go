package reading

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/picture"
)

// NewSubtree returns the command `tasker subtree`.
func NewSubtree(f *frame.Factory) *cobra.Command {
	watch := false
	return f.Command(frame.Spec{
		Use: "subtree [ID]", Short: op.Subtree.Op.Summary, Args: frame.Between(0, 1), IDs: true,
		Example: []string{"tasker subtree demo-1", "tasker subtree demo-1 --watch"},
		Flags: []frame.Flag{
			follow.Watch(&watch),
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		id, err := f.TaskToRead(ctx, frame.OrCurrent(args))
		if err != nil {
			return err
		}
		return watched(ctx, f, id, watch, func(ctx context.Context) error {
			return frame.Do(ctx, f, op.Subtree, core.TaskIn{Task: id}, showSubtree)
		})
	})
}

// showSubtree prints the tree line by line.
func showSubtree(f *frame.Factory, s picture.SubtreeOut) {
	r := s.Rollup
	f.Out.Printf("%s: %s below, %d%% closed, %d of %d criteria\n", s.Task, words.Count(r.Total, "task", "tasks"), r.Progress, r.Criteria.Checked, r.Criteria.Total)
	type line struct {
		n    *picture.Node // nil for the line that counts the omitted children
		text string
	}
	below := func(of task.ID, children []*picture.Node, total int, truncated bool) (out []line) {
		for _, n := range children {
			out = append(out, line{n: n})
		}
		if truncated {
			more := words.When(len(children) == 0, ": "+f.AsCommand(hint.Command("subtree "+string(of))))
			out = append(out, line{text: fmt.Sprintf("… %d of %d children are not shown%s", total-len(children), total, more)})
		}
		return out
	}
	drawTree(below(s.Task, s.Children, s.ChildrenTotal, s.Truncated), func(edges string, l line) []line {
		n := l.n
		if n == nil {
			f.Out.Printf("%s%s\n", edges, l.text)
			return nil
		}
		render.Branch(f, edges, render.Twig{ID: n.ID, State: n.State, Status: n.Status, Holder: n.Holder, Due: n.Due, Title: n.Title})
		return below(n.ID, n.Children, n.ChildrenTotal, n.Truncated)
	})
}
