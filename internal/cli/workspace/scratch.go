package workspace

import (
	"context"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/workspace/machine"
)

// Scratch is a place for work trees that exist only while something runs in them.
type Scratch = machine.Scratch

// NewScratch returns a place for work trees of the repository of the current directory that exist only while something runs in
// them; nil outside a repository.
func NewScratch(ctx context.Context, f *frame.Factory, project string) (*Scratch, error) {
	stored, _, _ := f.StoredLayer(ctx, project)
	base, err := config.BaseOf(project, stored)
	if err != nil {
		return nil, err
	}
	return machine.NewScratch(ctx, f.Wiring.StateDir(), f.Process.Dir, base)
}
