package mcp

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestAClientThatSendsAndDoesNotReadIsReadNoFurther sends more calls than are carried out at once, and none is answered: the
// rest is not read until one of them is.
func TestAClientThatSendsAndDoesNotReadIsReadNoFurther(t *testing.T) {
	var in strings.Builder
	for i := range maxOpen + 2 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`+"\n", i)
	}
	ended := make(chan struct{})
	r, w := stream(strings.NewReader(in.String()), io.Discard, ended)
	lines := make(chan string)
	go func() {
		defer close(lines)
		for part := make([]byte, 1<<10); ; {
			n, err := r.Read(part)
			if err != nil {
				return
			}
			lines <- string(part[:n])
		}
	}()
	for range maxOpen {
		<-lines
	}
	select {
	case line := <-lines:
		t.Fatalf("with %d open calls it reads %s", maxOpen, line)
	default:
	}
	for i := range 2 {
		if room := r.calls.full(); room == nil {
			t.Fatal("there is room before one is answered")
		}
		if _, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", i); err != nil {
			t.Fatal(err)
		}
		if line := <-lines; !strings.Contains(line, fmt.Sprintf(`"id":%d,`, maxOpen+i)) {
			t.Errorf("after one more answer it reads %q", line)
		}
	}
	close(ended)
	if line, more := <-lines; more {
		t.Errorf("it reads %q after its end", line)
	}
}

func TestAMessageHasABound(t *testing.T) {
	var out strings.Builder
	r, _ := stream(io.LimitReader(spaces{}, maxBody+100), &out, nil)
	if _, err := r.Read(make([]byte, 10)); !errors.Is(err, io.EOF) || !strings.Contains(out.String(), errLong.Error()) {
		t.Errorf("it ends with %v, and says %s", err, out.String())
	}
}

// spaces is a message without an end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
