package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// DBStatus is what db status tells of a database.
type DBStatus struct {
	Database string `json:"database"` // without a password
	Engine   string `json:"engine"`
	Schema   int    `json:"schemaVersion"`
	Latest   int    `json:"latest"` // that this binary knows
}

func (f *factory) newDB() *cobra.Command {
	cmd := f.group("db", "See to the database itself", "tasker db status", "tasker db migrate")
	cmd.AddCommand(f.newDBStatus(), f.newDBMigrate())
	return cmd
}

func (f *factory) newDBStatus() *cobra.Command {
	return f.command(spec{use: "status", short: "Tell which database this is, and its schema version", args: between(0, 0), example: []string{"tasker db status"}},
		func(ctx context.Context, f *factory, _ []string) error {
			if err := f.onlyHere("db status"); err != nil {
				return err
			}
			s, err := f.open(ctx)
			if err != nil {
				return err
			}
			st, err := s.Status(ctx)
			if err != nil {
				return err
			}
			if f.noDatabase() { // read as an empty one of the latest schema, which is not there yet
				st.Schema = 0
			}
			return f.answer(st, func() {
				f.out.Printf("%s (%s)\n", st.Database, st.Engine)
				switch {
				case st.Schema == 0:
					f.out.Printf("There is nothing in it yet: the first write makes it\n")
				case st.Schema < st.Latest:
					f.out.Printf("Schema version %d; this tasker knows %d: tasker db migrate\n", st.Schema, st.Latest)
				case st.Schema > st.Latest:
					f.out.Printf("Schema version %d; this tasker knows only %d: tasker upgrade\n", st.Schema, st.Latest)
				default:
					f.out.Printf("Schema version %d, the latest\n", st.Schema)
				}
			})
		})
}

func (f *factory) newDBMigrate() *cobra.Command {
	type migrated struct {
		From int `json:"from"`
		To   int `json:"to"`
	}
	return f.command(spec{
		use: "migrate", short: "Bring the database to the schema of this binary", args: between(0, 0), example: []string{"tasker db migrate"},
		long: "SQLite migrates by itself, after a backup beside the file; PostgreSQL only by this, or when it is empty.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		if err := f.onlyHere("db migrate"); err != nil {
			return err
		}
		s, err := f.open(ctx)
		if err != nil {
			return err
		}
		from, to, err := s.Migrate(ctx)
		if err != nil {
			return err
		}
		return f.answer(migrated{from, to}, func() {
			if from == to {
				f.say("Schema version %d already, the latest\n", to)
				return
			}
			f.say("Brought from schema version %d to %d\n", from, to)
		})
	})
}
