package frame

import (
	"context"
	"sync"

	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/fault/hint"
)

// News is what the calls of a command told beside their answers: what others did with the tasks that the actor holds.
type News struct {
	mu    sync.Mutex
	heard *core.Told // of the newest call that told any
}

// Listening returns a context for a call, and a function to call after it, which stores what it told. Commands may make
// several calls at once.
func (n *News) Listening(ctx context.Context) (context.Context, func()) {
	ctx, told := core.Listening(ctx)
	return ctx, func() {
		if len(told.News) > 0 {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.heard = told
		}
	}
}

// Heard returns what the newest call with news told; nil where none did.
func (n *News) Heard() *core.Told {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard
}

// Drop leaves out what the answer of the command says itself.
func (n *News) Drop(says func(text string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.heard == nil {
		return
	}
	left := &core.Told{More: n.heard.More}
	for _, item := range n.heard.News {
		if !says(item.Text) {
			left.News = append(left.News, item)
		}
	}
	if n.heard = left; len(left.News) == 0 {
		n.heard = nil
	}
}

// say prints the news of a command below its answer.
func (n *News) say(f *Factory) {
	told := n.Heard()
	if told == nil || f.Flags.Quiet {
		return
	}
	f.Out.Line(term.Bold.Of("News"))
	for _, item := range told.News {
		f.Out.Printf("  %s: %s\n", item.Task, item.Text)
	}
	if told.More {
		f.Out.Printf("  older ones: %s\n", f.AsCommand(hint.Command("events --task "+string(told.News[0].Task))))
	}
}
