// Package admin has the operations of the administrator: projects and their settings, sessions, and the recount.
package admin

import "tasker/internal/core"

// Service implements the operations of this package.
type Service struct{ *core.Env }

// New returns the service over env.
func New(env *core.Env) *Service { return &Service{env} }
