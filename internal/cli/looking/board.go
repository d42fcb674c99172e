package looking

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/words"
)

// NewBoard returns the command `tasker board`.
func NewBoard(f *frame.Factory) *cobra.Command {
	return projectView(f, frame.Spec{
		Use:     "board",
		Example: []string{"tasker board", "tasker board --watch", "tasker board --limit 5 --json"},
	}, op.Board, showBoard, true)
}

func showBoard(f *frame.Factory, b reading.BoardOut) {
	for i, c := range b.Columns {
		if i > 0 {
			f.Out.Printf("\n")
		}
		f.Out.Spans(render.Status(c.Status), term.Textf("  %s", words.Count(c.Total, "task", "tasks")))
		f.Out.Printf("\n")
		render.Cards(f, c.Tasks)
		if more := c.Total - len(c.Tasks); more > 0 {
			f.Out.Printf("and %d more: %s\n", more, f.AsCommand(remedy.Here("list --status "+string(c.Status))))
		}
	}
}
