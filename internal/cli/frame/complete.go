package frame

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// completionTime is how long a shell waits for candidates.
const completionTime = 2 * time.Second

// completeTasks offers the tasks of the project by id, with their titles.
func (f *Factory) completeTasks(many bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := f.completing(cmd)
		defer cancel()
		project, err := f.OneProject(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		limit := 200
		out, err := Call(ctx, f, op.List, reading.ListIn{Project: project, Q: typed, Limit: &limit})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offers []string
		for _, t := range out.Tasks {
			offers = append(offers, string(t.ID)+"\t"+term.Inert(t.Title, false))
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// CompleteProjects offers the projects.
func (f *Factory) CompleteProjects(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := f.completing(cmd)
	defer cancel()
	all, err := Call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	for _, p := range all {
		offers = append(offers, p.Slug+"\t"+term.Inert(string(p.Name), false))
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completing bounds the time, and silences notices: they would disturb the line that a person is typing.
func (f *Factory) completing(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	f.Flags.JSON = true
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, completionTime)
}

// Candidates returns a list of words as candidates of a completion.
func Candidates[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = string(a)
	}
	return out
}
