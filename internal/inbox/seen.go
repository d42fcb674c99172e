package inbox

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
)

// SeenIn moves the reader's mark.
type SeenIn struct {
	Watermark *int64 `json:"watermark,omitzero" required:"true" about:"the watermark of the estate that was read"`
}

// SeenOut is the stored mark.
type SeenOut struct {
	Watermark int64 `json:"watermark"`
}

// Seen stores how far the caller has read. The mark never moves back.
func (s *Service) Seen(ctx context.Context, in SeenIn) (SeenOut, error) {
	hint := "post the watermark from the answer of the estate: the newest event that was shown"
	if in.Watermark == nil {
		return SeenOut{}, fault.Bad("there is no watermark").WithMissing("watermark").WithHint("%s", hint)
	}
	mark := *in.Watermark
	return core.Write(ctx, s.Env, func(tx *store.Tx) (SeenOut, error) {
		if mark < 0 || mark > tx.LastEvent() {
			return SeenOut{}, fault.Bad("watermark is %d, and the newest event is %d", mark, tx.LastEvent()).WithMissing("watermark").
				WithHint("%s", hint)
		}
		kept, err := inboxdb.SetMark(tx, core.CallerOf(ctx).Actor.Name, mark)
		return SeenOut{Watermark: kept}, err
	})
}
