package sqlite

import (
	"context"
	"time"

	"tasker/internal/db"
)

// between is how long a commit of another process may go unnoticed.
const between = 250 * time.Millisecond

// Watch checks the file's change counter, and reads the newest event when it has moved.
func (e *Engine) Watch(ctx context.Context, saw func(last int64)) {
	var c *conn
	defer func() {
		if c != nil {
			_ = c.close()
		}
	}()
	for seen := int64(-1); ; {
		if file, err := e.present(); err == nil {
			if c != nil && !e.same(c.file, file) {
				_ = c.close()
				c = nil
			}
			if c == nil && file != nil {
				if c, err = e.open(file); err == nil {
					seen = -1
				}
			}
		}
		if c != nil {
			if v, err := c.number("PRAGMA data_version"); err == nil && v != seen {
				if h, err := c.head(0, db.Point{}); err == nil {
					seen = v
					saw(h.LastEvent)
				}
			}
		}
		if e.world.Waiting.Sleep(ctx, between) != nil {
			return
		}
	}
}
