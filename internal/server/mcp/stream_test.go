package mcp_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/server/mcp"
)

// slow carries out one operation for each value that is sent to it.
type slow struct {
	began  atomic.Int32
	finish chan struct{}
}

func (s *slow) Call(ctx context.Context, o *op.Op, _ any) (op.Reply, error) {
	if o == op.Prime.Op {
		return op.Reply{}, fault.Decline("there is no manual")
	}
	s.began.Add(1)
	select {
	case <-s.finish:
	case <-ctx.Done():
	}
	return op.Reply{}, fault.Decline("nobody is here")
}

// TestAClientThatSendsAndDoesNotReadIsReadNoFurther sends more calls than are carried out at once, and none is answered: the
// rest is not read until one of them is.
func TestAClientThatSendsAndDoesNotReadIsReadNoFurther(t *testing.T) {
	const most = 64
	synctest.Test(t, func(t *testing.T) {
		ops := &slow{finish: make(chan struct{})}
		s, err := mcp.New(mcp.Options{Ops: ops, Version: "1", Acting: acting("robot")})
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{fmt.Sprintf(greeting, "2025-06-18"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`}
		for i := range most + 3 {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tasker_whoami","arguments":{}}}`, 100+i))
		}
		ctx, leave := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- s.Serve(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), io.Discard) }()
		for answered := range 3 {
			synctest.Wait()
			if n := ops.began.Load(); int(n) != most+answered {
				t.Fatalf("after %d answers %d calls have begun", answered, n)
			}
			if answered < 2 {
				ops.finish <- struct{}{}
			}
		}
		leave()
		if err := <-over; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if n := ops.began.Load(); n != most+2 {
			t.Errorf("after its end it reads on: %d calls have begun", n)
		}
	})
}

func TestAMessageHasABound(t *testing.T) {
	answers := talk(t, "2025-06-18", strings.Repeat(" ", 16<<20+100))
	last := answers[len(answers)-1][0]
	if last.Error.Message != "a message is longer than 16 MiB, which is the maximum" {
		t.Errorf("it says %+v", last)
	}
}
