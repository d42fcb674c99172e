package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"

	"tasker/internal/app"
	"tasker/internal/op"
	"tasker/internal/server/httpapi"
	"tasker/internal/store"
	"tasker/internal/task"
)

// server is an HTTP face over an open database, as `tasker serve` makes it, with two yardsticks behind its door.
type server struct {
	url  string
	stop func() error
}

// serve starts one on loopback.
func serve(ctx context.Context, a *app.App) (*server, error) {
	ln, err := httpapi.Listen(ctx, "127.0.0.1", 0)
	if err != nil {
		return nil, err
	}
	s := httpapi.New(httpapi.Options{
		Ops: op.NewLocal(a.Services.All()...), NewID: rand.Text, Version: "0.0.0",
		Identity: func() httpapi.Identity { return httpapi.Identity{Caller: worker} },
		Extra: map[string]httpapi.HandlerFunc{
			"POST /bench/noop":    noop,
			"GET /bench/one/{id}": one(a.Services.Store),
		},
	})
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	return &server{url: "http://" + ln.Addr().String(), stop: func() error { cancel(); return <-ended }}, nil
}

// noop reads the request and answers with an empty object.
func noop(w http.ResponseWriter, r *http.Request) error {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return err
	}
	return httpapi.Answer(w, http.StatusOK, struct{}{})
}

// one answers with one complete task record.
func one(records *store.Store) httpapi.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		var t *task.Task
		err := records.Read(r.Context(), func(tx *store.Tx) (err error) {
			if t, err = tx.Task(task.ID(r.PathValue("id"))); err != nil {
				return err
			}
			return tx.Fill(t)
		})
		if err != nil {
			return err
		}
		return httpapi.Answer(w, http.StatusOK, t)
	}
}

// serving opens a copy of a seeded database and serves it.
func (b *bench) serving(ctx context.Context, p shape) (*server, *app.App, func() error, error) {
	a, done, err := b.copied(ctx, p)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := serve(ctx, a)
	if err != nil {
		return nil, nil, nil, errors.Join(err, done())
	}
	return s, a, func() error { return errors.Join(s.stop(), done()) }, nil
}
