package run

import "context"

// Once claims a task and runs the command for it, as a worker of a pool does.
func (w *Worker) Once(ctx context.Context) (*Report, error) {
	r, _, err := w.once(ctx, nil)
	return r, err
}
