package db

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Migration is one step of the schema, forward only. Versions count from 1, without a gap.
type Migration struct {
	Version int
	Name    string
	SQL     string
	After   func(Conn) error // runs in the same transaction; nil if SQL is enough
	// Tells returns what changes for those who use the database, or ""; nil if nothing does. It is said once, by the
	// process that migrates a database with records.
	Tells func(Conn) (string, error)
}

// Dialect is the engine whose SQL a migration is rendered in.
type Dialect string

// The dialects, as a migration's "-- only" line names them.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// Migrations reads migrations/NNNN_name.sql from a file system.
func Migrations(from fs.FS) ([]Migration, error) {
	files, err := fs.ReadDir(from, "migrations")
	if err != nil {
		return nil, err
	}
	ms := make([]Migration, 0, len(files))
	for i, f := range files { // in the order of their names
		name := "migrations/" + f.Name()
		number, _, _ := strings.Cut(f.Name(), "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("%s is not the migration number %d", name, i+1)
		}
		sql, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		ms = append(ms, Migration{Version: i + 1, Name: name, SQL: string(sql)})
	}
	return ms, nil
}

// SetVersion is the statement that ends a migration; it must touch one row.
const SetVersion = `UPDATE turn SET schema_version = $1 WHERE id = 1`

// Statements splits the migration at semicolons that end a line, drops comments, and renders it in an engine's dialect. A
// line "-- only sqlite" (or postgres) above a statement keeps it for that engine.
//
// The files are written for PostgreSQL, with SQLite's BLOB and WITHOUT ROWID. On PostgreSQL, text gets byte order; on
// SQLite, a BIGINT that is the primary key becomes INTEGER, which SQLite uses as the row id instead of a second tree.
func (m Migration) Statements(d Dialect) []string {
	var out []string
	var b strings.Builder
	skip := false
	for line := range strings.Lines(m.SQL) {
		if only, ok := strings.CutPrefix(strings.TrimSpace(line), "-- only "); ok {
			skip = only != string(d)
		}
		line = strings.TrimRight(uncomment(line), " \t\r\n")
		if line == "" {
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
		if strings.HasSuffix(line, ";") {
			if !skip {
				out = append(out, render(strings.TrimSuffix(strings.TrimSpace(b.String()), ";"), d))
			}
			b.Reset()
			skip = false
		}
	}
	return out
}

// words matches what differs. It is compiled by the first migration, not at every start.
var words = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bTEXT\b|\bBLOB\b|\bBIGINT PRIMARY KEY\b|\s*\bWITHOUT ROWID\b`)
})

func render(sql string, d Dialect) string {
	return words().ReplaceAllStringFunc(sql, func(word string) string {
		switch {
		case d == SQLite && word == "BIGINT PRIMARY KEY":
			return "INTEGER PRIMARY KEY"
		case d == SQLite || word == "BIGINT PRIMARY KEY":
			return word
		case word == "TEXT":
			return `TEXT COLLATE "C"`
		case word == "BLOB":
			return "BYTEA"
		default:
			return ""
		}
	})
}

// uncomment cuts a line at a "--" outside quotes.
func uncomment(line string) string {
	quoted := false
	for i := range len(line) {
		if line[i] == '\'' {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(line[i:], "--") {
			return line[:i]
		}
	}
	return line
}
