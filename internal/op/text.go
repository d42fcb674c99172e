package op

import (
	"context"
	"reflect"
	"slices"

	"tasker/internal/core"
	"tasker/internal/prime"
	"tasker/internal/view"
)

// Text is the answer of an operation that answers no JSON: its route answers it as text/plain.
type Text string

// Plain tells whether the operation answers text.
func (o *Op) Plain() bool { return o.Out == reflect.TypeFor[Text]() }

// manual are the operations that the manual lists, in the order in which an agent meets them.
var manual = []string{
	"next", "show", "claim", "check", "note", "evidence", "ask", "decide", "move", "release", "explain",
	"ready", "list", "search", "events", "apply", "create", "edit", "whoami",
}

// primed writes the manual from the table and the project's state.
func primed(s *core.Services, ctx context.Context, in view.PrimeIn) (Text, error) {
	state, err := view.Primed(s, ctx, in)
	if err != nil {
		return "", err
	}
	var text string
	if in.Short {
		text, err = prime.Short(state)
	} else {
		text, err = prime.Manual(state, ManualCommands())
	}
	return Text(text), err
}

// ManualCommands are the commands of the manual, in its order: those of them that there are.
func ManualCommands() []prime.Command {
	var out []prime.Command
	for _, name := range manual {
		if i := slices.IndexFunc(Table, func(o *Op) bool { return o.Name == name }); i >= 0 {
			out = append(out, prime.Command{Use: Table[i].Command, Summary: Table[i].Summary})
		}
	}
	return out
}
