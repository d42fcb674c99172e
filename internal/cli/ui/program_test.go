package ui

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// broken are operations that panic when asked for a task.
type broken struct{ Operations }

func (broken) List(context.Context, Tab, string) (Listing, error) {
	return Listing{Rows: []Row{{ID: "demo-1", Title: "T"}}, Total: 1}, nil
}

func (broken) Task(context.Context, task.ID) (*Brief, error) { panic("no \x1b[31mtask") }

func (broken) Await(ctx context.Context, from int64) (int64, error) {
	<-ctx.Done()
	return from, ctx.Err()
}

func TestACrashLeavesTheTerminalAsItWas(t *testing.T) {
	for name, c := range map[string]struct {
		begin Effect
		state State
	}{
		"an effect": {LoadTask{"demo-1"}, State{Width: 80, Height: 24}},
		"the view":  {Wait{0}, State{Width: 80, Height: 24, Places: []Place{{ID: "demo-1", Brief: &Brief{}}}}}, // it cannot be painted
	} {
		t.Run(name, func(t *testing.T) {
			master, slave, err := pty.Open()
			if err == nil {
				err = pty.Setsize(master, &pty.Winsize{Cols: 80, Rows: 24})
			}
			if err != nil {
				t.Fatal(err)
			}
			before, err := term.GetState(int(slave.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			printed := make(chan string)
			go func() {
				var all strings.Builder
				_, _ = io.Copy(&all, master) // ends with the terminal
				printed <- all.String()
			}()
			f := frame.New(frame.Process{Stdin: slave, Stdout: slave, Environ: func() []string { return []string{"TERM=vt100"} }}, frame.Wiring{})
			ctx, stop := context.WithTimeout(t.Context(), time.Minute) // far longer than the test takes
			defer stop()
			c.state.Lists[TabInbox] = Listing{Rows: []Row{{ID: "demo-1", Title: "T"}}, Total: 1, Known: true}
			err = draw(f, program{ctx: ctx, ops: broken{}, state: c.state, begin: []Effect{c.begin}, turn: &sync.Mutex{}, crash: &crash{}})
			if err == nil || !strings.Contains(err.Error(), "the view broke") {
				t.Errorf("it ended with %v", err)
			}
			after, err := term.GetState(int(slave.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			if *after != *before {
				t.Errorf("the terminal is set to %+v, was %+v", after, before)
			}
			_ = slave.Close()
			all := <-printed
			_ = master.Close()
			if in, out := strings.LastIndex(all, "\x1b[?1049h"), strings.LastIndex(all, "\x1b[?1049l"); in < 0 || out < in {
				t.Errorf("the screen of the shell is not shown again: %q", all)
			}
		})
	}
}
