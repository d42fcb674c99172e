package frame

import (
	"slices"
	"sync"

	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/event/news"
	"tasker/internal/hint"
)

// News collects what arrives along with the answers to a command's calls: what others did with the tasks that the actor
// holds.
type News struct {
	mu    sync.Mutex
	heard core.News // from the newest call that had news
}

// Keep keeps the news of a call, if it had any, and that an answer was incomplete. Commands may make several calls at once.
func (n *News) Keep(heard core.News) {
	if heard.None() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if heard.Warning == "" {
		heard.Warning = n.heard.Warning
	}
	if len(heard.Items) == 0 {
		heard.Items, heard.More = n.heard.Items, n.heard.More
	}
	n.heard = heard
}

// Heard returns the news of the newest call that had any, with the newest warning.
func (n *News) Heard() core.News {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard
}

// Drop removes the news that the command's own answer already says.
func (n *News) Drop(says func(text string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard.Items = slices.DeleteFunc(slices.Clone(n.heard.Items), func(item news.Item) bool { return says(item.Text) })
}

// say prints the news below the command's answer.
func (n *News) say(f *Factory) {
	heard := n.Heard()
	if heard.Warning != "" {
		f.Warn([]string{heard.Warning})
	}
	if len(heard.Items) == 0 || f.Flags.Quiet {
		return
	}
	f.Out.Line(term.Bold.Of("News"))
	for _, item := range heard.Items {
		f.Out.Printf("  %s: %s\n", item.Task, item.Text)
	}
	if heard.More {
		f.Out.Printf("  older ones: %s\n", f.AsCommand(hint.Command("events --task "+string(heard.Items[0].Task))))
	}
}
