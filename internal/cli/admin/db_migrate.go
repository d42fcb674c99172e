package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// dbMigration is what db migrate answers: the versions of the schema before and after.
type dbMigration struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func newDBMigrate(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "migrate", Short: "Bring the database to the schema of this binary", Args: frame.Between(0, 0), Example: []string{"tasker db migrate"},
		Long: "SQLite migrates by itself, after a backup beside the file; PostgreSQL only by this, or when it is empty.",
	}, runDBMigrate)
}

func runDBMigrate(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("db migrate"); err != nil {
		return err
	}
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	from, to, err := s.Migrate(ctx)
	if err != nil {
		return err
	}
	return f.Answer(dbMigration{from, to}, func() {
		if from == to {
			f.Say("Schema version %d already, the latest\n", to)
			return
		}
		f.Say("Brought from schema version %d to %d\n", from, to)
	})
}
