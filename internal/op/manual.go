package op

import (
	"context"

	"tasker/internal/op/wire"
	"tasker/internal/views/prime"
	"tasker/internal/views/reading"
)

// primed writes the manual from the table and the project's state.
func primed(ctx context.Context, s *reading.Service, in reading.PrimeIn) (wire.Text, error) {
	state, err := s.Primed(ctx, in)
	if err != nil {
		return "", err
	}
	if in.Short {
		return wire.Text(prime.Short(state)), nil
	}
	return wire.Text(prime.Manual(state, ManualCalls(state.Face))), nil
}

// ManualCalls returns the calls that the manual lists, in the order in which an agent needs them.
func ManualCalls(face prime.Face) []prime.Command {
	var out []prime.Command
	for _, o := range []*Op{
		Next.Op, Show.Op, Claim.Op, Tick.Op, Note.Op, Evidence.Op, Ask.Op, Decide.Op, Move.Op, Release.Op, Explain.Op,
		Ready.Op, List.Op, Search.Op, Events.Op, Apply.Op, Create.Op, Edit.Op, Whoami.Op,
	} {
		use, summary := o.Command, o.Summary
		switch face {
		case prime.Tools:
			if use = o.Tool.Name; o.Tool.Step == 0 {
				continue // it is not offered
			}
		case prime.HTTP:
			use = o.Method + " /v1" + o.Path
		case prime.Shell:
			if o == Tick.Op { // two commands
				out = append(out, prime.Command{Use: use, Summary: "Tick acceptance criteria of a task"})
				use, summary = "uncheck ID N…", "Untick them"
			}
		}
		out = append(out, prime.Command{Use: use, Summary: summary})
	}
	return out
}
