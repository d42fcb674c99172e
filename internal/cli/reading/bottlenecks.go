package reading

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// NewBottlenecks returns the command `tasker bottlenecks`.
func NewBottlenecks(f *frame.Factory) *cobra.Command {
	return projectView(f, frame.Spec{
		Use: "bottlenecks",
		Long: "HOLDS UP counts the open tasks that wait for a task, through others too, by dependencies and parts. Of a project with\n" +
			"more than 50,000 open tasks the numbers may be half a minute old, and `asOf` says of when; where counting would\n" +
			"take more than some seconds, HOLDS UP is an estimate, and `estimated` says so.",
		Example: []string{"tasker bottlenecks", "tasker bottlenecks --limit 5 --json"},
	}, op.Bottlenecks, func(f *frame.Factory, b reading.BottlenecksOut) {
		if len(b.Items) == 0 {
			f.Say("Nothing in %s waits for anything\n", b.Project)
			return
		}
		if b.AsOf != 0 {
			f.Say("As of %s: the project has changed since\n", b.AsOf)
		}
		if b.Estimated {
			f.Say("The project is too large to count all that waits: HOLDS UP is an estimate\n")
		}
		var rows [][]term.Span
		for _, it := range b.Items {
			rows = append(rows, []term.Span{
				term.Bold.Of(string(it.Task)), render.Status(it.Status), term.Textf("%d", it.Transitive), term.Textf("%d", it.Direct), term.Textf("%d", it.Depth),
				term.Textf("%s", it.Title), term.Textf("%s", it.Holder),
			})
		}
		f.Out.Table([]term.Column{
			{Head: "ID"}, {Head: "STATUS", Drop: 1}, {Head: "HOLDS UP"}, {Head: "DIRECTLY", Drop: 3}, {Head: "DEPTH", Drop: 4},
			{Head: "TITLE", Flex: true}, {Head: "HELD BY", Drop: 2},
		}, rows)
	}, false)
}
