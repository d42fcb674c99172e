package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/work"
)

// estate is the project that reads are measured on: 100,000 tasks in every status, 150,000 dependencies, 1,000,000
// events, seven route classes, 500 tasks that are held and have stalled, more than 1,000 that wait for people, and a tree of
// 50.
type estate struct {
	shape
	done, review int
}

func (b *bench) estate() estate {
	return estate{shape: b.large(), done: b.n(20_000), review: max(b.n(1500), 1100)}
}

// root returns the number of the task that has 50 below it.
func (e estate) root() int { return e.done + e.review + 1 }

// The words that searches look for: one task has the first, every second task the other.
const rareWord, commonWord = "zyzzyva", "lighthouse"

// documents returns the plan of the estate.
func (e estate) documents(project string) []*plan.Document {
	docs := e.shape.documents(project)
	i := 0
	for _, doc := range docs {
		for k := range doc.Tasks {
			e.dress(&doc.Tasks[k], i)
			i++
		}
	}
	return docs
}

// skills make route classes: a task may be held by the reader, the agents, and actors with one of these skills.
var skills = []string{"api", "data", "docs", "infra", "mobile", "ops", "web"}

// dress gives a task what reads look for. Those that are ready in the shape come first.
func (e estate) dress(def *plan.TaskDef, i int) {
	root := e.root() - 1
	def.MayExecute = plan.Give([]string{"ann", "agent", skills[i%len(skills)]})
	switch {
	case i < e.done:
		def.Status = plan.Give(task.Done)
		if i%10 == 0 {
			def.Evidence = plan.Give([]task.EvidenceItem{{Kind: "test", Value: fmt.Sprintf("run %d passed", i)}})
		}
	case i < e.done+e.review:
		def.Status = plan.Give(task.InReview)
	case i > root && i <= root+50:
		def.Parent = plan.Give(task.Opt(key(root + (i-root-1)/7)))
	case i%3 == 0:
		def.Touches = plan.Give([]string{fmt.Sprintf("src/part%d/**", i%400), fmt.Sprintf("docs/%d.md", i)})
	}
	if i%2 == 0 {
		def.Title = plan.Give(def.Title.Value + " of the " + commonWord)
	}
	if i == e.tasks/2 {
		def.Body = plan.Give(task.Opt("It is about the " + rareWord + "."))
	}
}

// seedEstate returns the estate's database, made at the first call.
func (b *bench) seedEstate(ctx context.Context) (string, error) {
	const name = "estate"
	if db, ok := b.seeds[name]; ok {
		return db, nil
	}
	db, err := b.engine.fresh(ctx)
	if err != nil {
		return "", err
	}
	b.seeds[name] = db
	if err := b.fillEstate(ctx, db); err != nil {
		return "", err
	}
	if err := b.manyEvents(ctx, db); err != nil {
		return "", err
	}
	if err := b.stall(ctx, db); err != nil {
		return "", err
	}
	return db, b.engine.settle(ctx, db)
}

func (b *bench) fillEstate(ctx context.Context, db string) error {
	a, err := b.open(db)
	if err != nil {
		return err
	}
	fill := func() error {
		for _, doc := range b.estate().documents("x") {
			if _, err := a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: doc}); err != nil {
				return err
			}
		}
		for i := range stalled {
			as := worker
			as.Actor = task.Actor{Name: "agent", Instance: fmt.Sprint(i % 50)}
			if _, err := a.Services.Work.Next(core.WithCaller(ctx, as), work.NextIn{Project: "x"}); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(fill(), a.Close())
}

// stalled is how many tasks are held.
const stalled = 500

// stall shortens the rest of the two-hour leases by 70 minutes, so that more than half of each has passed.
func (b *bench) stall(ctx context.Context, db string) (err error) {
	r, err := b.engine.raw(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	const back = int64(70 * time.Minute / time.Microsecond)
	return errors.Join(r.Begin(), r.Exec(fmt.Sprintf(`UPDATE task SET claimed_at=claimed_at-%d, renewed_at=renewed_at-%d, expires_at=expires_at-%d
		WHERE holder IS NOT NULL`, back, back, back)), r.Commit())
}

// manyEvents fills the log up to a million: renewals and ticks of fifty agents, as rows.
func (b *bench) manyEvents(ctx context.Context, db string) (err error) {
	r, err := b.engine.raw(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	at, err := r.Rows(`SELECT t.event_id, t.at, p.id FROM turn t, project p WHERE t.id=1 AND p.slug='x'`)
	if err != nil {
		return err
	}
	last, now, project := at[0][0].(int64), at[0][1].(int64), at[0][2].(int64)
	more := int64(b.n(1_000_000)) - last
	if err := r.Begin(); err != nil {
		return err
	}
	insert := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i+1 FROM n WHERE i<%d)
		INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via)
		SELECT %d+i, %d+i, %d, %d+1+(i*7919)%%%d, 'agent/' || (i%%50),
			CASE i%%3 WHEN 0 THEN 'claim.renewed' WHEN 1 THEN 'criterion.checked' ELSE 'criterion.unchecked' END,
			'{"index":1,"text":"The tests of the change pass"}', %d+i, '%s' FROM n`,
		more, last, now, project, project<<32, b.estate().tasks, last, rawVia)
	return errors.Join(
		r.Exec(insert),
		r.Exec(fmt.Sprintf(`UPDATE turn SET event_id=%d, at=%d WHERE id=1`, last+more, now+more)),
		r.Commit(),
	)
}

// estateConfig declares which actors are people and which are agents.
func (b *bench) estateConfig() (*config.Loaded, error) {
	dir, err := b.estateDir()
	if err != nil {
		return nil, err
	}
	return loadFrom(dir)
}

// loadFrom reads the configuration in a directory, without that of the environment.
func loadFrom(dir string) (*config.Loaded, error) {
	o, err := config.FromOS()
	if err != nil {
		return nil, err
	}
	o.Dir, o.Env = dir, nil
	return config.Load(o)
}

// estateDir returns a directory with the configuration in it.
func (b *bench) estateDir() (string, error) {
	dir := filepath.Join(b.scratch, "estate")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, ".tasker.json"), []byte(`{"version": 1, "project": "x", "actors": [
		{"name": "ann", "kind": "human", "default": true}, {"name": "bench", "kind": "agent"}, {"name": "agent", "kind": "agent"}]}`), 0o644)
}
