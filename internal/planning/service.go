// Package planning has the operations that decide what there is to do: apply a plan, create a task, edit one, import, and
// undo.
package planning

import "tasker/internal/core"

// Service implements the operations of this package.
type Service struct{ *core.Env }

// New returns the service over env.
func New(env *core.Env) *Service { return &Service{env} }

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service { return &Service{env} }
