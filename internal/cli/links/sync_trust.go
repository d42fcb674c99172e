package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
)

// trustOut is a host that credentials may go to, or no longer.
type trustOut struct {
	Host    string `json:"host"`
	Trusted bool   `json:"trusted"`
	Changed bool   `json:"changed"`
}

func newTrust(f *frame.Factory) *cobra.Command {
	var remove bool
	cmd := f.Command(frame.Spec{
		Use: "trust HOST", Short: "Let credentials go to a host that only a configuration file names", Args: frame.Exactly("a HOST"),
		Example: []string{"tasker sync trust jira.example.com", "tasker sync trust jira.example.com --remove"},
		Long: "Credentials of the tracker, the code host, Vault and AWS go to sites that the environment names (TASKER_TRACKER_URL,\n" +
			"TASKER_CODE_HOST_URL, VAULT_ADDR, AWS_ENDPOINT_URL) and to the vendors' own hosts. Any other host, such as the baseUrl of a\n" +
			"repository's file, is confirmed by a person, once on each machine. HOST has its port where that is not the usual one.",
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		if err := mayTrust(ctx, f); err != nil {
			return err
		}
		host, changed, err := f.Wiring.Confirm(args[0], remove)
		if err != nil {
			return err
		}
		return f.Answer(trustOut{host, !remove, changed}, func() {
			if remove {
				f.Say("Credentials no longer go to %s because it was confirmed\n", host)
				return
			}
			f.Say("Credentials may go to %s from this machine\n", host)
		})
	})
	cmd.Flags().BoolVar(&remove, "remove", false, "take it back")
	return cmd
}

// mayTrust refuses everybody who is no person. Where no human is declared, the user of the operating system is one, unless this
// is the shell of an agent.
func mayTrust(ctx context.Context, f *frame.Factory) error {
	ctx, _, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	who := core.CallerOf(ctx)
	if who.Actor.Person() {
		return nil
	}
	loaded, err := f.Configuration()
	if err != nil {
		return err
	}
	eff, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return err
	}
	if who.Assumed && who.Via.Agent == "" && !who.Actor.Declared && !eff.DeclaresHuman() {
		return nil
	}
	return fault.Decline("which hosts credentials go to is for a human to decide").
		WithHint("%s", who.Actor.AskPerson("have a human confirm the host, at a terminal of theirs"))
}
