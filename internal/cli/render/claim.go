package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// Claim prints what is held, for how long, and under which fence.
func Claim(f *frame.Factory, c task.Claim) {
	f.Say("%s is yours %s (fence %d)\n", c.Task, Until(f, c.ExpiresAt), c.Fence)
}
