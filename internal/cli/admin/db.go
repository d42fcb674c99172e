package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
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

// acceptOptions holds the options of `tasker db accept`.
type acceptOptions struct{ yes bool }

func newDBAccept(f *frame.Factory) *cobra.Command {
	o := &acceptOptions{}
	return f.Command(frame.Spec{
		Use: "accept", Here: "db accept", Short: "Go on with a database that lost events, or that was copied", Args: frame.Between(0, 0),
		Example: []string{"tasker db accept", "tasker db accept --yes --json"},
		Long: "A log that was rewound (a failover to a standby that lacked the last writes, an older file put back) stops every command\n" +
			"and server: doctor and /readyz say which events are gone. Where what was there cannot be put back, a person goes on\n" +
			"without them. That begins a new generation: every claim and session ends, every fence grows by 1,000,000, and the\n" +
			"ids of events go on far past the lost ones, with a database.restored that names them. Running servers notice it\n" +
			"and start over.\n\n" +
			"An SQLite file that was copied alone while a server had it open may lack what was written last: doctor, the log and\n" +
			"/readyz of a server on it say so until this is run. That changes no record.",
		Flags: []frame.Flag{frame.Bool(&o.yes, "yes", "where events are lost: do not ask")},
	}, o.run)
}

// accepted is the answer of db accept. Of a copy, it only says that it counts as complete.
type accepted struct {
	Accepted   bool        `json:"accepted"`
	Generation *int64      `json:"generation"`
	Lost       *admin.Lost `json:"lost"`
	FirstEvent *int64      `json:"firstEvent"`
}

func (o *acceptOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	return onDatabase(ctx, f, func(s *frame.Session) (out accepted, err error) {
		lost, err := s.Lost(ctx)
		if err != nil {
			return out, err
		}
		if lost != nil {
			if err := o.agreed(f, lost); err != nil {
				return out, err
			}
		}
		got, err := s.Accept(ctx)
		if out = (accepted{Accepted: true, Lost: got.Lost}); got.Lost != nil {
			out.Generation, out.FirstEvent = &got.Generation, &got.FirstEvent
		}
		return out, err
	}, func(out accepted) {
		if out.Lost == nil {
			f.Say("Accepted: the database counts as complete\n")
			return
		}
		f.Say("Accepted: events %d to %d are lost, and the log goes on with event %d. All claims and sessions have ended\n",
			out.Lost.From, out.Lost.To, *out.FirstEvent)
	})
}

// agreed asks whether to go on without some events.
func (o *acceptOptions) agreed(f *frame.Factory, lost *admin.Lost) error {
	if o.yes {
		return nil
	}
	answer, asked := frame.Prompt(f, fmt.Sprintf("Go on without the events %d to %d, and end every claim and session? [y/N]", lost.From, lost.To))
	switch {
	case !asked:
		return fault.Decline("events %d to %d are gone, and going on without them cannot be taken back", lost.From, lost.To).
			WithHint("if a person has decided that: %s", hint.Command("db accept --yes"))
	case !frame.Yes(answer):
		return fault.Decline("nothing was changed")
	}
	return nil
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
