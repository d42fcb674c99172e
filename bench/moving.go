package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// moving measures how a plan is taken from one database to another, by our full export, against applying it: what it takes, and the
// most memory of the commands.
func moving(ctx context.Context, b *bench) ([]*result, error) {
	took := &result{
		what: "export and import of 10,000 tasks, as processes", against: "applying them, as a process", unit: "ms", bound: bound{atMost: 3}, everywhere: true,
		note: "15,000 deps; the full export with its events, into an empty database",
	}
	memory := &result{what: "memory of the larger of the two", against: "that of applying them", unit: "MB", bound: bound{atMost: 1.2}, everywhere: true}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := b.tenThousand().documents("x")[0].Marshal()
	if err != nil {
		return nil, err
	}
	plan := filepath.Join(b.scratch, "moving.json")
	if err := os.WriteFile(plan, doc, 0o600); err != nil {
		return nil, err
	}
	for range b.runs {
		if err := b.moveOnce(ctx, p, plan, took, memory); err != nil {
			return nil, err
		}
	}
	return []*result{took, memory}, nil
}

// moveOnce applies a plan to one database, and takes it to another.
func (b *bench) moveOnce(ctx context.Context, p programs, plan string, took, memory *result) (err error) {
	var from, to string
	for _, db := range []*string{&from, &to} {
		if *db, err = b.empty(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.engine.drop(*db)) }()
	}
	file := filepath.Join(b.scratch, "moved.json")
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	applied, err := b.weighed(ctx, p, from, "apply", "-f", plan, "--quiet")
	if err != nil {
		return err
	}
	exported, err := b.weighed(ctx, p, from, "export", "--all", "-o", file)
	if err != nil {
		return err
	}
	imported, err := b.weighed(ctx, p, to, "import", "tasker", file, "--quiet")
	if err != nil {
		return err
	}
	took.add((exported.seconds+imported.seconds)*1e3, applied.seconds*1e3)
	memory.add(max(exported.mb, imported.mb), applied.mb)
	return b.sameTasks(ctx, p, from, to)
}

// weight is what a command took.
type weight struct{ seconds, mb float64 }

func (b *bench) weighed(ctx context.Context, p programs, db string, args ...string) (weight, error) {
	out, seconds, err := once(b.command(ctx, db, p.weigh, append([]string{p.tasker}, args...)...))
	if err != nil {
		return weight{}, err
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return weight{seconds, kb / 1024}, err
}

// sameTasks fails where two databases do not have the same number of tasks.
func (b *bench) sameTasks(ctx context.Context, p programs, one, other string) error {
	var totals []string
	for _, db := range []string{one, other} {
		out, _, err := once(b.command(ctx, db, p.tasker, "project", "list", "--json", "--jq", ".[].tasks | tojson"))
		if err != nil {
			return err
		}
		totals = append(totals, strings.TrimSpace(string(out)))
	}
	if totals[0] != totals[1] || totals[0] == "" {
		return fmt.Errorf("%q tasks were exported, and %q are there", totals[0], totals[1])
	}
	return nil
}
