package sqlite

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/search"
)

// The words of documents are in an FTS5 table without content, in which every transaction costs at least one segment: half
// a millisecond and more. So a few documents are first put aside in a table, which overrides what the index has for them,
// and then go into the index together. Reads look at both.
const (
	aside  = 128 // documents that are put aside before they go into the index
	atOnce = 64  // this many documents added together go into the index at once
)

func (c *conn) AddWords(docs []db.Doc) error {
	if len(docs) < atOnce {
		for _, d := range docs {
			db.Exec(c, 1, `INSERT INTO fresh (id, words) VALUES ($1,$2)`, d.ID, d.Words)
		}
		return c.err
	}
	// The index flushes what it has gathered whenever an id is below the previous one.
	docs = slices.SortedFunc(slices.Values(docs), func(a, b db.Doc) int { return cmp.Compare(a.ID, b.ID) })
	return c.Bulk("words", []string{"rowid", "text"}, len(docs), func(i int) []any { return []any{docs[i].ID, docs[i].Words} })
}

func (c *conn) PutWords(d db.Doc) error {
	return c.Exec(1, `INSERT INTO fresh (id, words) VALUES ($1,$2) ON CONFLICT (id) DO UPDATE SET words=excluded.words`, d.ID, d.Words)
}

func (c *conn) DropWords(project int64) error {
	lo, hi := db.DocSpan(project)
	db.Exec(c, db.Any, `DELETE FROM fresh WHERE id BETWEEN $1 AND $2`, lo, hi)
	return c.Exec(db.Any, `DELETE FROM words WHERE rowid BETWEEN $1 AND $2`, lo, hi)
}

func (c *conn) SettleWords() error {
	if n, err := db.Value[int](c, `SELECT COUNT(*) FROM fresh`); err != nil || n < aside {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM words WHERE rowid IN (SELECT id FROM fresh WHERE words='')`,
		`INSERT OR REPLACE INTO words (rowid, text) SELECT id, words FROM fresh WHERE words<>''`,
		`DELETE FROM fresh`,
	} {
		db.Exec(c, db.Any, sql)
	}
	return c.err
}

func (c *conn) FindWords(q search.Query, project int64, each func(doc int64)) error {
	if len(q.Groups) == 0 {
		return c.err
	}
	lo, hi := db.DocSpan(project)
	over := map[int64]bool{}
	err := c.Query(`SELECT id, words FROM fresh WHERE id BETWEEN $1 AND $2`, []any{lo, hi}, func(row db.Row) error {
		id := row.Int(0)
		over[id] = true
		if q.In(row.Text(1)) {
			each(id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.Query(`SELECT rowid FROM words WHERE words MATCH $1 AND rowid BETWEEN $2 AND $3`, []any{q.Written(phrase, " AND ", " OR "), lo, hi}, func(row db.Row) error {
		if id := row.Int(0); len(over) == 0 || !over[id] {
			each(id)
		}
		return nil
	})
}

func (c *conn) Documents(project int64, each func(doc int64)) error {
	lo, hi := db.DocSpan(project)
	return c.Query(`SELECT rowid FROM words WHERE rowid BETWEEN $1 AND $2 AND rowid NOT IN (SELECT id FROM fresh)
		UNION ALL SELECT id FROM fresh WHERE words<>'' AND id BETWEEN $1 AND $2`, []any{lo, hi}, func(row db.Row) error {
		each(row.Int(0))
		return nil
	})
}

// phrase writes a group in the syntax of FTS5. Words contain no character with a meaning there, but are quoted all the same.
func phrase(g search.Group, mark string) string {
	all := `"` + mark + strings.Join(g.Words, ` `+mark) + `"`
	if g.Prefix {
		all += `*`
	}
	return all
}
