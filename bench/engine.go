package main

import (
	"context"
	"fmt"
	"os"
)

// engine is a database to measure on.
type engine interface {
	name() string
	// fresh creates an empty database and returns what TASKER_DB takes.
	fresh(ctx context.Context) (string, error)
	// copy copies a database that nobody has open.
	copy(ctx context.Context, db string) (string, error)
	// settle does the maintenance that a database would otherwise do in the middle of a measurement.
	settle(ctx context.Context, db string) error
	drop(db string) error
	// raw opens a database without tasker: what the same rows cost.
	raw(ctx context.Context, db string) (raw, error)
	close() error
}

// raw writes and reads a database with nothing in between. Exec is prepared once for each statement, and may be
// queued until Commit.
type raw interface {
	Begin() error
	Exec(sql string, args ...any) error
	Commit() error
	Rows(sql string, args ...any) ([][]any, error)
	Tables() ([]string, error)
	// Index returns what the search index holds, and the statement that adds a row of it.
	Index() (rows [][]any, insert string, err error)
	Close() error
}

const (
	sqliteName   = "SQLite"
	postgresName = "PostgreSQL"
)

// enginesOf returns the engines that a flag names.
func enginesOf(which, scratch string) ([]engine, error) {
	var out []engine
	switch which {
	case "sqlite", "postgres", "both":
	default:
		return nil, fmt.Errorf("-db must be sqlite, postgres or both, not %q", which)
	}
	if which != "postgres" {
		out = append(out, &sqliteEngine{dir: scratch})
	}
	if which != "sqlite" {
		url := os.Getenv("TASKER_TEST_POSTGRES")
		if url == "" {
			return nil, fmt.Errorf("TASKER_TEST_POSTGRES names no PostgreSQL: run this with make bench, or with -db sqlite")
		}
		out = append(out, &postgresEngine{url: url})
	}
	return out, nil
}
