package security

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

// untilWord is a stream that ends something when a word comes.
type untilWord struct {
	said bytes.Buffer
	word string
	end  func()
}

func (u *untilWord) Write(p []byte) (int, error) {
	n, err := u.said.Write(p)
	if strings.Contains(u.said.String(), u.word) {
		u.end()
	}
	return n, err
}

// TestServeSaysAsWhomItsPortActs starts the command, and ends it when it has printed everything.
func TestServeSaysAsWhomItsPortActs(t *testing.T) {
	for _, c := range []struct {
		name, file, actor, token string
		last, says, warns        string // the last word on standard output, what it prints there, what it warns about
	}{
		{"a human without a token", openMode, "alice", "", "Try:", "Acting as alice, human, by TASKER_ACTOR\n", "anybody who reaches this port acts as " +
			"alice, a human: approvals and overrides too; set TASKER_TOKEN"},
		{"a human with a token", openMode, "alice", "s3cret", "Try:", "Acting as alice, human, by TASKER_ACTOR\n", "anybody who has the token acts as alice, a human"},
		{"an agent", openMode, "claude", "", "Try:", "Acting as claude, agent, by TASKER_ACTOR\n", ""},
		{"somebody undeclared", openMode, "", "", "Try:", "Acting as root, agent, by the operating system's user\n", ""},
		{"sessions", sessionMode, "alice", "", "Acting", "Acting as the actor that each session was made for; create one with: tasker session create --actor NAME\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := build(t, c.file)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute) // a server that does not say it ends anyway
			defer stop()
			out, problem := &untilWord{word: c.last, end: stop}, &bytes.Buffer{}
			code := cli.Main(frame.Process{
				Args: []string{"serve", "--port", "0"}, Dir: w.dir, Stdin: strings.NewReader(""), Stdout: out, Stderr: problem,
				Env: func(name string) (string, bool) {
					v := map[string]string{"TASKER_DB": w.db, "TASKER_ACTOR": c.actor, "TASKER_TOKEN": c.token}[name]
					return v, v != ""
				},
				Now: time.Now, User: func() string { return "root" }, Host: func() string { return "here" },
				Stop: func(context.Context, time.Duration) (context.Context, context.CancelFunc) { return ctx, stop },
			}, app.CommandLine())
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("the server did not print %q", c.last)
			}
			if code != 0 || !strings.Contains(out.said.String(), c.says) {
				t.Errorf("the server ended with %d and printed %s%s", code, out.said.String(), problem)
			}
			if c.warns == "" && problem.Len() > 0 || !strings.Contains(problem.String(), c.warns) {
				t.Errorf("the warning is %q, want %q", problem, c.warns)
			}
			if c.token != "" && strings.Contains(out.said.String()+problem.String(), c.token) {
				t.Error("the output contains the token")
			}
		})
	}
}
