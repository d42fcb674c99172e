package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault/hint"
)

// NewDB returns the command `tasker db`.
func NewDB(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "db", Short: "Look after the database itself",
		Example:  []string{"tasker db status", "tasker db migrate"},
		Commands: []*cobra.Command{newDBStatus(f), newDBMigrate(f), newDBAccept(f), newDBVacuum(f)},
	})
}

// onDatabase does something with the local database that is not an operation, and prints the result.
func onDatabase[Out any](ctx context.Context, f *frame.Factory, do func(*frame.Session) (Out, error), show func(Out)) error {
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	out, err := do(s)
	return f.Answered(err, out, func() { show(out) })
}

func newDBStatus(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "status", Here: "db status", Short: "Show which database this is, and its schema version", Args: frame.Between(0, 0),
		Example: []string{"tasker db status"},
	}, runDBStatus)
}

func runDBStatus(ctx context.Context, f *frame.Factory, _ []string) error {
	return onDatabase(ctx, f, func(s *frame.Session) (frame.DBStatus, error) { return s.Status(ctx) }, func(st frame.DBStatus) {
		f.Out.Printf("%s (%s)\n", st.Database, st.Engine)
		switch {
		case st.Schema == 0:
			f.Out.Printf("There is nothing in it yet: the first write creates it\n")
		case st.Schema < st.Latest:
			f.Out.Printf("Schema version %d; this tasker knows %d: %s\n", st.Schema, st.Latest, f.AsCommand(hint.Command("db migrate")))
		case st.Schema > st.Latest:
			f.Out.Printf("Schema version %d; this tasker knows only %d: %s\n", st.Schema, st.Latest, f.AsCommand(hint.Command("upgrade")))
		default:
			f.Out.Printf("Schema version %d, the latest\n", st.Schema)
		}
	})
}

// dbMigration is the answer of db migrate: the schema versions before and after.
type dbMigration struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func newDBMigrate(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "migrate", Here: "db migrate", Short: "Bring the database to the schema of this binary", Args: frame.Between(0, 0),
		Example: []string{"tasker db migrate"},
		Long:    "SQLite migrates by itself, after a backup next to the file; PostgreSQL migrates only with this command, or when it is empty.",
	}, runDBMigrate)
}

func runDBMigrate(ctx context.Context, f *frame.Factory, _ []string) error {
	return onDatabase(ctx, f, func(s *frame.Session) (m dbMigration, err error) {
		m.From, m.To, err = s.Migrate(ctx)
		return m, err
	}, func(m dbMigration) {
		if m.From == m.To {
			f.Say("Schema version %d already, the latest\n", m.To)
			return
		}
		f.Say("Brought from schema version %d to %d\n", m.From, m.To)
	})
}

func newDBAccept(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "accept", Here: "db accept", Short: "Confirm that a copied database is complete", Args: frame.Between(0, 0),
		Example: []string{"tasker db accept"},
		Long: "An SQLite file that was copied alone while a server had it open lacks what was written last: doctor, the log and /readyz\n" +
			"of a server on it say so until this is run. It changes no record.",
	}, runDBAccept)
}

func runDBAccept(ctx context.Context, f *frame.Factory, _ []string) error {
	type accepted struct {
		Accepted bool `json:"accepted"`
	}
	return onDatabase(ctx, f, func(s *frame.Session) (accepted, error) { return accepted{true}, s.Accept(ctx) }, func(accepted) {
		f.Say("Accepted: the database counts as complete\n")
	})
}

func newDBVacuum(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "vacuum", Here: "db vacuum", Short: "Free the space of removed records", Args: frame.Between(0, 0),
		Example: []string{"tasker db vacuum"},
		Long:    "SQLite rewrites the file, which needs as much free space again; other writers wait meanwhile.",
	}, runDBVacuum)
}

func runDBVacuum(ctx context.Context, f *frame.Factory, _ []string) error {
	type vacuumed struct {
		Vacuumed bool `json:"vacuumed"`
	}
	return onDatabase(ctx, f, func(s *frame.Session) (vacuumed, error) {
		if f.NoDatabase() {
			return vacuumed{true}, nil
		}
		return vacuumed{true}, s.Vacuum(ctx)
	}, func(vacuumed) { f.Say("The space of removed records is free again\n") })
}
