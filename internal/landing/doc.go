// Package landing decides which tasks can land on the base of their repository, in what order, and why the others cannot,
// and records what became of them. What a landing does in a repository is done by the command. Its operations have no
// route and no tool: what lands is judged by commands of the project's file, and a server runs none of them.
package landing

import "tasker/internal/core"

// Service carries out the operations of this package.
type Service struct{ *core.Env }

// New returns the service over env.
func New(env *core.Env) *Service { return &Service{env} }
