package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

func newDBVacuum(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "vacuum", Short: "Give the room back that removed records had", Args: frame.Between(0, 0), Example: []string{"tasker db vacuum"},
		Long: "SQLite writes the file anew, for which it needs as much room again; other writers wait meanwhile.",
	}, runDBVacuum)
}

func runDBVacuum(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("db vacuum"); err != nil {
		return err
	}
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	if !f.NoDatabase() {
		err = s.Vacuum(ctx)
	}
	if err != nil {
		return err
	}
	return f.Answer(struct {
		Vacuumed bool `json:"vacuumed"`
	}{true}, func() { f.Say("The room of removed records is given back\n") })
}
