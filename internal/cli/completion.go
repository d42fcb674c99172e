package cli

import (
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// shells are the shells that have a completion script.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or powershell", Args: frame.Exactly("a SHELL"),
		Example: []string{
			"source <(tasker completion bash)",
			`tasker completion zsh > "${fpath[1]}/_tasker"`,
			"tasker completion fish > ~/.config/fish/completions/tasker.fish",
		},
		Complete: frame.Offering(shells),
	}, runCompletion)
}

func runCompletion(_ context.Context, f *frame.Factory, args []string) error {
	return writeCompletion(root(f, ""), f.Out, args[0])
}

// Completion returns the completion script of a shell.
func Completion(shell string) ([]byte, error) {
	f := frame.New(frame.Process{Env: func(string) (string, bool) { return "", false }}, frame.Wiring{})
	var b bytes.Buffer
	err := writeCompletion(root(f, ""), &b, shell)
	return b.Bytes(), err
}

func writeCompletion(root *cobra.Command, w io.Writer, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return fault.Bad("there is no completion for %q", shell).WithHint("one of %s", words.List(shells))
}
