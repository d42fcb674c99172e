package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

func newDBAccept(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "accept", Short: "Say that nothing is missing in a database that was copied", Args: frame.Between(0, 0),
		Example: []string{"tasker db accept"},
		Long: "An SQLite file that was copied alone while a server had it open lacks what was written last: doctor, the log and /readyz\n" +
			"of a server on it say so until this is run. It changes no record.",
	}, runDBAccept)
}

func runDBAccept(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("db accept"); err != nil {
		return err
	}
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	if err := s.Accept(ctx); err != nil {
		return err
	}
	return f.Answer(struct {
		Accepted bool `json:"accepted"`
	}{true}, func() { f.Say("Accepted: the database counts as whole\n") })
}
