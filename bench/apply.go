package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tasker/internal/plan"
	"tasker/internal/planning"
)

// tenThousand returns the plan that is applied: 10,000 tasks, 15,000 dependencies.
func (b *bench) tenThousand() shape { return shape{tasks: b.n(10_000), ready: b.n(4_000)} }

// applying measures applying a plan for the first time, and again.
func applying(ctx context.Context, b *bench) ([]*result, error) {
	first := &result{
		what: "apply of 10,000 tasks with 15,000 deps", against: "the same rows, prepared, in one raw transaction", unit: "ms",
		bound: bound{atMost: 2}, note: "from the document's bytes, search index included",
	}
	again := &result{what: "applying it again unchanged", against: "the first time", unit: "ms", bound: bound{atMost: 0.5}}
	doc, err := b.tenThousand().documents("x")[0].Marshal()
	if err != nil {
		return nil, err
	}
	for range b.runs {
		one, two, rows, err := b.applyOnce(ctx, doc)
		if err != nil {
			return nil, err
		}
		raw, err := b.rawRows(ctx, rows)
		if err != nil {
			return nil, err
		}
		first.add(one.wall*1e3, raw*1e3)
		first.spent(one, 1)
		again.add(two.wall*1e3, one.wall*1e3)
		again.spent(two, 1)
	}
	return []*result{first, again}, nil
}

// empty returns a database whose tables are empty.
func (b *bench) empty(ctx context.Context) (string, error) {
	db, err := b.engine.fresh(ctx)
	if err != nil {
		return "", err
	}
	a, err := b.open(db)
	if err != nil {
		return "", err
	}
	_, _, err = a.Migrate(ctx)
	return db, errors.Join(err, a.Close())
}

// applyOnce applies the plan twice to an empty database, and returns what it then holds.
func (b *bench) applyOnce(ctx context.Context, doc []byte) (one, two cost, rows []tableRows, err error) {
	db, err := b.empty(ctx)
	if err != nil {
		return one, two, nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	a, err := b.open(db)
	if err != nil {
		return one, two, nil, err
	}
	apply := func() (took cost, out planning.ApplyOut, err error) {
		began, spent := time.Now(), spending()
		d, err := plan.Decode(doc)
		if err != nil {
			return cost{}, planning.ApplyOut{}, err
		}
		out, err = a.Services.Planning.Apply(asWorker(ctx), planning.ApplyIn{Doc: d})
		took = spent()
		took.wall = time.Since(began).Seconds()
		return took, out, err
	}
	var out planning.ApplyOut
	err = b.profiled(func() error {
		one, out, err = apply()
		return err
	})
	if err == nil && len(out.Created) != b.tenThousand().tasks {
		err = fmt.Errorf("%d tasks were created", len(out.Created))
	}
	if err == nil {
		err = b.profiled(func() error {
			two, out, err = apply()
			return err
		})
	}
	if err == nil && len(out.Unchanged) != b.tenThousand().tasks {
		err = fmt.Errorf("%d tasks are unchanged", len(out.Unchanged))
	}
	if err := errors.Join(err, a.Close()); err != nil {
		return one, two, nil, err
	}
	r, err := b.engine.raw(ctx, db)
	if err != nil {
		return one, two, nil, err
	}
	rows, err = readRows(r)
	return one, two, rows, errors.Join(err, r.Close())
}

// tableRows are all rows of a table, and the statement that writes one.
type tableRows struct {
	table, insert string
	rows          [][]any
}

// written lists the tables that an apply writes, in an order that respects their references.
var written = []string{"project", "policy", "route", "task", "task_body", "dep", "frontier", "event", "actor", "tally", "fresh"}

func readRows(r raw) ([]tableRows, error) {
	tables, err := r.Tables()
	if err != nil {
		return nil, err
	}
	for _, name := range tables {
		if name == "turn" || name == words || strings.HasPrefix(name, words+"_") || slices.Contains(written, name) {
			continue
		}
		if rows, err := r.Rows("SELECT 1 FROM " + name + " LIMIT 1"); err != nil || len(rows) > 0 {
			return nil, errors.Join(err, fmt.Errorf("an apply writes the table %s, which the raw transaction does not know", name))
		}
	}
	var out []tableRows
	for _, name := range written {
		if !slices.Contains(tables, name) { // only the other engine has it
			continue
		}
		t := tableRows{table: name}
		if t.rows, err = r.Rows("SELECT * FROM " + name); err != nil {
			return nil, err
		}
		if len(t.rows) > 0 {
			t.insert = "INSERT INTO " + name + " VALUES " + marks(len(t.rows[0]))
		}
		out = append(out, t)
	}
	index := tableRows{}
	index.rows, index.insert, err = r.Index()
	return append(out, index), err
}

// words is the table of the search index, with tables of its own behind it.
const words = "words"

// rawRows returns how long it takes to write the rows, one after another, to an empty database.
func (b *bench) rawRows(ctx context.Context, all []tableRows) (took float64, err error) {
	db, err := b.empty(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	r, err := b.engine.raw(ctx, db)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	err = calm(func() error {
		began := time.Now()
		if err := r.Begin(); err != nil {
			return err
		}
		var last int64
		for _, t := range all {
			for _, row := range t.rows {
				if err := r.Exec(t.insert, row...); err != nil {
					return err
				}
			}
			if t.table == "event" {
				last = int64(len(t.rows))
			}
		}
		if err := r.Exec(rawTurn, last, began.UnixMicro()); err != nil {
			return err
		}
		err := r.Commit()
		took = time.Since(began).Seconds()
		return err
	})
	return took, err
}
