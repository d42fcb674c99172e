package main

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// postgresEngine creates every database on the server of the given one.
type postgresEngine struct{ url string }

func (e *postgresEngine) name() string { return postgresName }
func (e *postgresEngine) close() error { return nil }

// admin runs a statement that cannot be part of a transaction.
func (e *postgresEngine) admin(ctx context.Context, db, sql string) error {
	c, err := pgx.Connect(ctx, db)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql)
	return err
}

func (e *postgresEngine) fresh(ctx context.Context) (string, error) { return e.create(ctx, "") }

// copy requires that nobody is connected to the original.
func (e *postgresEngine) copy(ctx context.Context, db string) (string, error) {
	return e.create(ctx, " TEMPLATE "+nameIn(db))
}

func (e *postgresEngine) create(ctx context.Context, of string) (string, error) {
	name := "bench_" + strings.ToLower(rand.Text()[:12])
	if err := e.admin(ctx, e.url, "CREATE DATABASE "+name+of); err != nil {
		return "", err
	}
	u, err := url.Parse(e.url)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

func nameIn(db string) string {
	u, err := url.Parse(db)
	if err != nil {
		panic(err) // we made it
	}
	return strings.TrimPrefix(u.Path, "/")
}

// settle vacuums and analyses the seeded data, so that no background worker does it later.
func (e *postgresEngine) settle(ctx context.Context, db string) error {
	if err := e.admin(ctx, db, "VACUUM (ANALYZE, FREEZE)"); err != nil {
		return err
	}
	return e.admin(ctx, db, "CHECKPOINT")
}

func (e *postgresEngine) drop(db string) error {
	return e.admin(context.Background(), e.url, "DROP DATABASE IF EXISTS "+nameIn(db)+" WITH (FORCE)")
}

func (e *postgresEngine) raw(ctx context.Context, db string) (raw, error) {
	c, err := pgx.Connect(ctx, db)
	if err != nil {
		return nil, err
	}
	return &rawPostgres{ctx: ctx, c: c, queue: &pgx.Batch{}}, nil
}

// rawPostgres sends statements in pipelines: as many as there are before a commit, up to a bound.
type rawPostgres struct {
	ctx   context.Context
	c     *pgx.Conn
	queue *pgx.Batch
}

const pipeline = 1000

func (r *rawPostgres) Begin() error { return r.Exec("BEGIN") }

func (r *rawPostgres) Exec(sql string, args ...any) error {
	r.queue.Queue(sql, args...)
	if r.queue.Len() >= pipeline {
		return r.send()
	}
	return nil
}

func (r *rawPostgres) send() error {
	queue := r.queue
	r.queue = &pgx.Batch{}
	return r.c.SendBatch(r.ctx, queue).Close()
}

func (r *rawPostgres) Commit() error {
	if err := r.Exec("COMMIT"); err != nil {
		return err
	}
	return r.send()
}

func (r *rawPostgres) Rows(sql string, args ...any) ([][]any, error) {
	rows, err := r.c.Query(r.ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
}

func (r *rawPostgres) Tables() ([]string, error) {
	rows, err := r.Rows(`SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`)
	return firstTexts(rows), err
}

func (r *rawPostgres) Index() ([][]any, string, error) {
	rows, err := r.Rows(`SELECT id, vector::text FROM words`)
	return rows, `INSERT INTO words (id, vector) VALUES ($1, $2::text::tsvector)`, err
}

func (r *rawPostgres) Close() error { return r.c.Close(r.ctx) }
