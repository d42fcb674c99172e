package transfer

import (
	"context"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
)

// runTracker imports from the tracker that the project is linked to.
func (o *importOptions) runTracker(ctx context.Context, f *frame.Factory, files []string) error {
	if len(files) > 0 {
		return fault.Bad("a tracker is not read from a file").
			WithHint("leave it out; what was exported from a tracker has a kind of its own, such as csv")
	}
	project, err := o.project(f)
	if err != nil {
		return err
	}
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return err
	}
	bar := f.Progress("reading issues", 0)
	out, err := s.Sync.Import(ctx, project, o.hold, o.dry, bar.To)
	bar.End()
	return o.answer(ctx, f, out, err)
}
