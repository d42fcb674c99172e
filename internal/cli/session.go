package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newSession() *cobra.Command {
	cmd := f.group("session", "Make credentials for a server in session mode, list and end them",
		"tasker session create --actor claude --ttl 8h --project demo", "tasker session list", "tasker session revoke 42")
	cmd.AddCommand(f.newSessionCreate(), f.newSessionList(), f.newSessionRevoke())
	return cmd
}

func (f *factory) newSessionCreate() *cobra.Command {
	var in core.SessionCreateIn
	var life leaseFlag
	cmd := f.command(spec{
		use: "create --actor NAME", short: op.SessionCreate.Summary, args: between(0, 0),
		example: []string{
			"tasker session create --actor alice",
			"tasker session create --actor claude --ttl 8h --project demo,docs",
			"export TASKER_SESSION=$(tasker session create --actor claude)",
		},
		long: "The credential is printed once and kept nowhere; the database has its SHA-256. A server whose configuration says\nauth.mode session takes it as a bearer token (commands: TASKER_SESSION) and on its sign-in page, and whoever has it\nacts as NAME. Only those who can open the database make sessions; through a server nobody does.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		if err := f.onlyHere("session create"); err != nil {
			return err
		}
		in.LifeMs = life.ms
		out, err := call(ctx, f, op.SessionCreate, in)
		if err != nil {
			return err
		}
		f.warn(out.Warnings)
		return f.answer(out, func() {
			until := "does not expire"
			if out.ExpiresAt != 0 {
				until = "expires " + ago(out.ExpiresAt, f.now()) + " (" + out.ExpiresAt.String() + ")"
			}
			f.notice(txt("Session %d for %s %s; this is shown once:", out.ID, out.Actor, until).text)
			f.out.Printf("%s\n", out.Token)
		})
	})
	fs := cmd.Flags()
	fs.StringVar(&in.Actor, "actor", "", "for whom it is (not who makes it: that is TASKER_ACTOR, or the configuration's)")
	fs.Var(&life, "ttl", "how long it is good for; 0 is until it is revoked (default 12h)")
	fs.StringSliceVarP(&in.Projects, "project", "p", nil, "the projects that it reaches, with commas between them (default: all of them)")
	fs.BoolVar(&in.ReadOnly, "read-only", false, "it reads, and writes nothing")
	_ = cmd.RegisterFlagCompletionFunc("project", f.completeProjects)
	return cmd
}

func (f *factory) newSessionList() *cobra.Command {
	return f.command(spec{use: "list", short: op.SessionList.Summary, args: between(0, 0), example: []string{"tasker session list", "tasker session list --json"}},
		func(ctx context.Context, f *factory, _ []string) error {
			if err := f.onlyHere("session list"); err != nil {
				return err
			}
			return do(ctx, f, op.SessionList, core.None{}, (*factory).showSessions)
		})
}

func (f *factory) showSessions(all []task.Session) {
	if len(all) == 0 {
		f.say("There is no session; one is made with: tasker session create --actor NAME\n")
		return
	}
	cols := []column{{head: "ID"}, {head: "ACTOR", flex: true}, {head: "REACHES", flex: true}, {head: "MADE", drop: 1}, {head: "EXPIRES"}, {head: "LAST USED"}}
	var rows [][]span
	for _, s := range all {
		reaches := "every project"
		if len(s.Projects) > 0 {
			reaches = strings.Join(s.Projects, ", ")
		}
		if s.ReadOnly {
			reaches += ", read-only"
		}
		rows = append(rows, []span{txt("%d", s.ID), {s.Actor, bold}, {text: reaches}, {ago(s.CreatedAt, f.now()), faint}, {text: ago(s.ExpiresAt, f.now())}, {text: ago(s.LastUsedAt, f.now())}})
	}
	f.out.table(cols, rows)
}

func (f *factory) newSessionRevoke() *cobra.Command {
	return f.command(spec{
		use: "revoke ID", short: op.SessionRevoke.Summary, args: exactly("the ID of a session"),
		example: []string{"tasker session revoke 42"},
		long:    "Whatever was opened with it ends: requests from the next one on, and streams that are open within a second.",
	}, func(ctx context.Context, f *factory, args []string) error {
		if err := f.onlyHere("session revoke"); err != nil {
			return err
		}
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id <= 0 {
			return fault.Bad("a session is named by its id, a number").WithHint("tasker session list has them") // what was given may be a credential
		}
		return do(ctx, f, op.SessionRevoke, core.SessionIn{ID: id}, func(f *factory, s task.Session) {
			f.say("Session %d of %s is revoked\n", s.ID, s.Actor)
		})
	})
}
