package op

import (
	"context"
	"slices"

	"tasker/internal/core/reading"
	"tasker/internal/op/wire"
	"tasker/internal/prime"
)

// manual are the operations that the manual lists, in the order in which an agent meets them.
var manual = []string{
	"next", "show", "claim", "check", "note", "evidence", "ask", "decide", "move", "release", "explain",
	"ready", "list", "search", "events", "apply", "create", "edit", "whoami",
}

// primed writes the manual from the table and the project's state.
func primed(s *reading.Service, ctx context.Context, in reading.PrimeIn) (wire.Text, error) {
	state, err := s.Primed(ctx, in)
	if err != nil {
		return "", err
	}
	var text string
	if in.Short {
		text, err = prime.Short(state)
	} else {
		text, err = prime.Manual(state, ManualCommands())
	}
	return wire.Text(text), err
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
