package frame

import (
	"context"

	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/remedy"
)

// Listening returns a context for a call, and a function to call after it, which stores what it told beside its answer.
// Commands may make several calls at once.
func (f *Factory) Listening(ctx context.Context) (context.Context, func()) {
	ctx, told := core.Listening(ctx)
	return ctx, func() {
		if len(told.News) > 0 {
			f.hearing.Lock()
			defer f.hearing.Unlock()
			f.heard = told
		}
	}
}

// Heard returns what the newest call with news told of what others did with the tasks that the actor holds; nil where none did.
func (f *Factory) Heard() *core.Told {
	f.hearing.Lock()
	defer f.hearing.Unlock()
	return f.heard
}

// sayNews prints what the calls of this command told, below its answer.
func (f *Factory) sayNews() {
	told := f.Heard()
	if told == nil || f.Flags.Quiet {
		return
	}
	f.Out.Spans(term.Bold.Of("News"))
	f.Out.Printf("\n")
	for _, n := range told.News {
		f.Out.Printf("  %s: %s\n", n.Task, n.Text)
	}
	if told.More {
		f.Out.Printf("  older ones: %s\n", f.AsCommand(remedy.Command("events --task "+string(told.News[0].Task))))
	}
}
