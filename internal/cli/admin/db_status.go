package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/remedy"
)

func newDBStatus(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "status", Short: "Tell which database this is, and its schema version", Args: frame.Between(0, 0),
		Example: []string{"tasker db status"},
	}, runDBStatus)
}

func runDBStatus(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("db status"); err != nil {
		return err
	}
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	st, err := s.Status(ctx)
	if err != nil {
		return err
	}
	return f.Answer(st, func() {
		f.Out.Printf("%s (%s)\n", st.Database, st.Engine)
		switch {
		case st.Schema == 0:
			f.Out.Printf("There is nothing in it yet: the first write makes it\n")
		case st.Schema < st.Latest:
			f.Out.Printf("Schema version %d; this tasker knows %d: %s\n", st.Schema, st.Latest, f.AsCommand(remedy.Command("db migrate")))
		case st.Schema > st.Latest:
			f.Out.Printf("Schema version %d; this tasker knows only %d: %s\n", st.Schema, st.Latest, f.AsCommand(remedy.Command("upgrade")))
		default:
			f.Out.Printf("Schema version %d, the latest\n", st.Schema)
		}
	})
}
