package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/admin"
	"tasker/internal/op"
)

// sessionCreateOptions are what the command line gives `tasker session create`.
type sessionCreateOptions struct {
	in   admin.SessionCreateIn
	life frame.LeaseFlag
}

func newSessionCreate(f *frame.Factory) *cobra.Command {
	o := &sessionCreateOptions{}
	cmd := f.Command(frame.Spec{
		Use: "create --actor NAME", Short: op.SessionCreate.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker session create --actor alice",
			"tasker session create --actor claude --ttl 8h --project demo,docs",
			"export TASKER_SESSION=$(tasker session create --actor claude)",
		},
		Long: "The credential is printed once and kept nowhere; the database has its SHA-256. A server whose configuration says\n" +
			"auth.mode session takes it as a bearer token (commands: TASKER_SESSION) and on its sign-in page, and whoever has it\n" +
			"acts as NAME. Only those who can open the database make sessions; through a server nobody does.",
	}, o.run)
	fs := cmd.Flags()
	fs.StringVar(&o.in.Actor, "actor", "", "for whom it is (not who makes it: that is TASKER_ACTOR, or the configuration's)")
	fs.Var(&o.life, "ttl", "how long it is good for; 0 is until it is revoked (default 12h)")
	fs.StringSliceVarP(&o.in.Projects, "project", "p", nil, "the projects that it reaches, with commas between them (default: all of them)")
	fs.BoolVar(&o.in.ReadOnly, "read-only", false, "it reads, and writes nothing")
	_ = cmd.RegisterFlagCompletionFunc("project", f.CompleteProjects)
	return cmd
}

func (o *sessionCreateOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("session create"); err != nil {
		return err
	}
	o.in.LifeMs = o.life.Ms
	out, err := frame.Call(ctx, f, op.SessionCreate, o.in)
	if err != nil {
		return err
	}
	f.Warn(out.Warnings)
	return f.Answer(out, func() {
		until := "does not expire"
		if out.ExpiresAt != 0 {
			until = "expires " + render.Ago(f, out.ExpiresAt) + " (" + out.ExpiresAt.String() + ")"
		}
		f.Notice(fmt.Sprintf("Session %d for %s %s; this is shown once:", out.ID, out.Actor, until))
		f.Out.Printf("%s\n", out.Token)
	})
}
