package channel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task/delivery"
)

// afterwards is how long we wait for a command after telling it to stop. What takes longer ends by itself.
const afterwards = 300 * time.Millisecond

const tooLong = "its command did not end in time and was stopped"

// exec runs a command in the shell, with the message on its standard input. It discards the command's output, which may
// hold credentials and which nobody would read.
func (s Sender) exec(ctx context.Context, target string, m delivery.Message) delivery.Outcome {
	type end struct {
		code int
		err  error
	}
	ended := make(chan end, 1)
	c := Command{
		Args: []string{"sh", "-c", target}, Dir: s.Dir, Stdin: strings.NewReader(m.Body),
		Env: append(slices.Clip(s.Env), "TASKER_ITEM_KIND="+m.Kind, "TASKER_TASK="+string(m.Task), "TASKER_PROJECT="+m.Project),
	}
	go func() {
		code, err := s.Run(ctx, c)
		ended <- end{code, err}
	}()
	var e end
	select {
	case e = <-ended:
	case <-ctx.Done():
		select {
		case e = <-ended:
		case <-time.After(afterwards):
			return failed(tooLong)
		}
	}
	switch {
	case e.err == nil && e.code == 0:
		return delivery.Outcome{}
	case ctx.Err() != nil:
		return failed(tooLong)
	case e.err != nil:
		return failed(fault.Of(e.err).Message)
	default:
		return failed(fmt.Sprintf("its command ended with the exit code %d", e.code))
	}
}
