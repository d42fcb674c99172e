package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// between is how long a commit may go unnoticed if its notification is lost.
const between = time.Second

// Watch listens to the notifications of turns, and polls in case one is lost.
func (e *Engine) Watch(ctx context.Context, saw func(last int64)) {
	for ctx.Err() == nil {
		e.listen(ctx, saw)
		_ = e.world.Waiting.Sleep(ctx, between)
	}
}

// listen lasts as long as its connection.
func (e *Engine) listen(ctx context.Context, saw func(last int64)) {
	s, err := e.connect(ctx)
	if err != nil {
		return
	}
	defer s.close()
	if s.run(ctx, "LISTEN "+s.channel) != nil {
		return
	}
	for ctx.Err() == nil {
		v, err := s.value(ctx, "SELECT event_id FROM turn WHERE id = 1")
		if err == nil {
			report(v, saw)
		} else if code(err) != undefinedTable {
			return
		}
		for waiting := true; waiting; {
			wait, cancel := context.WithTimeout(ctx, between)
			n, err := s.of.WaitForNotification(wait)
			cancel()
			switch {
			case err == nil:
				report(n.Payload, saw)
			case pgconn.Timeout(err) && !s.pg.IsClosed():
				waiting = false
			default:
				return
			}
		}
	}
}

func report(id string, saw func(last int64)) {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		saw(n)
	}
}
