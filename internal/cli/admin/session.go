package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// NewSession returns the command `tasker session`.
func NewSession(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "session", Short: "Create, list and end credentials for a server in session mode",
		Example:  []string{"tasker session create --actor claude --ttl 8h --project demo", "tasker session list", "tasker session revoke 42"},
		Commands: []*cobra.Command{newSessionCreate(f), newSessionList(f), newSessionRevoke(f)},
	})
}

// sessionCreateOptions holds the options of `tasker session create`.
type sessionCreateOptions struct {
	in admin.SessionCreateIn
}

func newSessionCreate(f *frame.Factory) *cobra.Command {
	o := &sessionCreateOptions{}
	cmd := f.Command(frame.Spec{
		Use: "create --actor NAME", Here: "session create", Short: op.SessionCreate.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker session create --actor alice",
			"tasker session create --actor claude --ttl 8h --project demo,docs",
			"export TASKER_SESSION=$(tasker session create --actor claude)",
		},
		Long: "The credential is printed once and not stored; the database has its SHA-256. A server whose configuration says\n" +
			"auth.mode session takes it as a bearer token (commands: TASKER_SESSION) and on its sign-in page, and anybody who has it\n" +
			"acts as NAME. Only a command that opens the database can create sessions; a server cannot.",
		Flags: []frame.Flag{
			frame.String(&o.in.Actor, "actor", "the actor it is for (not the one who makes it: that is TASKER_ACTOR, or the configuration's)"),
			frame.Lease(&o.in.LifeMs, "ttl", "how long it is good for; 0 is until it is revoked (default 12h)"),
			frame.Bool(&o.in.ReadOnly, "read-only", "it can only read"),
			func(fs *pflag.FlagSet) {
				fs.StringSliceVarP(&o.in.Projects, "project", "p", nil, "the projects that it reaches, separated by commas (default: all of them)")
			},
		},
	}, o.run)
	_ = cmd.RegisterFlagCompletionFunc("project", f.CompleteProjects)
	return cmd
}

func (o *sessionCreateOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	return frame.Do(ctx, f, op.SessionCreate, o.in, func(f *frame.Factory, out admin.SessionCreated) {
		f.Warn(out.Warnings)
		until := words.Either(out.ExpiresAt == 0, "does not expire", "expires "+render.Ago(f, out.ExpiresAt)+" ("+out.ExpiresAt.String()+")")
		f.Notice(fmt.Sprintf("Session %d for %s %s; this is shown once:", out.ID, out.Actor, until))
		f.Out.Printf("%s\n", out.Token)
	})
}

func newSessionList(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "list", Here: "session list", Args: frame.Between(0, 0),
		Example: []string{"tasker session list", "tasker session list --json"},
	}, op.SessionList, frame.Nothing, showSessions)
}

func showSessions(f *frame.Factory, all []task.Session) {
	if len(all) == 0 {
		f.Say("There are no sessions; create one with: %s\n", f.AsCommand(hint.NewSession()))
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "ACTOR", Flex: true}, {Head: "REACHES", Flex: true}, {Head: "MADE", Drop: 1}, {Head: "EXPIRES"},
		{Head: "LAST USED"},
	}
	f.Out.Table(cols, term.Rows(all, func(s task.Session) []term.Span {
		reaches := cmp.Or(strings.Join(s.Projects, ", "), "every project") + words.When(s.ReadOnly, ", read-only")
		return []term.Span{
			term.Textf("%d", s.ID), term.Bold.Of(s.Actor), {Text: reaches}, term.Faint.Of(render.Ago(f, s.CreatedAt)),
			{Text: render.Ago(f, s.ExpiresAt)}, {Text: render.Ago(f, s.LastUsedAt)},
		}
	}))
}

func newSessionRevoke(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "revoke ID", Here: "session revoke", Args: frame.Exactly("the ID of a session"),
		Example: []string{"tasker session revoke 42"},
		Long:    "Requests with it are refused from the next one on, and open streams end within a second.",
	}, op.SessionRevoke, func(a *frame.Args, args []string) admin.SessionIn {
		// The refusal does not echo the argument: it may be a credential.
		return admin.SessionIn{ID: a.Number(args[0], fault.Bad("a session is named by its id, a number").WithHint("%s lists them", hint.Sessions()))}
	}, func(f *frame.Factory, s task.Session) {
		f.Say("Session %d of %s is revoked\n", s.ID, s.Actor)
	})
}
