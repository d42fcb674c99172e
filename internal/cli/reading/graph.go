package reading

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
)

// graphOptions holds the options of `tasker graph`.
type graphOptions struct {
	in    picture.GraphIn
	watch bool
}

// NewGraph returns the command `tasker graph`.
func NewGraph(f *frame.Factory) *cobra.Command {
	o := &graphOptions{}
	return f.Command(frame.Spec{
		Use: "graph [ID]", Short: op.Graph.Op.Summary, Args: frame.Between(0, 1), IDs: true,
		Example: []string{"tasker graph demo-4", "tasker graph demo-4 --upstream 8 --downstream 0 --json"},
		Long:    "A task that stands in several places is drawn out in the first, and marked ↑ in the others.",
		Flags: []frame.Flag{
			frame.MaybeInt(&o.in.Upstream, "upstream", "how far to look at what it waits for, up to 8 (default 3)"),
			frame.MaybeInt(&o.in.Downstream, "downstream", "how far to look at what waits for it, up to 8 (default 3)"),
			frame.At(&o.in.At),
			follow.Watch(&o.watch),
		},
	}, o.run)
}

func (o *graphOptions) run(ctx context.Context, f *frame.Factory, args []string) (err error) {
	if o.in.Task, err = f.TaskToRead(ctx, frame.OrCurrent(args)); err != nil {
		return err
	}
	return watched(ctx, f, o.in.Task, o.watch, func(ctx context.Context) error { return frame.Do(ctx, f, op.Graph, o.in, showGraph) })
}

// watched paints a view of a task once, or repeatedly whenever something happens in its project.
func watched(ctx context.Context, f *frame.Factory, id string, watch bool, paint func(context.Context) error) error {
	slug, _, ok := task.ParseID(id)
	if watch && !ok {
		var err error
		if slug, err = f.OneProject(ctx); err != nil {
			return err
		}
	}
	return follow.Paint(ctx, f, watch, reading.EventsIn{Project: slug}, paint)
}

func showGraph(f *frame.Factory, g picture.GraphOut) {
	render.Was(f, g.At)
	nodes := map[task.ID]*picture.GraphNode{}
	cut := 0
	for i := range g.Nodes {
		nodes[g.Nodes[i].ID] = &g.Nodes[i]
		if g.Nodes[i].Truncated {
			cut++
		}
	}
	waits, waited := map[task.ID][]task.ID{}, map[task.ID][]task.ID{}
	for _, e := range g.Edges {
		if nodes[e.From].Depth <= 0 && nodes[e.To].Depth < 0 {
			waits[e.From] = append(waits[e.From], e.To)
		}
		if nodes[e.To].Depth >= 0 && nodes[e.From].Depth > 0 {
			waited[e.To] = append(waited[e.To], e.From)
		}
	}
	branch(f, "", nodes[g.Task], false)
	grow(f, "Waits for", g.Task, nodes, waits)
	grow(f, "Waited for by", g.Task, nodes, waited)
	if cut > 0 {
		f.Out.Printf("%s, marked \"… more\", with neighbours that are not shown (upstream %d, downstream %d)\n",
			words.Count(cut, "task", "tasks"), g.Upstream, g.Downstream)
	}
}

// grow draws, as a tree, everything that one direction leads to from the task.
func grow(f *frame.Factory, head string, root task.ID, nodes map[task.ID]*picture.GraphNode, next map[task.ID][]task.ID) {
	if len(next[root]) == 0 {
		return
	}
	f.Out.Line(term.Bold.Of(head))
	drawn := map[task.ID]bool{}
	drawTree(next[root], func(edges string, id task.ID) []task.ID {
		again := drawn[id] && len(next[id]) > 0
		branch(f, edges, nodes[id], again)
		if again {
			return nil
		}
		drawn[id] = true
		return next[id]
	})
}

// drawTree draws a tree line by line: draw prints one line behind its edges, and returns what hangs below it. It uses a
// stack, not recursion, because a tree may be deep.
func drawTree[T any](top []T, draw func(edges string, it T) (below []T)) {
	type twig struct {
		it     T
		indent string
		last   bool
	}
	var todo []twig
	push := func(all []T, indent string) {
		for i, it := range slices.Backward(all) {
			todo = append(todo, twig{it, indent, i == len(all)-1})
		}
	}
	push(top, "")
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		edge, below := "├ ", "│ "
		if t.last {
			edge, below = "└ ", "  "
		}
		push(draw(t.indent+edge, t.it), t.indent+below)
	}
}

// branch prints one task of a drawing.
func branch(f *frame.Factory, edges string, n *picture.GraphNode, again bool) {
	render.Branch(f, edges, render.Twig{
		ID: n.ID, State: n.State, Status: n.Status, Holder: n.Holder, Due: n.Due, Title: n.Title,
		More: words.When(n.Truncated, "  … more") + words.When(again, "  ↑"),
	})
}
