package main

import (
	"context"
	"errors"
	"time"
)

// twentyThousand returns the project that next is measured on: all of it ready.
func (b *bench) twentyThousand() shape { return shape{tasks: b.n(20_000), ready: b.n(20_000)} }

const nextBody = `{"project":"x"}`

// next measures POST /next against a no-op on the same server, and against writing just the rows.
func next(ctx context.Context, b *bench) ([]*result, error) {
	door := &result{
		what: "POST /next, 64 clients, 20,000 ready", against: "a no-op POST through the same door", unit: "/s",
		bound: bound{atLeast: 0.2}, note: "0.4 is the stretch goal",
	}
	if b.engine.name() == postgresName {
		door.bound, door.everywhere, door.note = bound{atLeast: 0.1}, true, ""
	}
	rows := &result{
		what: door.what, against: "a raw group-commit loop of the same rows", unit: "/s", bound: bound{atLeast: 0.3},
	}
	for range b.runs {
		nothing, claims, spent, err := b.nextOnce(ctx)
		if err != nil {
			return nil, err
		}
		raw, err := b.rawClaims(ctx)
		if err != nil {
			return nil, err
		}
		door.add(claims, nothing)
		door.spent(spent, b.n(16_000))
		rows.add(claims, raw)
	}
	return []*result{door, rows}, nil
}

// nextOnce returns the rates of the no-op and of next on one server, and what next cost.
func (b *bench) nextOnce(ctx context.Context) (nothing, claims float64, spent cost, err error) {
	s, _, done, err := b.serving(ctx, b.twentyThousand())
	if err != nil {
		return 0, 0, cost{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	c := dial(s.url, callers)
	defer c.close()
	call := claimsOf(c)
	idle := func(caller, _ int) error {
		_, err := c.call(caller, "POST", "/bench/noop", nextBody)
		return err
	}
	if _, _, err := load(callers, b.n(640), call); err != nil { // warm
		return 0, 0, cost{}, err
	}
	n := b.n(16_000)
	claiming, idling, err := b.inTurns(callers, n, idle, n, call)
	return float64(n) / idling.wall, float64(n) / claiming.wall, claiming, err
}

// The statements of a claim, as the store writes them, with each parameter once and in order.
const (
	rawTask = `UPDATE task SET status=$1, open_deps=$2, attempts=$3, version=$4, approval_epoch=$5, updated_at=$6,
		closed_by=$7, closed_at=$8, fence=$9, fence_ended=$10, holder=$11, claim_version=$12, claimed_at=$13,
		renewed_at=$14, expires_at=$15, lease_ms=$16 WHERE id=$17 AND version=$18 AND fence=$19`
	rawHold  = `UPDATE frontier SET route=$1 WHERE policy=$2 AND route=$3 AND k1=$4 AND pref=$5 AND k2=$6 AND task=$7`
	rawEvent = `INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`
	rawTotal = `UPDATE project SET n_open=$1, n_in_progress=$2, n_ready=$3, n_held=$4 WHERE id=$5`
	rawTurn  = `UPDATE turn SET event_id=$1, at=$2 WHERE id=1`

	payload  = `{"by":"next","expiresAt":"2026-01-01T02:00:00.000Z","fence":1,"leaseMs":7200000,"status":{"from":"open","to":"in_progress"}}`
	rawVia   = "http\x1fABCDEFGHIJKLMNOPQRSTUVWXYZ\x1f"
	rawTurns = 48 // claims that share a commit
)

// rawClaims returns the rate at which a single loop can write the rows of claims if it knows them beforehand.
func (b *bench) rawClaims(ctx context.Context) (rate float64, err error) {
	seed, err := b.seed(ctx, b.twentyThousand())
	if err != nil {
		return 0, err
	}
	db, err := b.engine.copy(ctx, seed)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	r, err := b.engine.raw(ctx, db)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	rows, err := r.Rows(`SELECT policy, route, k1, pref, k2, task FROM frontier WHERE route > 0 ORDER BY policy, route, k1, pref, k2, task`)
	if err != nil {
		return 0, err
	}
	at, err := r.Rows(`SELECT event_id FROM turn WHERE id=1`)
	if err != nil {
		return 0, err
	}
	w := &rawClaimer{raw: r, rows: rows, event: at[0][0].(int64)}
	if err := w.claim(min(b.n(640), len(rows))); err != nil {
		return 0, err
	}
	n := min(b.n(6000), len(w.rows))
	began := time.Now()
	err = w.claim(n)
	return float64(n) / time.Since(began).Seconds(), err
}

type rawClaimer struct {
	raw
	rows  [][]any // of the frontier, in order
	event int64
	held  int64
}

// claim writes the first n rows' claims.
func (w *rawClaimer) claim(n int) error {
	now := time.Now().UnixMicro()
	for i := 0; i < n; i += rawTurns {
		if err := w.Begin(); err != nil {
			return err
		}
		for _, f := range w.rows[i:min(i+rawTurns, n)] {
			if err := w.one(f, now); err != nil {
				return err
			}
		}
		total := int64(len(w.rows))
		if err := errors.Join(
			w.Exec(rawTotal, total-w.held, w.held, total-w.held, w.held, 1),
			w.Exec(rawTurn, w.event, now), w.Commit(),
		); err != nil {
			return err
		}
	}
	w.rows = w.rows[n:]
	return nil
}

func (w *rawClaimer) one(f []any, now int64) error {
	id := f[5]
	w.event++
	w.held++
	end := now + 2*time.Hour.Microseconds()
	return errors.Join(
		w.Exec(rawTask, "in_progress", 0, 0, 2, 0, now, "", 0, 1, 0, "bench", 2, now, now, end, 7_200_000, id, 1, 0),
		w.Exec(rawHold, 0, f[0], f[1], f[2], f[3], f[4], id),
		w.Exec(rawEvent, w.event, now, 1, id, "bench", "task.claimed", payload, w.event, rawVia),
	)
}
