package workspace

import (
	"context"
	"strconv"
	"strings"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/places"
	"tasker/internal/op"

	"github.com/spf13/cobra"
)

func newList(f *frame.Factory) *cobra.Command {
	var all bool
	cmd := f.Command(frame.Spec{
		Use: "list", Short: op.WorkspaceList.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker workspace list", "tasker workspace list --all --json   # of other machines too"},
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		ctx, m, err := Manager(ctx, f)
		if err != nil {
			return err
		}
		in := places.ListIn{Host: m.Host}
		if all {
			in.Host = ""
		}
		return frame.Do(ctx, f, op.WorkspaceList, in, func(f *frame.Factory, list []places.View) {
			if len(list) == 0 {
				f.Say("No task has a workspace here\n")
				return
			}
			var rows [][]term.Span
			for _, v := range list {
				rows = append(rows, []term.Span{
					{Text: string(v.Task)}, {Text: string(v.State)}, {Text: string(v.Branch)}, {Text: numbers(v.Ports)}, {Text: v.Path}, term.Faint.Of(holder(v)),
				})
			}
			f.Out.Table([]term.Column{{Head: "TASK"}, {Head: "STATE"}, {Head: "BRANCH"}, {Head: "PORTS"}, {Head: "PATH", Flex: true}, {Head: "HOLDER"}}, rows)
		})
	})
	cmd.Flags().BoolVar(&all, "all", false, "also those of other machines")
	return cmd
}

func holder(v places.View) string {
	if v.Claim == nil {
		return "nobody"
	}
	return v.Claim.Actor
}

func numbers(ports []int) string {
	var out []string
	for _, p := range ports {
		out = append(out, strconv.Itoa(p))
	}
	return strings.Join(out, " ")
}
