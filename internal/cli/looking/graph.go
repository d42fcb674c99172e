package looking

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/picture"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/words"
)

// graphOptions are what the command line gives `tasker graph`.
type graphOptions struct {
	up, down frame.IntFlag[int]
}

// NewGraph returns the command `tasker graph`.
func NewGraph(f *frame.Factory) *cobra.Command {
	o := &graphOptions{}
	cmd := f.Command(frame.Spec{
		Use: "graph ID", Short: op.Graph.Summary, Args: frame.Exactly("ID"), IDs: true,
		Example: []string{"tasker graph demo-4", "tasker graph demo-4 --upstream 8 --downstream 0 --json"},
	}, o.run)
	cmd.Flags().Var(&o.up, "upstream", "how far to look at what it waits for, up to 8 (default 3)")
	cmd.Flags().Var(&o.down, "downstream", "how far to look at what waits for it, up to 8 (default 3)")
	return cmd
}

func (o *graphOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := f.TaskToRead(ctx, args[0])
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Graph, picture.GraphIn{Task: id, Upstream: o.up.N, Downstream: o.down.N}, showGraph)
}

func showGraph(f *frame.Factory, g picture.GraphOut) {
	waits := map[task.ID][]task.ID{}
	for _, e := range g.Edges {
		waits[e.From] = append(waits[e.From], e.To)
	}
	var rows [][]term.Span
	cut := 0
	for _, n := range g.Nodes {
		more := ""
		if n.Truncated {
			more = "… more"
			cut++
		}
		rows = append(rows, []term.Span{
			term.Textf("%+d", n.Depth), term.Bold.Of(string(n.ID)), render.Status(n.Status), term.Textf("%s", n.Title),
			term.Textf("%s", words.List(waits[n.ID])), term.Textf("%s", more),
		})
	}
	f.Out.Table([]term.Column{
		{Head: "STEP"}, {Head: "ID"}, {Head: "STATUS"}, {Head: "TITLE", Flex: true}, {Head: "WAITS FOR", Drop: 1}, {Head: ""},
	}, rows)
	if cut > 0 {
		f.Out.Printf("%s, marked \"… more\", with neighbours that are not shown (upstream %d, downstream %d)\n",
			words.Count(cut, "task", "tasks"), g.Upstream, g.Downstream)
	}
}
