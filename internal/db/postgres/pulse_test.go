package postgres

import (
	"context"
	"errors"
	"testing"
)

// TestAQuestionDoesNotWaitForAnotherForEver: what the lock's own connection asks a server that hangs holds the line, and
// whoever finds out that the server hangs gives up nevertheless.
func TestAQuestionDoesNotWaitForAnotherForEver(t *testing.T) {
	var p pulse
	p.start()
	p.line <- struct{}{} // another question, which gets no answer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.ask(ctx, nil, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
