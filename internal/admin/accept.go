package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/dump"
	"tasker/internal/task"
)

// AcceptIn says which generation of the database begins, at least.
type AcceptIn struct{ Generation int64 }

// AcceptOut says how a database goes on whose log was rewound.
type AcceptOut struct {
	Generation int64 `json:"generation"`
	Lost       *Lost `json:"lost"`       // null: nothing was lost
	FirstEvent int64 `json:"firstEvent"` // of the new generation
}

// Lost are the events that somebody remembers and the database does not have.
type Lost struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Accept goes on with a database whose log was rewound, as a new generation for everybody who knew the old one. As after a
// restore, every claim and session ends and every fence grows: the lost events may have given a task to somebody else, or
// revoked a session. The ids of events go on past those that are lost, so that none is ever given
// out twice.
func (s *Service) Accept(ctx context.Context, in AcceptIn) (AcceptOut, error) {
	return core.WriteAccepting(ctx, s.Env, func(tx *store.Tx) (out AcceptOut, err error) {
		lost, last := tx.Turn.Lost, tx.LastEvent()
		if lost.To == 0 {
			return out, fault.Decline("no event of the database is known to be lost").WithHint("nothing is to be done")
		}
		all, err := tx.Projects()
		if err != nil {
			return out, err
		}
		if err := policy.MayAccept(ctx, s.Env, tx, all); err != nil {
			return out, err
		}
		out.Generation, out.Lost = max(in.Generation, tx.Generation()+1), &Lost{lost.From, lost.To}
		dump.Accepted(tx, out.Generation, fencesApart)
		out.FirstEvent = tx.LastEvent() + 1
		err = tx.Record("", "", task.Draft{Kind: task.DatabaseRestored, Payload: task.Payload{
			"lastEvent": last, "generation": out.Generation, "lost": out.Lost,
		}})
		if err != nil {
			return out, err
		}
		return out, endHoldings(tx, all)
	})
}
