// Package work has the operations of a worker's loop: select the next task and claim it, tick its criteria, add notes,
// evidence, decisions and questions, wait for answers, approve, move it on, and give it back. Each write is one turn.
package work

import "tasker/internal/core"

// Service carries out the operations of this package.
type Service struct{ *core.Env }

// New returns the service over env.
func New(env *core.Env) *Service { return &Service{env} }

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service { return &Service{env} }
