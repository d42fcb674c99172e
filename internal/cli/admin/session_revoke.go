package admin

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

func newSessionRevoke(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "revoke ID", Short: op.SessionRevoke.Summary, Args: frame.Exactly("the ID of a session"),
		Example: []string{"tasker session revoke 42"},
		Long:    "Whatever was opened with it ends: requests from the next one on, and streams that are open within a second.",
	}, runSessionRevoke)
}

func runSessionRevoke(ctx context.Context, f *frame.Factory, args []string) error {
	if err := f.OnlyHere("session revoke"); err != nil {
		return err
	}
	id, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || id <= 0 {
		return fault.Bad("a session is named by its id, a number").WithHint("%s has them", remedy.Sessions()) // what was given may be a credential
	}
	return frame.Do(ctx, f, op.SessionRevoke, admin.SessionIn{ID: id}, func(f *frame.Factory, s task.Session) {
		f.Say("Session %d of %s is revoked\n", s.ID, s.Actor)
	})
}
