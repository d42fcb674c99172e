package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
)

func (f *factory) newVersion() *cobra.Command {
	return f.command(spec{use: "version", short: op.Version.Summary, args: between(0, 0), example: []string{"tasker version", "tasker version --json"}},
		func(ctx context.Context, f *factory, _ []string) error {
			return do(ctx, f, op.Version, core.None{}, func(f *factory, v core.VersionOut) {
				f.out.Printf("tasker %s (schema %d, configuration format %d)\n", v.Version, v.SchemaVersion, v.ConfigVersion)
			})
		})
}

func (f *factory) newUpgrade() *cobra.Command {
	type how struct {
		Version string   `json:"version"`
		Program string   `json:"program"`
		Steps   []string `json:"steps"`
	}
	return f.command(spec{
		use: "upgrade", short: "Print how this binary is upgraded", args: between(0, 0), example: []string{"tasker upgrade"},
		long: "It prints the steps and does nothing itself.",
	}, func(_ context.Context, f *factory, _ []string) error {
		h := how{f.w.Version, f.p.Program, []string{"git pull", "make install"}}
		return f.answer(h, func() {
			f.out.Printf("This is tasker %s, at %s. To upgrade it, in the checkout that it was built from:\n", h.Version, h.Program)
			for _, s := range h.Steps {
				f.out.Printf("  %s\n", s)
			}
			f.out.Printf("A SQLite database moves to the newer schema at the next command, after a backup beside it; for PostgreSQL run tasker db migrate.\n")
		})
	})
}

func (f *factory) newCompletion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	cmd := f.command(spec{
		use: "completion SHELL", short: "Print a completion script for bash, zsh, fish or powershell", args: exactly("a SHELL"),
		example: []string{"source <(tasker completion bash)", `tasker completion zsh > "${fpath[1]}/_tasker"`, "tasker completion fish > ~/.config/fish/completions/tasker.fish"},
	}, func(_ context.Context, f *factory, args []string) error {
		root := f.root("")
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(f.out, true)
		case "zsh":
			return root.GenZshCompletion(f.out)
		case "fish":
			return root.GenFishCompletion(f.out, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(f.out)
		}
		return fault.Bad("there is no completion for %q", args[0]).WithHint("one of %s", list(shells))
	})
	cmd.ValidArgsFunction = cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp)
	return cmd
}
