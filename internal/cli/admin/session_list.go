package admin

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

func newSessionList(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "list", Short: op.SessionList.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker session list", "tasker session list --json"},
	}, runSessionList)
}

func runSessionList(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("session list"); err != nil {
		return err
	}
	return frame.Do(ctx, f, op.SessionList, core.None{}, showSessions)
}

func showSessions(f *frame.Factory, all []task.Session) {
	if len(all) == 0 {
		f.Say("There is no session; one is made with: %s\n", f.AsCommand(remedy.NewSession()))
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "ACTOR", Flex: true}, {Head: "REACHES", Flex: true}, {Head: "MADE", Drop: 1}, {Head: "EXPIRES"},
		{Head: "LAST USED"},
	}
	var rows [][]term.Span
	for _, s := range all {
		reaches := "every project"
		if len(s.Projects) > 0 {
			reaches = strings.Join(s.Projects, ", ")
		}
		if s.ReadOnly {
			reaches += ", read-only"
		}
		rows = append(rows, []term.Span{
			term.Textf("%d", s.ID), term.Bold.Of(s.Actor), {Text: reaches}, term.Faint.Of(render.Ago(f, s.CreatedAt)),
			{Text: render.Ago(f, s.ExpiresAt)}, {Text: render.Ago(f, s.LastUsedAt)},
		})
	}
	f.Out.Table(cols, rows)
}
