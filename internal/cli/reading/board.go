package reading

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// NewBoard returns the command `tasker board`.
func NewBoard(f *frame.Factory) *cobra.Command {
	var limit *int
	var at *int64
	return projectView(f, frame.Spec{
		Use:     "board",
		Example: []string{"tasker board", "tasker board --watch", "tasker board --at 1200", "tasker board --limit 5 --json"},
		Long:    "Side by side where the terminal is wide enough, one below the other elsewhere.",
		Flags: []frame.Flag{
			frame.At(&at),
			wholeOf(&limit),
		},
	}, op.Board, func(f *frame.Factory, slug string) reading.BoardIn {
		return reading.BoardIn{Slug: slug, Limit: screenful(f, limit), At: at}
	}, showBoard)
}

// narrowest is the least width of a board's column that still has others next to it.
const narrowest = 26

func showBoard(f *frame.Factory, b reading.BoardOut) {
	render.Was(f, b.At)
	shown := slices.DeleteFunc(slices.Clone(b.Columns), func(c reading.Column) bool { return c.Total == 0 })
	if len(shown) == 0 {
		f.Say("There are no tasks in %s yet\n", b.Project)
		return
	}
	if wide := (f.Out.Width + len(term.Gap)) / len(shown); f.Out.Width > 0 && len(shown) > 1 && wide-len(term.Gap) >= narrowest {
		sideBySide(f, shown, b.ForPeople, wide-len(term.Gap))
		return
	}
	for i, c := range shown {
		if i > 0 {
			f.Out.Printf("\n")
		}
		f.Out.Line(render.Status(c.Status), term.Textf("  %s", words.Count(c.Total, "task", "tasks")))
		render.Cards(f, c.Tasks, b.ForPeople)
		if more := c.Total - len(c.Tasks); more > 0 {
			f.Out.Printf("and %d more: %s\n", more, f.AsCommand(hint.Here("list --status "+string(c.Status))))
		}
	}
}

// sideBySide prints the columns of a board side by side, each wide cells wide.
func sideBySide(f *frame.Factory, columns []reading.Column, forPeople []task.ID, wide int) {
	longest := 0
	for _, c := range columns {
		longest = max(longest, len(c.Tasks))
	}
	paint := func(cell func(c reading.Column) term.Span) {
		gap := 0 // spaces are written only when text follows them
		for _, c := range columns {
			s := cell(c)
			if s.Text != "" {
				f.Out.Spans(term.Textf("%s", strings.Repeat(" ", gap)), s)
				gap = 0
			}
			gap += wide - term.Columns(term.Inert(s.Text, false)) + len(term.Gap)
		}
		f.Out.Printf("\n")
	}
	paint(func(c reading.Column) term.Span {
		s := render.Status(c.Status)
		s.Text = term.Cut(s.Text+"  "+words.Count(c.Total, "task", "tasks"), wide)
		return s
	})
	for row := range longest {
		paint(func(c reading.Column) term.Span {
			if row >= len(c.Tasks) {
				return term.Span{}
			}
			return render.Line(f, &c.Tasks[row], slices.Contains(forPeople, c.Tasks[row].ID), wide)
		})
	}
	for _, c := range columns {
		if more := c.Total - len(c.Tasks); more > 0 {
			f.Out.Printf("%d more %s: %s\n", more, render.StatusWord(c.Status), f.AsCommand(hint.Here("list --status "+string(c.Status))))
		}
	}
}
