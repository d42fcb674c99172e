package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/words"
)

// completionOptions are what the command line gives `tasker completion`.
type completionOptions struct {
	shells []string
}

func newCompletion(f *frame.Factory) *cobra.Command {
	o := &completionOptions{shells: []string{"bash", "zsh", "fish", "powershell"}}
	cmd := f.Command(frame.Spec{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or powershell", Args: frame.Exactly("a SHELL"),
		Example: []string{
			"source <(tasker completion bash)",
			`tasker completion zsh > "${fpath[1]}/_tasker"`,
			"tasker completion fish > ~/.config/fish/completions/tasker.fish",
		},
	}, o.run)
	cmd.ValidArgsFunction = cobra.FixedCompletions(o.shells, cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

func (o *completionOptions) run(_ context.Context, f *frame.Factory, args []string) error {
	root := root(f, "")
	switch args[0] {
	case "bash":
		return root.GenBashCompletionV2(f.Out, true)
	case "zsh":
		return root.GenZshCompletion(f.Out)
	case "fish":
		return root.GenFishCompletion(f.Out, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(f.Out)
	}
	return fault.Bad("there is no completion for %q", args[0]).WithHint("one of %s", words.List(o.shells))
}
