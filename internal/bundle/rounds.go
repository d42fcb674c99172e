package bundle

import (
	"github.com/go-json-experiment/json"

	"tasker/internal/task"
)

// Round is one time that a task was sent back: from review, or after it was closed.
type Round struct {
	At   task.Time   `json:"at"`
	By   string      `json:"by"`
	From task.Status `json:"from"`
	Why  task.Opt    `json:"why"` // the note that came with it; null if there was none
}

// Rounds returns how often a task was sent back, and why, from its events, oldest first. The reason is
// the last note that its sender wrote after the task was handed over.
func Rounds(events []task.Event) []Round {
	out := []Round{}
	notes := map[string]string{} // the last of each actor since then
	for _, e := range events {
		var said payload
		if json.Unmarshal(e.Payload, &said) != nil {
			continue // a kind that does not matter here
		}
		switch {
		case e.Kind == task.NoteAdded:
			notes[e.Actor] = said.Text
		case e.Kind != task.TaskMoved:
		case said.To == task.InReview || said.To.Closed():
			clear(notes)
		case said.From == task.InReview || said.From.Closed():
			out = append(out, Round{At: e.At, By: e.Actor, From: said.From, Why: task.Opt(notes[e.Actor])})
		}
	}
	return out
}
