package reading

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/fault/hint"
	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/task"
	"tasker/internal/text/words"
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

// showSubtree prints the tree line by line. It uses a stack, not recursion, because a tree may be deep.
func showSubtree(f *frame.Factory, s picture.SubtreeOut) {
	r := s.Rollup
	f.Out.Printf("%s: %s below, %d%% closed, %d of %d criteria\n", s.Task, words.Count(r.Total, "task", "tasks"), r.Progress, r.Criteria.Checked, r.Criteria.Total)
	type line struct {
		n      *picture.Node // nil for the line that counts the omitted children
		text   string
		indent string
		last   bool
	}
	var todo []line
	push := func(of task.ID, children []*picture.Node, total int, truncated bool, indent string) {
		if truncated {
			more := words.When(len(children) == 0, ": "+f.AsCommand(hint.Command("subtree "+string(of))))
			todo = append(todo, line{text: fmt.Sprintf("… %d of %d children are not shown%s", total-len(children), total, more), indent: indent, last: true})
		}
		for i := len(children) - 1; i >= 0; i-- {
			todo = append(todo, line{n: children[i], indent: indent, last: i == len(children)-1 && !truncated})
		}
	}
	push(s.Task, s.Children, s.ChildrenTotal, s.Truncated, "")
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		branch, below := "├ ", "│ "
		if l.last {
			branch, below = "└ ", "  "
		}
		if l.n == nil {
			f.Out.Printf("%s%s\n", l.indent+branch, l.text)
			continue
		}
		render.Branch(f, l.indent+branch, render.Twig{
			ID: l.n.ID, State: l.n.State, Status: l.n.Status, Holder: l.n.Holder, Due: l.n.Due, Title: l.n.Title,
		})
		push(l.n.ID, l.n.Children, l.n.ChildrenTotal, l.n.Truncated, l.indent+below)
	}
}
