package store_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// plenty fills a database with tasks of some forty words each. Every second one has the word halfway.
func plenty(b *testing.B, path string, n int) *store.Store {
	s := storetest.Open(b, path, nil)
	storetest.Write(b, s, storetest.Alice, func(w *store.Tx) error { return w.CreateProject(&task.Project{Slug: "demo"}) })
	by := storetest.Alice
	by.Alone = true
	for at := 0; at < n; at += 10_000 {
		list := make([]task.NewTask, 0, 10_000)
		for i := at; i < min(n, at+10_000); i++ {
			t := storetest.Fresh(fmt.Sprintf("task-%06d", i))
			t.Title = fmt.Sprintf("Carry the change %d through to the end", i)
			words := make([]string, 40)
			for j := range words {
				k := (i*7919 + j*104729) % 20_011
				words[j] = "w" + strings.ToLower(fmt.Sprintf("%x", k*k%20_011))
			}
			if i%2 == 0 {
				words[3] = "halfway"
			}
			if i%10_000 == 77 {
				words[4] = "zebra"
			}
			t.Body = task.Opt(strings.Join(words, " "))
			list = append(list, task.NewTask{Task: t, Event: task.Draft{Kind: task.TaskCreated}})
		}
		storetest.Write(b, s, by, func(w *store.Tx) error {
			for _, nt := range list {
				nt.Task.CreatedAt, nt.Task.UpdatedAt = w.Now(), w.Now()
			}
			return w.CreateTasks("demo", list)
		})
	}
	return s
}

func BenchmarkSearch(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			path := dbtest.SQLite(b)
			if engine == "postgres" {
				path = dbtest.Postgres(b)
			}
			s := plenty(b, path, 100_000)
			if engine == "postgres" { // as its own worker does eventually
				storetest.Write(b, s, storetest.Alice, func(*store.Tx) error { return nil })
				if err := s.DB().Write(b.Context(), db.Request{Alone: true}, func(t *db.Turn) error { return t.Exec(db.Any, `ANALYZE`) }); err != nil {
					b.Fatal(err)
				}
			}
			b.Run("one-read", func(b *testing.B) {
				for b.Loop() {
					storetest.Read(b, s, func(r *store.Tx) error {
						t, err := r.Task("demo-77")
						if err != nil {
							return err
						}
						return r.Fill(t)
					})
				}
			})
			for _, q := range []string{"zebra", `"zebra"`, "halfway", `"halfway"`, "carry halfway", "carry the change", "nothinglikeit", "demo-77", "w1 w2", "ch"} {
				b.Run(strings.ReplaceAll(q, " ", "_"), func(b *testing.B) {
					n := 0
					for b.Loop() {
						storetest.Read(b, s, func(r *store.Tx) error {
							query := search.Parse(q)
							out, err := r.Search(search.Ask{Query: query, Text: q, Project: "demo", Limit: 50})
							n = out.Counts.Total()
							search.Rank(out.Found, 50)
							return err
						})
					}
					b.ReportMetric(float64(n), "matches")
				})
			}
			b.Run("note", func(b *testing.B) {
				for b.Loop() {
					storetest.Write(b, s, storetest.Alice, func(w *store.Tx) error {
						t, err := w.Task("demo-5")
						if err != nil {
							return err
						}
						_, err = w.AddNote(t, "a note about some of the things that were found out")
						return err
					})
				}
			})
		})
	}
}

func BenchmarkWritesThatAreFound(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			path := dbtest.SQLite(b)
			if engine == "postgres" {
				path = dbtest.Postgres(b)
			}
			s := plenty(b, path, 1000)
			on := func(b *testing.B, fn func(w *store.Tx, t *task.Task) error) {
				i := 0
				for b.Loop() {
					i++
					err := s.DB().Write(b.Context(), db.Request{Alone: true}, func(*db.Turn) error { return nil })
					if err != nil {
						b.Fatal(err)
					}
					storetest.Write(b, s, storetest.Alice, func(w *store.Tx) error {
						for range 20 { // as many as a turn has
							i++
							t, err := w.Task(task.MakeID("demo", int64(1+i%1000)))
							if err == nil {
								err = fn(w, t)
							}
							if err != nil {
								return err
							}
						}
						return nil
					})
				}
			}
			b.Run("20-notes", func(b *testing.B) {
				on(b, func(w *store.Tx, t *task.Task) error {
					_, err := w.AddNote(t, "a note about some of the things that were found out")
					return err
				})
			})
			b.Run("20-moves", func(b *testing.B) {
				on(b, func(w *store.Tx, t *task.Task) error {
					to := task.InReview
					if t.Status == to {
						to = task.Open
					}
					m, err := t.MoveBy(storetest.Alice.Actor, task.Policy{}, task.Move{To: to}, task.Standing{}, w.Now())
					if err != nil {
						return err
					}
					return w.Save(task.Change{Before: t, After: m.After, Events: []task.Draft{{Kind: task.TaskMoved, Payload: task.Payload{"from": t.Status,
						"to": to, "forced": false}}}})
				})
			})
		})
	}
}
