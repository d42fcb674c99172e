//go:build unix

package command_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"tasker/internal/git/command"
)

// A transport that waits for a remote keeps git's output open; it still ends with git.
func TestWhatGitStartsEndsWithIt(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	_, err := command.Run(ctx, t.TempDir(), nil, "-c", "alias.hang=!sleep 600", "hang")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}
