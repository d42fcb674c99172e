package core

import (
	"context"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func todo() error { return fault.New(fault.Internal, "this operation is not built yet") }

func (s *Services) Create(ctx context.Context, in CreateIn) (out *task.Task, err error) {
	return out, todo()
}
func (s *Services) Edit(ctx context.Context, in EditIn) (out *task.Task, err error) {
	return out, todo()
}
func (s *Services) Apply(ctx context.Context, in ApplyIn) (out ApplyOut, err error) {
	return out, todo()
}
