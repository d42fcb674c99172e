package workspace

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
	"tasker/internal/workspace/kept"
)

// atServer asks a server about tasks and who acts, for the records that this machine keeps.
type atServer struct {
	f      *frame.Factory
	caller op.Caller
	hear   func(core.News)
}

// records keeps the record of workspaces on this machine. The server notes on their tasks what becomes of them.
func (s atServer) records() *kept.Records {
	return &kept.Records{
		Files: s.f.Kept(), Ask: s.standing,
		Tell: func(format string, args ...any) { s.f.Warn([]string{fmt.Sprintf(format, args...)}) },
		Note: func(ctx context.Context, id task.ID, text string) error {
			_, news, err := op.Note.DoListening(ctx, s.caller, work.NoteIn{Task: string(id), Text: text})
			s.hear(news)
			return err
		},
	}
}

// standing returns a task of the server, and the caller as it counts for it under a fence.
func (s atServer) standing(ctx context.Context, id task.ID, fence *int64) (out workspace.Standing, err error) {
	b, err := op.Show.Do(ctx, s.caller, reading.ShowIn{Task: string(id)})
	if err != nil {
		return out, err
	}
	t := b.Task
	me, err := op.Whoami.Do(ctx, s.caller, reading.WhoamiIn{Project: t.Project})
	if err != nil {
		return out, err
	}
	out = workspace.Standing{
		Task: t, Now: task.TimeOf(s.f.Now()),
		Who: task.Actor{Name: me.Actor, Instance: string(me.Instance), Human: me.Kind == "human", Shell: s.f.UnnamedIn()},
	}
	if t.Claim == nil {
		if fence != nil {
			t.Fence, err = s.newestFence(ctx, id)
		}
		return out, err
	}
	if t.Fence = t.Claim.Fence; t.Claim.ExpiresAt != 0 { // it is live by the server's clock, which counts
		out.Now = min(out.Now, t.Claim.ExpiresAt-1)
	}
	for _, h := range me.Holding {
		if h.Task == t.ID && h.Actor == t.Claim.Actor {
			out.Who.For = h.Actor
		}
	}
	if fence != nil && out.Who.MayActFor(t.Claim) {
		out.Who.For = t.Claim.Actor
	}
	return out, nil
}

// newestFence returns the fence of the last claim on a task that nobody holds; 0 if it never had one.
func (s atServer) newestFence(ctx context.Context, id task.ID) (int64, error) {
	claims, err := op.Events.Do(ctx, s.caller, reading.EventsIn{Task: string(id), Kind: string(task.TaskClaimed), Limit: new(1)})
	if err != nil || len(claims) == 0 {
		return 0, err
	}
	var said struct {
		Fence int64 `json:"fence"`
	}
	err = json.Unmarshal(claims[len(claims)-1].Payload, &said)
	return said.Fence, err
}
