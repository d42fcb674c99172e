package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
)

// sqliteEngine puts every database into a file of its own.
type sqliteEngine struct {
	dir   string
	count int
}

func (e *sqliteEngine) name() string { return sqliteName }

func (e *sqliteEngine) fresh(context.Context) (string, error) {
	e.count++
	return filepath.Join(e.dir, fmt.Sprintf("%d.db", e.count)), nil
}

// copy copies the file and syncs it, since otherwise the first commit on it would.
func (e *sqliteEngine) copy(ctx context.Context, db string) (string, error) {
	to, err := e.fresh(ctx)
	if err != nil {
		return "", err
	}
	in, err := os.Open(db)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return to, errors.Join(err, out.Sync(), out.Close())
}

func (e *sqliteEngine) settle(context.Context, string) error { return nil }

func (e *sqliteEngine) drop(db string) error {
	var errs []error
	for _, end := range []string{"", "-wal", "-shm", "-queue", "-turn"} {
		if err := os.Remove(db + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (e *sqliteEngine) close() error { return nil }

func (e *sqliteEngine) raw(_ context.Context, db string) (raw, error) {
	c, err := sqlite.OpenConn(db, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	r := &rawSQLite{c}
	for _, pragma := range []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON", "PRAGMA cache_size = -16384",
		"PRAGMA temp_store = MEMORY",
	} {
		if _, err := r.Rows(pragma); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return r, nil
}

type rawSQLite struct{ c *sqlite.Conn }

func (r *rawSQLite) Begin() error  { return r.Exec("BEGIN IMMEDIATE") }
func (r *rawSQLite) Commit() error { return r.Exec("COMMIT") }
func (r *rawSQLite) Close() error  { return r.c.Close() }

func (r *rawSQLite) Exec(sql string, args ...any) error {
	s, err := r.bound(sql, args)
	if err != nil {
		return err
	}
	if _, err := s.Step(); err != nil {
		return fmt.Errorf("%w: %s", err, sql)
	}
	return s.Reset()
}

// bound finds the prepared statement, which the driver caches by its text, and binds the arguments. Statements here use
// each parameter once and in order, as the driver counts them.
func (r *rawSQLite) bound(sql string, args []any) (*sqlite.Stmt, error) {
	s, err := r.c.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, sql)
	}
	for i, arg := range args {
		switch v := arg.(type) {
		case int64:
			s.BindInt64(i+1, v)
		case int:
			s.BindInt64(i+1, int64(v))
		case string:
			s.BindText(i+1, v)
		case []byte:
			s.BindBytes(i+1, v)
		case nil:
			s.BindNull(i + 1)
		default:
			return nil, fmt.Errorf("argument %d of %s is a %T", i+1, sql, arg)
		}
	}
	return s, nil
}

func (r *rawSQLite) Rows(sql string, args ...any) ([][]any, error) {
	s, err := r.bound(sql, args)
	if err != nil {
		return nil, err
	}
	var out [][]any
	for {
		more, err := s.Step()
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, sql)
		}
		if !more {
			return out, s.Reset()
		}
		row := make([]any, s.ColumnCount())
		for i := range row {
			switch s.ColumnType(i) {
			case sqlite.TypeInteger:
				row[i] = s.ColumnInt64(i)
			case sqlite.TypeText:
				row[i] = s.ColumnText(i)
			case sqlite.TypeBlob:
				b := make([]byte, s.ColumnLen(i))
				s.ColumnBytes(i, b)
				row[i] = b
			case sqlite.TypeNull:
			case sqlite.TypeFloat:
				row[i] = s.ColumnFloat(i)
			}
		}
		out = append(out, row)
	}
}

func (r *rawSQLite) Tables() ([]string, error) {
	rows, err := r.Rows(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	return firstTexts(rows), err
}

// Index puts the documents together again from the words of the index, which stores no text.
func (r *rawSQLite) Index() ([][]any, string, error) {
	if err := r.Exec(`CREATE VIRTUAL TABLE temp.found USING fts5vocab(main, words, instance)`); err != nil {
		return nil, "", err
	}
	found, err := r.Rows(`SELECT doc, term FROM temp.found ORDER BY doc, "offset"`)
	if err != nil {
		return nil, "", err
	}
	var rows [][]any
	for i := 0; i < len(found); {
		doc, text := found[i][0], []string{}
		for ; i < len(found) && found[i][0] == doc; i++ {
			word, _ := found[i][1].(string)
			text = append(text, word)
		}
		rows = append(rows, []any{doc, strings.Join(text, " ")})
	}
	return rows, `INSERT INTO words (rowid, text) VALUES ($1, $2)`, nil
}

func firstTexts(rows [][]any) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i], _ = row[0].(string)
	}
	return out
}

// marks writes ($1, $2, …) for n parameters.
func marks(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("$%d", i+1)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
