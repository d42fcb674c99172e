package admin

import (
	"context"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/task"
)

// examine adds what is wrong with the database as such to what the recount has found.
func examine(ctx context.Context, f *frame.Factory, out *admin.DoctorOut) error {
	s, err := f.Open(ctx)
	if err != nil {
		return err
	}
	found, err := s.Examine(ctx)
	if err != nil {
		return err
	}
	for _, name := range frame.TroubleWith {
		c := admin.Check{Name: name, OK: true}
		for _, t := range found {
			if t.Name == name {
				c.OK, out.OK = false, false
				c.Found = append(c.Found, t.Err.Message)
				c.Fix = task.Opt(t.Err.Hint)
			}
		}
		out.Checks = append(out.Checks, c)
	}
	return nil
}
