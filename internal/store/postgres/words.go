package postgres

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/search"
	"tasker/internal/store"
)

// The words of documents are in a tsvector that is written as we found them, with a word more for the project: no
// parser, dictionary or stemmer of the server has a say in it.

const putWords = `INSERT INTO words (id, vector) VALUES ($1, CAST(CAST($2 AS TEXT) AS TSVECTOR))
	ON CONFLICT (id) DO UPDATE SET vector=excluded.vector`

func (c *conn) AddWords(docs []store.Doc) error {
	for _, d := range docs {
		if err := c.Exec(1, putWords, d.ID, vector(d)); err != nil {
			return err
		}
	}
	return c.err
}

func (c *conn) PutWords(d store.Doc) error {
	if d.Words == "" {
		return c.Exec(store.Any, `DELETE FROM words WHERE id=$1`, d.ID)
	}
	return c.Exec(1, putWords, d.ID, vector(d))
}

func (c *conn) DropWords(project int64) error {
	lo, hi := store.DocSpan(project)
	return c.Exec(store.Any, `DELETE FROM words WHERE id BETWEEN $1 AND $2`, lo, hi)
}

// SettleWords has nothing to do: the index keeps a list of its own of what is new.
func (c *conn) SettleWords() error { return c.err }

func (c *conn) FindWords(q search.Query, project int64, each func(doc int64)) error {
	if len(q.Groups) == 0 {
		return c.err
	}
	// An index of words can only be read into a bitmap, which sessions of ours do not do otherwise: see Open.
	c.plain("SET LOCAL enable_bitmapscan = on")
	defer c.plain("SET LOCAL enable_bitmapscan TO DEFAULT")
	return c.Query(`SELECT id FROM words WHERE vector @@ CAST(CAST($1 AS TEXT) AS TSQUERY)`, []any{tsquery(q, project)}, func(row store.Row) error {
		each(row.Int(0))
		return nil
	})
}

func (c *conn) Documents(project int64, each func(doc int64)) error {
	lo, hi := store.DocSpan(project)
	return c.Query(`SELECT id FROM words WHERE id BETWEEN $1 AND $2`, []any{lo, hi}, func(row store.Row) error {
		each(row.Int(0))
		return nil
	})
}

// ofProject is the word that every document of a project has. No other word begins like it.
func ofProject(project int64) string { return "__" + strconv.FormatInt(project, 10) }

// vector writes the words of a document as a tsvector: each once, with the places where it stands.
func vector(d store.Doc) string {
	type at struct {
		word  string
		place int
	}
	list := make([]at, 0, strings.Count(d.Words, " ")+1)
	place := 0
	for w := range strings.SplitSeq(d.Words, " ") {
		if place++; w != search.Hole {
			list = append(list, at{w, place})
		}
	}
	slices.SortStableFunc(list, func(a, b at) int { return strings.Compare(a.word, b.word) })
	b := make([]byte, 0, 2*len(d.Words)+32)
	for i, w := range list {
		placed := w.place <= search.MaxPlaces
		switch {
		case i > 0 && list[i-1].word == w.word:
			if !placed {
				continue
			}
			b = append(b, ',')
		default:
			b = append(b, ' ', '\'')
			b = append(b, w.word...)
			b = append(b, '\'')
			if !placed {
				continue
			}
			b = append(b, ':')
		}
		b = strconv.AppendInt(b, int64(w.place), 10)
	}
	b = append(b, ' ')
	return string(append(b, ofProject(store.DocProject(d.ID))...))
}

// tsquery writes a query: every group in the text or in its context, and one in the text.
func tsquery(q search.Query, project int64) string {
	var all, own []string
	for _, g := range q.Groups {
		mine := phrase(g, "")
		all, own = append(all, "("+mine+"|"+phrase(g, search.Hole)+")"), append(own, mine)
	}
	out := own[0]
	if len(own) > 1 {
		out = strings.Join(all, "&") + "&(" + strings.Join(own, "|") + ")"
	}
	if project != 0 {
		out = "(" + out + ")&" + ofProject(project)
	}
	return out
}

func phrase(g search.Group, mark string) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, w := range g.Words {
		if i > 0 {
			b.WriteString("<->")
		}
		b.WriteString("'" + mark + w + "'")
	}
	if g.Prefix {
		b.WriteString(":*")
	}
	b.WriteByte(')')
	return b.String()
}
