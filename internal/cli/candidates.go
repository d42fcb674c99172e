package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// candidates gives shells the candidates for the value of each flag, by the flag's name: a name means the same in every
// command. A flag that declares its own candidates keeps them.
func candidates(f *frame.Factory, root *cobra.Command) {
	c := f.Completing()
	byName := map[string]cobra.CompletionFunc{
		"dep": c.Tasks, "add-dep": c.Tasks, "rm-dep": c.Tasks, "parent": c.Tasks, "under": c.Tasks,
		"task": c.Tasks, "depends-on": c.Tasks, "dependency-of": c.Tasks,
		"held-by": c.Actors, "prefer": c.Actors, "actor": c.Actors, "for": c.Actors, "to": c.Actors,
		"by": c.Actors, "gate": c.Gates, "kind": c.Evidence, "evidence": c.EvidenceItem,
		"status":   frame.Offering(task.StatusNames()),
		"autonomy": frame.Offering(task.Autonomies),
	}
	for _, cmd := range levels(root) {
		if cmd.Name() == "ack" && cmd.Parent().Name() == "inbox" {
			cmd.ValidArgsFunction = c.Items
		}
		add := func(flag *pflag.Flag) {
			complete := byName[flag.Name]
			if choice, ok := flag.Value.(frame.Choice); ok {
				complete = frame.Offering(choice.Of)
			}
			_, own := cmd.GetFlagCompletionFunc(flag.Name)
			numbered := slices.Contains([]string{"number", "bool"}, flag.Value.Type())
			if complete != nil && !own && !numbered {
				_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete)
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(add)
		cmd.PersistentFlags().VisitAll(add)
	}
}

// levels returns a command and all commands below it, level by level.
func levels(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}
